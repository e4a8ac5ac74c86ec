// How many questions a running server answers in a second: descriptions and budgets, by 1 and by 8
// who ask at once.
//
//   build/release/bin/reads_bench --server topicwall-server
//                                 --server ../../../old/bin/topicwall-server
//
// Servers are named from the folder of the programs and measured in turns, so that what the machine
// does meanwhile happens to all of them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/wall_world.h"

namespace topicwall {
namespace {

using testing::WallWorld;

double AnswersASecond(const WallWorld& world, int askers, double seconds) {
  std::atomic<int64_t> answers = 0;
  std::vector<std::thread> threads;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int i = 0; i < askers; ++i) {
    threads.emplace_back([&] {
      const auto stub = world.StubOnItsOwn("alice");
      v1::DescribeCorpusRequest request;
      request.set_corpus("notes");
      while (elapsed() < seconds) {
        grpc::ClientContext context;
        v1::CorpusDescription reply;
        if (!stub->DescribeCorpus(&context, request, &reply).ok()) std::abort();
        if (!WallWorld::Budget(*stub).ok()) std::abort();
        answers += 2;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(answers) / elapsed();
}

void Run(const std::vector<std::string>& servers, int rounds, double seconds) {
  std::map<int, std::map<std::string, double>> best;  // by askers
  std::vector<std::unique_ptr<WallWorld>> worlds;
  for (const std::string& server : servers) {
    worlds.push_back(std::make_unique<WallWorld>(testing::WorldOptions{.server_program = server}));
    if (!worlds.back()->StartServer()) {
      std::cerr << worlds.back()->ServerOutput();
      return;
    }
  }
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < servers.size(); ++i) {
      for (const int askers : {1, 8}) {
        double& most = best[askers][servers[i]];
        most = std::max(most, AnswersASecond(*worlds[i], askers, seconds));
      }
    }
  }
  for (const auto& [askers, of] : best) {
    for (const std::string& server : servers) {
      std::cout << askers << " at once: " << of.at(server) << " answers a second, "
                << of.at(server) / of.at(servers.front()) << " of the first; " << server << "\n";
    }
  }
}

}  // namespace
}  // namespace topicwall

int main(int argc, char** argv) {
  CLI::App app{"How many questions a running server answers in a second"};
  std::vector<std::string> servers = {"topicwall-server"};
  int rounds = 5;
  double seconds = 1;
  app.add_option("--server", servers, "Programs, in turns")->capture_default_str();
  app.add_option("--rounds", rounds, "Of which the best counts")->capture_default_str();
  app.add_option("--seconds", seconds, "Of one measurement")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  topicwall::Run(servers, rounds, seconds);
}
