// A malicious gate that sends more than anybody may: those who come after it are answered, and what
// the vault takes has a bound that can be worked out from public limits.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/acts/act_flow.h"
#include "server/acts/act_server.h"
#include "tests/e2e/malicious_gate/acts.h"
#include "tests/e2e/malicious_gate/connection.h"
#include "tests/e2e/malicious_gate/seat.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

// What an act takes beside its parts: of its thread's stack what is touched, its number, its flow.
constexpr int64_t kActKib = 48;
// The allocator's arenas and its copies on the way.
constexpr int64_t kSlackKib = 64 << 10;
constexpr std::chrono::seconds kSoon{30};
constexpr int kMostActs = acts::ActServer::Limits{}.most_acts;

class MaliciousFloodTest : public ::testing::Test {
 protected:
  void SetUp() override {
    vault_ = world_.PidOf("topicwall-vault");
    ASSERT_NE(vault_, 0);
    before_kib_ = world_.VaultKib("VmHWM");
  }
  void TearDown() override { ExpectUnharmed(world_, vault_); }

  // Acts of a session that is over count until their threads have gone; until then there is no room
  // for another.
  void ExpectAnsweredAsEver() {
    const auto deadline = std::chrono::steady_clock::now() + kSoon;
    while (!Session(world_).Ask(DescribeAct(Analyst("alice"))).status.ok()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
    Session session(world_);
    const std::string plan_id = ReservePlan(session, SeatPlan(session, 20, 1), 'h');
    EXPECT_OK(session.Ask(RunAct(Analyst("alice"), plan_id, 1), TopicMessages()).status);
    EXPECT_EQ(ChargesIn(session), 1);
  }
  int64_t GrownKib() { return world_.VaultKib("VmHWM") - before_kib_; }

  SeatWorld world_;
  pid_t vault_ = 0;
  int64_t before_kib_ = 0;
};

TEST_F(MaliciousFloodTest, FiveThousandActsAtOnceAreTooManyAndLeaveNothingBehind) {
  {
    Session session(world_);
    for (int i = 0; i < 5000; ++i) {  // half of an act each
      session.Send(PartOf(session.next(), "half"));
      session.Skip();
    }
    EXPECT_TRUE(session.IsEnded()) << "beyond " << kMostActs;
  }
  ExpectAnsweredAsEver();
  EXPECT_LT(GrownKib(), kMostActs * kActKib + kSlackKib);
}

TEST_F(MaliciousFloodTest, FiveThousandQuestionsWithoutAReaderOfTheirAnswersHoldUpNobodyLater) {
  {
    Session session(world_);
    // The answers fill every buffer between, and then the vault's threads wait.
    std::thread asking([&session] {
      for (int i = 0; i < 5000; ++i) session.Begin(DescribeAct(Analyst("alice")));
    });
    asking.join();
  }
  ExpectAnsweredAsEver();
  EXPECT_LT(GrownKib(), kMostActs * kActKib + kSlackKib);
}

TEST_F(MaliciousFloodTest, HalfActsHoldAWindowEachAndGoWithTheirSession) {
  constexpr int kHalves = 100;
  constexpr int64_t kWindowKib = acts::kWindowBytes >> 10;
  const std::string most(acts::kWindowBytes - 4096, 'x');
  for (int session_number = 0; session_number < 3; ++session_number) {
    Session session(world_);
    for (int i = 0; i < kHalves; ++i) {
      session.Send(PartOf(session.next(), most));
      session.Skip();
    }
    // They have all arrived: this one comes after them.
    EXPECT_OK(session.Ask(DescribeAct(Analyst("alice"))).status);
  }
  ExpectAnsweredAsEver();
  // A part is held once, and is copied to its message: those of one session, not of three.
  EXPECT_LT(GrownKib(), 2 * kHalves * kWindowKib + kHalves * kActKib + kSlackKib);
}

// Acts that wait as long as the gate likes, each as long as a frame: the caller's name, which they
// do not need.
TEST_F(MaliciousFloodTest, WholeActsThatRunCountAsHeld) {
  constexpr int kWhole = 1500;
  constexpr int64_t kHeldKib = acts::ActServer::Limits{}.max_held_bytes >> 10;
  {
    Session session(world_);
    v1::Act act;
    act.mutable_await_move();
    const auto state = TheAnswer<v1::PublicState>(session, act);
    act.set_principal(std::string(acts::kWindowBytes - 4096, 'x'));
    act.mutable_await_move()->set_known_heads(state.heads());
    uint64_t last = 0;
    for (int i = 0; i < kWhole; ++i) last = session.Begin(act);
    EXPECT_TRUE(absl::IsResourceExhausted(session.Await(last).status));
  }
  ExpectAnsweredAsEver();
  EXPECT_LT(GrownKib(), kHeldKib + kWhole * kActKib + kSlackKib);
}

// Every act waits with a message at hand of those that it has for its reader: two hundred events,
// or a page of as many plans.
TEST_F(MaliciousFloodTest, AnswersThatNobodyReadsAreKeptOneMessageAnAct) {
  constexpr int kPlans = 200;
  constexpr int kReaders = 1000;  // of each kind
  int64_t longest_kib = 0;
  {
    Session session(world_);
    const v1::ReleaseSpec plan = SeatPlan(session, 1 << 20, 1);
    for (int i = 0; i < kPlans; ++i) {
      const std::string request_id = absl::StrCat(int64_t{1'000'000'000'000'000} + i);
      ASSERT_OK(session.Ask(ReserveAct(Analyst("alice"), plan, request_id)).status);
    }
    v1::Act list;
    list.set_principal(Analyst("alice"));
    list.mutable_list_plans();
    v1::Act read;
    read.set_principal(Auditor("ann"));
    read.mutable_read_ledger()->set_corpus("notes");
    for (const v1::Act& act : {list, read}) {
      const Answer answer = session.Ask(act);
      ASSERT_OK(answer.status);
      for (const std::string& message : answer.messages) {
        longest_kib = std::max(longest_kib, static_cast<int64_t>(message.size() >> 10) + 1);
      }
    }
    before_kib_ = world_.VaultKib("VmHWM");
    std::thread asking([&] {
      for (int i = 0; i < kReaders; ++i) {
        session.Begin(list);
        session.Begin(read);
      }
    });
    asking.join();
    const auto deadline = std::chrono::steady_clock::now() + kSoon;
    while (world_.VaultKib("Threads") < kReaders) {  // the others have found room in some buffer
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
  }
  ExpectAnsweredAsEver();
  EXPECT_LT(GrownKib(), 3 * kReaders * longest_kib + 2 * kReaders * kActKib + kSlackKib);
}

// A page of plans is no request.
TEST_F(MaliciousFloodTest, AnActIsNoLongerThanARequest) {
  Session session(world_);
  v1::Act act;
  act.mutable_get_limits();
  const auto limits = TheAnswer<v1::GateLimits>(session, act);
  const uint64_t number = session.next();
  session.Skip();
  const std::string part(acts::kWindowBytes / 2, 'x');
  int64_t left = limits.largest_message_bytes();
  for (; left >= static_cast<int64_t>(part.size()); left -= static_cast<int64_t>(part.size())) {
    session.Send(PartOf(number, part));
    ASSERT_TRUE(session.AwaitCredit(number));
  }
  session.Send(PartOf(number, part));
  EXPECT_TRUE(absl::IsInvalidArgument(session.Await(number).status));
}

// Far more than the vault may have open files.
TEST_F(MaliciousFloodTest, AnyNumberOfNewSessionsShutsOutNeitherTheCustodianNorTheNextGate) {
  const rlimit few{.rlim_cur = 100, .rlim_max = 100};
  ASSERT_EQ(prlimit(vault_, RLIMIT_NOFILE, &few, nullptr), 0);
  std::string plan_id;
  {
    Session session(world_);
    plan_id = ReservePlan(session, SeatPlan(session, 20, 1), 'c');
  }
  const int connection = ConnectToGate(world_.address(), 'n');
  for (int i = 0; i < 200; ++i) {
    char byte = 'n';
    ASSERT_EQ(send(connection, &byte, 1, MSG_NOSIGNAL), 1);
    ASSERT_EQ(recv(connection, &byte, 1, 0), 1) << i;
  }
  const Finished cancelled = world_.wall().Admin(
      {"cancel-plan", "--config", world_.wall().Path("wall.textproto"), "--plan", plan_id});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.output;
  close(connection);
  ExpectAnsweredAsEver();
}

}  // namespace
}  // namespace topicwall::testing
