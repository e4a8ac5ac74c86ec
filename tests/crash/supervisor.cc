#include "tests/crash/supervisor.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <utility>

#include "proto/grpc_status.h"

namespace topicwall::testing {
namespace {

constexpr std::chrono::milliseconds kLook{5};
constexpr int kMostStarts = 30;

}  // namespace

Supervisor::Supervisor(WallWorld& world, std::vector<std::string> kill_at)
    : world_(world), kill_at_(std::move(kill_at)) {
  {
    absl::MutexLock lock(&mutex_);
    StartAgain();
  }
  watcher_ = std::thread([this] { Watch(); });
}

Supervisor::~Supervisor() { Finish(); }

void Supervisor::StartAgain() {
  for (int attempt = 0; attempt < kMostStarts; ++attempt) {
    Environment environment;  // with the vault dies the whole server, as of a power cut
    const size_t next = static_cast<size_t>(kills_);
    if (next < kill_at_.size()) environment["TOPICWALL_KILL_AT"] = kill_at_[next] + ",child-died";
    if (world_.StartServer(environment)) return;
    const int exit_code = world_.server().Wait();
    ASSERT_EQ(exit_code, 128 + SIGKILL) << world_.ServerOutput();
    ++kills_;
  }
}

void Supervisor::Watch() {
  for (;; std::this_thread::sleep_for(kLook)) {
    absl::MutexLock lock(&mutex_);
    if (finished_) return;
    if (world_.server().IsRunning()) continue;
    EXPECT_EQ(world_.server().Wait(), 128 + SIGKILL) << world_.ServerOutput();
    ++kills_;
    StartAgain();
  }
}

std::unique_ptr<v1::PrivacyWall::Stub> Supervisor::StubOf(const std::string& name) {
  absl::MutexLock lock(&mutex_);
  return world_.StubOf(name);
}

v1::ReleaseSpec Supervisor::Plan(double noise_multiplier, int iterations) {
  absl::MutexLock lock(&mutex_);
  return world_.Plan(noise_multiplier, iterations);
}

void Supervisor::AcknowledgeOverruns() {
  absl::MutexLock lock(&mutex_);
  if (finished_) return;
  world_.KillServer();
  const Finished looked = world_.Admin({"thaw", "--config", world_.Path("wall.textproto"),
                                        "--acknowledge-overruns", "--corpus", "notes"});
  EXPECT_EQ(looked.exit_code, 0) << looked.output;
  StartAgain();
}

int Supervisor::Finish() {
  {
    absl::MutexLock lock(&mutex_);
    if (!finished_) world_.server().Signal(SIGKILL);  // a drain would wait for idle connections
    finished_ = true;
  }
  if (watcher_.joinable()) watcher_.join();
  absl::MutexLock lock(&mutex_);
  return kills_;
}

}  // namespace topicwall::testing
