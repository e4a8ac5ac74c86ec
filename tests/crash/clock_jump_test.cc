// A wall clock that is set by hours while a release waits, and between two runs of the server.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proto/grpc_status.h"
#include "proto/ledger.pb.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr int64_t kHourMs = 3600 * 1000;
constexpr std::chrono::milliseconds kInterval{1500};
// Far below an hour, far above what a busy machine needs.
constexpr std::chrono::minutes kSoon{5};

class ClockJumpTest : public ::testing::Test {
 protected:
  void SetUp() override { SetWallClock(0); }

  // In hours off the machine's. In the data directory, where the vault's sandbox lets it be read.
  void SetWallClock(int64_t hours) {
    world_.WriteFile("data/shift", absl::StrCat(hours * kHourMs, "\n"));
  }
  void Start(Environment environment = {}) {
    environment["TOPICWALL_CLOCK_SHIFT_FILE"] = world_.Path("data/shift");
    ASSERT_TRUE(world_.StartServer(environment)) << world_.ServerOutput();
    alice_ = world_.StubOf("alice");
  }
  void Reserve() {
    ASSERT_OK_AND_ASSIGN(const auto plan,
                         WallWorld::Reserve(*alice_, world_.Plan(4, 4), std::string(16, 'r')));
    plan_id_ = plan.plan_id();
    reserved_at_ms_ = plan.reserved_at_ms();
  }
  static int64_t NowMs() { return absl::ToUnixMillis(absl::Now()); }
  absl::StatusOr<Received> Run(int iteration) {
    return WallWorld::RunRelease(*alice_, WallWorld::Header(plan_id_, iteration, topics_), topics_);
  }
  int ChargedIterations() {
    grpc::ClientContext context;
    v1::GetPlanRequest request;
    request.set_plan_id(plan_id_);
    v1::PlanState state;
    EXPECT_TRUE(alice_->GetPlan(&context, request, &state).ok());
    return state.iterations_size();
  }
  void ExpectLedgerTimesNeverFall() {
    grpc::ClientContext context;
    v1::ReadLedgerRequest request;
    request.set_corpus("notes");
    const auto auditor = world_.StubOf("ann");
    const auto reader = auditor->ReadLedger(&context, request);
    v1::LedgerEntry entry;
    int64_t last = std::numeric_limits<int64_t>::min();
    while (reader->Read(&entry)) {
      v1::LedgerEvent event;
      ASSERT_TRUE(event.ParseFromString(entry.event()));
      EXPECT_GE(event.time_ms(), last) << event.ShortDebugString();
      last = event.time_ms();
    }
    EXPECT_TRUE(reader->Finish().ok());
  }

  WallWorld world_{{.release_interval_ms = kInterval.count(),
                    .documents = 60,
                    .server_program = "killable/topicwall-server"}};
  std::unique_ptr<v1::PrivacyWall::Stub> alice_;
  std::string plan_id_;
  int64_t reserved_at_ms_ = 0;
  const std::vector<float> topics_ = WallWorld::LogTopics();
};

TEST_F(ClockJumpTest, AReleaseWaitsItsIntervalHoweverTheWallClockIsSetMeanwhile) {
  Start();
  Reserve();
  int iteration = 0;
  for (const int64_t hours : {3, -5, 24 * 365}) {
    SCOPED_TRACE(hours);
    const int charged_before = ChargedIterations();
    const auto begin = std::chrono::steady_clock::now();
    absl::StatusOr<Received> release;
    std::thread running([&] { release = Run(++iteration); });
    while (ChargedIterations() == charged_before) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    SetWallClock(hours);
    running.join();
    const auto took = std::chrono::steady_clock::now() - begin;
    ASSERT_OK(release);
    EXPECT_GE(took, kInterval) << "readable before its instant";
    EXPECT_LT(took, kSoon);
    const v1::ReleaseHeader& header = release->header;
    EXPECT_EQ((header.readable_at_ms() - header.charged_at_ms()) % kInterval.count(), 0);
    EXPECT_LT(header.readable_at_ms() - header.charged_at_ms(), kHourMs);
  }
  ExpectLedgerTimesNeverFall();
}

TEST_F(ClockJumpTest, ARestartWithTheClockSetBackPublishesWhatWaitsAndWritesNoEarlierTimes) {
  SetWallClock(5);
  Start({{"TOPICWALL_KILL_AT", "after-store-commit:2,child-died"}});
  Reserve();
  ASSERT_GE(reserved_at_ms_, NowMs() + 4 * kHourMs) << "the server's clock was not set";
  ASSERT_OK(Run(1));
  EXPECT_THAT(Run(2), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(world_.server().Wait(), 128 + SIGKILL);

  SetWallClock(0);
  Start();
  const auto deadline = std::chrono::steady_clock::now() + kSoon;
  absl::StatusOr<Received> release = absl::NotFoundError("");
  while (absl::IsNotFound(release.status()) && std::chrono::steady_clock::now() < deadline) {
    release = WallWorld::GetRelease(*alice_, plan_id_, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_OK(release) << "kept back for the hours that the clock was set back";
  EXPECT_OK(Run(3));
  ExpectLedgerTimesNeverFall();
}

}  // namespace
}  // namespace topicwall::testing
