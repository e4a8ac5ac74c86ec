// Two servers as they are deployed, on one ledger in one database, which the test starts.
//
//   class MyTest : public SharedServersTest {};
//   ASSERT_TRUE(world_.StartServer());
//   SecondServer second(world_);
//   ASSERT_TRUE(second.Start()) << second.Output();
//   WallWorld::Reserve(*second.StubOf("alice"), world_.Plan(20, 2), RequestId(0, 1));
#ifndef TOPICWALL_TESTS_E2E_SHARED_SHARED_WORLD_H_
#define TOPICWALL_TESTS_E2E_SHARED_SHARED_WORLD_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/postgres/postgres_server.h"

namespace topicwall::testing {

// A second server of a world's ledger: what RUNBOOK.md says that it needs, in a folder of its own.
class SecondServer {
 public:
  explicit SecondServer(const WallWorld& world, std::string program = "topicwall-server")
      : world_(world), folder_(world.Path("second")), program_(std::move(program)) {
    for (const char* folder : {"", "/data"}) std::filesystem::create_directory(folder_ + folder);
    for (const char* name : {"tls", "postgresql", "corpus.key", "data/ledger.id",
                             "data/notes.corpus", "wall.textproto"}) {
      std::filesystem::copy(world.Path(name), absl::StrCat(folder_, "/", name),
                            std::filesystem::copy_options::recursive);
    }
  }

  bool Start(const Environment& environment = {}) {
    server_.reset();
    std::filesystem::remove(folder_ + "/ready");
    server_ = std::make_unique<Background>(
        std::vector<std::string>{WallWorld::Program(program_), "--config",
                                 folder_ + "/wall.textproto", "--ready-file", folder_ + "/ready"},
        folder_ + "/server.out", environment);
    for (int waited = 0; waited < 120000; waited += 10) {
      if (std::filesystem::exists(folder_ + "/ready")) return true;
      if (!server_->IsRunning()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  Background& process() { return *server_; }
  std::string Output() const { return world_.ReadFile("second/server.out"); }

  // With a connection of its own.
  std::unique_ptr<v1::PrivacyWall::Stub> StubOf(const std::string& name) const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = world_.ReadFile("tls/ca.pem");
    options.pem_cert_chain = world_.ReadFile("tls/" + name + ".pem");
    options.pem_private_key = world_.ReadFile("tls/" + name + ".key");
    std::string address(absl::StripSuffix(world_.ReadFile("second/ready"), "\n"));
    if (address.empty()) address = "127.0.0.1:1";  // it is down, and nobody listens there
    return v1::PrivacyWall::NewStub(
        grpc::CreateCustomChannel(address, grpc::SslCredentials(options), arguments));
  }

 private:
  const WallWorld& world_;
  const std::string folder_;
  const std::string program_;
  std::unique_ptr<Background> server_;
};

class SharedServersTest : public ::testing::Test {
 protected:
  explicit SharedServersTest(WorldOptions options = {.epsilon = 10,
                                                     .release_interval_ms = 2000,
                                                     .bob_epsilon_cap = 10},
                             PostgresServer& database = PostgresServer::OfTheProgram())
      : database_(database), world_(std::move(options)) {
    const std::string connection = database_.NewDatabase();
    std::filesystem::create_directory(world_.Path("postgresql"));
    world_.WriteFile(
        "postgresql/pg_service.conf",
        absl::StrCat("[topicwall]\n", absl::StrReplaceAll(connection, {{" ", "\n"}}), "\n"));
    world_.WriteFile("wall.textproto",
                     absl::StrCat(world_.ReadFile("wall.textproto"),
                                  "ledger { postgresql { service: \"topicwall\" "
                                  "service_file: \"postgresql/pg_service.conf\" } }\n"));
    const Finished moved = Admin({"migrate-ledger", "--to", "postgresql"});
    EXPECT_EQ(moved.exit_code, 0) << moved.output;
  }

  Finished Admin(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--config", world_.Path("wall.textproto")});
    return world_.Admin(arguments);
  }

  // To the database of the ledger.
  std::string Connection() const {
    return absl::StrReplaceAll(std::string(absl::StripPrefix(
                                   world_.ReadFile("postgresql/pg_service.conf"), "[topicwall]\n")),
                               {{"\n", " "}});
  }

  PostgresServer& database_;
  WallWorld world_;
};

inline std::string RequestId(int client, int number) {
  return absl::StrCat(absl::Dec(client, absl::kZeroPad8), absl::Dec(number, absl::kZeroPad8));
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_SHARED_SHARED_WORLD_H_
