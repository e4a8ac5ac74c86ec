// What two servers of one ledger may meet: a database whose disk is full, clocks that differ by an
// hour, a server that stands still. The budget holds, the order of events is one, no release is
// told before its time, and what is over is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proto/grpc_status.h"
#include "tests/e2e/shared/shared_world.h"
#include "tests/e2e/small_disk.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace enemies_test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class EnemiesTest : public SharedServersTest {
 protected:
  using SharedServersTest::SharedServersTest;

  void StartBoth(SecondServer& second, const Environment& environment_of_second = {}) {
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    ASSERT_TRUE(second.Start(environment_of_second)) << second.Output();
  }
  void ExpectOneSoundLedger(SecondServer& second) {
    ASSERT_OK_AND_ASSIGN(const auto here, WallWorld::Budget(*world_.StubOf("ann")));
    ASSERT_OK_AND_ASSIGN(const auto there, WallWorld::Budget(*second.StubOf("ann")));
    EXPECT_EQ(here.SerializeAsString(), there.SerializeAsString());
    EXPECT_LE(here.epsilon_spent(), here.epsilon_total());
    const Finished verified = world_.Analyst("ann", {"ledger", "notes", "--verify"});
    EXPECT_EQ(verified.exit_code, 0) << verified.output;
  }
  std::set<std::string> PlansOfAlice() {
    std::set<std::string> plans;
    v1::ListPlansRequest request;
    do {
      grpc::ClientContext context;
      v1::ListPlansResponse page;
      EXPECT_TRUE(world_.StubOf("alice")->ListPlans(&context, request, &page).ok());
      for (const v1::PlanState& plan : page.plans()) plans.insert(plan.plan_id());
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    return plans;
  }
};

// Between acts and in the middle of one, where it may hold a row of the database: the other server
// waits ten seconds at most, spends what is left, and the first one finds it spent.
TEST_F(EnemiesTest, AServerThatStandsStillHoldsUpNobodyAndSpendsNothingTwice) {
  SecondServer second(world_);
  StartBoth(second);
  const v1::ReleaseSpec cheap = world_.Plan(1000, 1), dear = world_.Plan(2, 1);
  std::atomic<bool> over{false};
  std::atomic<int> answered[2] = {0, 0};
  std::vector<std::thread> clients;
  for (int client = 0; client < 2; ++client) {
    clients.emplace_back([&, client] {
      const auto stub = client == 0 ? world_.StubOnItsOwn("alice") : second.StubOf("bob");
      for (int number = 0; !over; ++number) {
        absl::StatusOr<v1::PlanState> plan;
        do {
          plan = WallWorld::Reserve(*stub, cheap, RequestId(client, number));
        } while (absl::IsUnavailable(plan.status()) && !over);
        if (!over) {
          EXPECT_OK(plan);
        }
        ++answered[client];
      }
    });
  }
  const auto go_on = [&](int client) {
    const int before = answered[client];
    for (int waited = 0; waited < 120000 && answered[client] < before + 3; ++waited) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    EXPECT_GE(answered[client], before + 3) << client;
  };
  const auto signal_first = [&](int signal) {
    for (const pid_t process : world_.server().Family()) kill(process, signal);
  };
  for (int stop = 0; stop < 8; ++stop) {
    go_on(0);
    std::this_thread::sleep_for(milliseconds(3 * stop));
    signal_first(SIGSTOP);
    go_on(1);
    if (stop == 7) break;
    signal_first(SIGCONT);
  }
  const auto bob = second.StubOf("bob");
  absl::StatusOr<v1::PlanState> plan;
  for (int number = 0; number < 1000; ++number) {
    plan = WallWorld::Reserve(*bob, dear, RequestId(7, number));
    if (!plan.ok() && !absl::IsUnavailable(plan.status())) break;
  }
  EXPECT_THAT(plan, StatusIs(absl::StatusCode::kFailedPrecondition)) << "the budget is not spent";
  over = true;
  signal_first(SIGCONT);
  for (std::thread& client : clients) client.join();
  EXPECT_THAT(WallWorld::Reserve(*world_.StubOf("alice"), dear, RequestId(8, 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ExpectOneSoundLedger(second);
}

// No connection is lost, and nothing says so but the time that passes.
TEST_F(EnemiesTest, ADatabaseThatStandsStillIsToldAndIsAnAlarm) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  const auto alice = world_.StubOf("alice");
  const v1::ReleaseSpec plan = world_.Plan(1000, 1);
  ASSERT_OK_AND_ASSIGN(const auto reserved, WallWorld::Reserve(*alice, plan, RequestId(0, 0)));
  const std::vector<std::string> cancel = {"cancel-plan", "--plan", reserved.plan_id()};
  database_.Pause(true);
  EXPECT_THAT(WallWorld::Reserve(*alice, plan, RequestId(0, 1)),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("ledger's store")));
  const Finished told = Admin(cancel);
  EXPECT_NE(told.exit_code, 0);
  EXPECT_THAT(told.output, ::testing::HasSubstr("does not answer"));
  EXPECT_THAT(world_.ReadFile("events.jsonl"), ::testing::HasSubstr("ledger_could_not_be_written"));
  database_.Pause(false);
  absl::StatusOr<v1::PlanState> again;
  do {
    again = WallWorld::Reserve(*alice, plan, RequestId(0, 1));
  } while (absl::IsUnavailable(again.status()));
  EXPECT_OK(again);
  const Finished cancelled = Admin(cancel);
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.output;
  EXPECT_EQ(PlansOfAlice().size(), 2);
}

class SkewedClocksTest : public EnemiesTest, public ::testing::WithParamInterface<int> {
 protected:
  SkewedClocksTest() : EnemiesTest({.epsilon = 10, .release_interval_ms = kInterval.count()}) {
    // Where the sandbox of the second one's vault lets it be read.
    fs::create_directories(world_.Path("second/data"));
    world_.WriteFile("second/data/shift", absl::StrCat(kHourMs * GetParam(), "\n"));
  }
  static constexpr milliseconds kInterval{1500};
  static constexpr int64_t kHourMs = 3600 * 1000;

  const Environment shifted_ = {{"TOPICWALL_CLOCK_SHIFT_FILE", world_.Path("second/data/shift")}};
  const std::vector<float> topics_ = WallWorld::LogTopics();
};

// Each server counts a charge's instants by its own clock from its own act: whose clock is ahead
// tells nothing early, and whose is behind does not wait for an hour.
TEST_P(SkewedClocksTest, ReleasesComeAfterAnIntervalWhoeverIsAsked) {
  SecondServer second(world_, "killable/topicwall-server");
  StartBoth(second, shifted_);
  const auto here = world_.StubOf("alice"), there = second.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       WallWorld::Reserve(*there, world_.Plan(20, 6), RequestId(0, 1)));
  if (GetParam() > 0) {  // of one that is behind the ledger's time hides it
    ASSERT_GE(plan.reserved_at_ms(), absl::ToUnixMillis(absl::Now()) + kHourMs / 2)
        << "the second one's clock is not ahead";
  }
  for (int iteration = 1; iteration <= 4; ++iteration) {
    const auto& asked = iteration % 2 == 0 ? there : here;
    const auto& other = iteration % 2 == 0 ? here : there;
    const auto begin = steady_clock::now();
    std::thread looking([&] {
      while (!WallWorld::GetRelease(*other, plan.plan_id(), iteration).ok()) {
        if (steady_clock::now() > begin + std::chrono::minutes(10)) return;
        std::this_thread::sleep_for(milliseconds(10));
      }
      EXPECT_GE(steady_clock::now() - begin, kInterval) << "read at the other one";
    });
    EXPECT_OK(WallWorld::RunRelease(*asked, WallWorld::Header(plan.plan_id(), iteration, topics_),
                                    topics_));
    EXPECT_GE(steady_clock::now() - begin, kInterval);
    EXPECT_LT(steady_clock::now() - begin, std::chrono::minutes(10));
    looking.join();
  }
  // With the clocks as they are, and after a start, at which a server takes the ledger's time over.
  ExpectOneSoundLedger(second);
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  const auto again = world_.StubOf("alice");
  const auto begin = steady_clock::now();
  EXPECT_OK(WallWorld::RunRelease(*again, WallWorld::Header(plan.plan_id(), 5, topics_), topics_));
  EXPECT_GE(steady_clock::now() - begin, kInterval);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::minutes(10));
  ExpectOneSoundLedger(second);
}

// The same request at both at once, which the one that is ahead may take for abandoned: paid once,
// and the same bits wherever it is answered.
TEST_P(SkewedClocksTest, TheSameRequestAtBothIsPaidOnceAndHasTheSameBits) {
  SecondServer second(world_, "killable/topicwall-server");
  StartBoth(second, shifted_);
  ASSERT_OK_AND_ASSIGN(const auto plan, WallWorld::Reserve(*world_.StubOf("alice"),
                                                           world_.Plan(20, 1), RequestId(0, 1)));
  std::string statistics[2];
  std::vector<std::thread> clients;
  for (int side = 0; side < 2; ++side) {
    clients.emplace_back([&, side] {
      const auto stub = side == 0 ? world_.StubOnItsOwn("alice") : second.StubOf("alice");
      absl::StatusOr<Received> release;
      const auto deadline = steady_clock::now() + std::chrono::minutes(4);
      do {
        release =
            WallWorld::RunRelease(*stub, WallWorld::Header(plan.plan_id(), 1, topics_), topics_);
        if (!release.ok()) std::this_thread::sleep_for(milliseconds(50));
      } while (!release.ok() && steady_clock::now() < deadline);
      ASSERT_OK(release);
      statistics[side] = release->statistics;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(statistics[0], statistics[1]);
  ExpectOneSoundLedger(second);
}

INSTANTIATE_TEST_SUITE_P(Hours, SkewedClocksTest, ::testing::Values(-1, 1),
                         [](const auto& test) { return test.param < 0 ? "Behind" : "Ahead"; });

constexpr size_t kSmallDiskBytes = 192 << 20;

class DatabaseOnASmallDisk {
 protected:
  DatabaseOnASmallDisk() {
    if (!MayMount()) return;
    small_ = server_.folder() + "/small";
    server_.Stop();
    MountSmallDisk(small_, kSmallDiskBytes, "0755");
    const std::string data = server_.folder() + "/data";
    EXPECT_EQ(RunToEnd({"/bin/cp", "-a", data, small_}).exit_code, 0);
    fs::remove_all(data);
    fs::create_symlink(small_ + "/data", data);
    server_.Start();
  }
  ~DatabaseOnASmallDisk() {
    server_.Kill();
    UnmountSmallDisk(small_);
  }
  void Fill() { FillSmallDisk(small_); }
  void Free() {
    FreeSmallDisk(small_);
    server_.Start();  // where it has given up: it does not where only a table cannot grow
  }

  PostgresServer server_;
  std::string small_;
};

class FullDatabaseTest : protected DatabaseOnASmallDisk, public EnemiesTest {
 protected:
  FullDatabaseTest() : EnemiesTest({.epsilon = 10, .documents = 60}, server_) {}
};

TEST_F(FullDatabaseTest, IsUnavailableKeepsWhatItHasAndGoesOnWhenThereIsRoom) {
  if (!MayMount()) GTEST_SKIP() << "needs to mount a small disk";
  SecondServer second(world_);
  StartBoth(second);
  const v1::ReleaseSpec spec = world_.Plan(1000, 1);
  const std::unique_ptr<v1::PrivacyWall::Stub> stubs[] = {world_.StubOf("alice"),
                                                          second.StubOf("alice")};
  std::set<std::string> answered;
  const auto reserve = [&](int number) {
    auto plan = WallWorld::Reserve(*stubs[number % 2], spec, RequestId(0, number));
    if (plan.ok()) {
      EXPECT_TRUE(answered.insert(plan->plan_id()).second);
    }
    return plan.status();
  };
  int number = 0;
  for (; number < 10; ++number) ASSERT_OK(reserve(number));
  Fill();
  absl::Status refused;
  for (; number < 900 && refused.ok(); ++number) refused = reserve(number);
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(std::string(refused.message()), ::testing::HasSubstr("database"));
  EXPECT_OK(WallWorld::Budget(*stubs[0])) << "questions need no room";
  Free();
  absl::Status again = refused;
  for (int tries = 0; tries < 1200 && absl::IsUnavailable(again); ++tries) {
    std::this_thread::sleep_for(milliseconds(100));
    again = reserve(number - 1);  // the same request, at the same server
  }
  EXPECT_OK(again);
  EXPECT_OK(reserve(number));
  EXPECT_EQ(PlansOfAlice(), answered);
  ExpectOneSoundLedger(second);
}

}  // namespace enemies_test
}  // namespace topicwall::testing
