#include "server/gate/public_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using topicwall::testing::StatusIs;

class Caller final : public acts::ActStream {
 public:
  bool Read(std::string*) override { return false; }
  bool Write(absl::string_view message) override {
    if (gone) return false;
    messages.emplace_back(message);
    return true;
  }
  bool IsCancelled() const override { return gone; }

  std::vector<std::string> messages;
  bool gone = false;
};

// Counts what reaches it, and answers with what the test says.
class CountingVault final : public acts::ActHandler {
 public:
  absl::Status Handle(const v1::Act& act, acts::ActStream& stream) override {
    if (act.has_await_move()) return AwaitMove(act.await_move().known_heads(), stream);
    ++handled;
    if (before_answer) before_answer(act);
    for (const std::string& message : answer) {
      if (!stream.Write(message)) return absl::CancelledError("gone");
    }
    return status;
  }
  void Drain() override {}
  void Interrupt() override {}

  void Move(const std::string& heads) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    heads_ = heads;
  }
  // The gate has heard of the last move: it asks for what follows.
  void AwaitHeard() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const auto heard = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return known_ == heads_; };
    mutex_.Await(absl::Condition(&heard));
  }

  std::atomic<int> handled = 0;
  std::vector<std::string> answer = {"one", "", "two"};
  absl::Status status;
  std::function<void(const v1::Act&)> before_answer;

 private:
  absl::Status AwaitMove(const std::string& known, acts::ActStream& stream)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    known_ = known;
    const auto moved = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return heads_ != known; };
    while (!mutex_.AwaitWithTimeout(absl::Condition(&moved), absl::Milliseconds(5))) {
      if (stream.IsCancelled()) return absl::CancelledError("gone");
    }
    v1::PublicState state;
    state.set_heads(heads_);
    stream.Write(state.SerializeAsString());
    return absl::OkStatus();
  }

  absl::Mutex mutex_;
  std::string heads_ ABSL_GUARDED_BY(mutex_) = "at first";
  std::string known_ ABSL_GUARDED_BY(mutex_);
};

v1::Act BudgetOf(const std::string& principal) {
  v1::Act act;
  act.set_principal(principal);
  act.mutable_get_budget()->set_corpus("notes");
  return act;
}

v1::Act CancelOf(const std::string& principal) {
  v1::Act act;
  act.set_principal(principal);
  act.mutable_cancel_plan()->set_plan_id("plan");
  return act;
}

class PublicAnswersTest : public ::testing::Test {
 protected:
  PublicAnswersTest() { vault_.AwaitHeard(); }

  std::vector<std::string> Ask(const v1::Act& act) {
    Caller caller;
    EXPECT_OK(answers_.Handle(act, caller));
    return caller.messages;
  }

  CountingVault vault_;
  PublicAnswers answers_{vault_};
};

TEST_F(PublicAnswersTest, AQuestionAskedAgainReachesTheVaultOnceAndHasTheSameAnswer) {
  EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("one", "", "two"));
  vault_.answer = {"another"};
  EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("one", "", "two"));
  EXPECT_EQ(vault_.handled, 1);
}

TEST_F(PublicAnswersTest, WhatOnePrincipalWasToldIsToldToNoOther) {
  Ask(BudgetOf("alice"));
  vault_.answer = {"bob's"};
  EXPECT_THAT(Ask(BudgetOf("bob")), ElementsAre("bob's"));
  v1::Act with_plan = BudgetOf("alice");
  with_plan.mutable_get_budget()->mutable_reference_plan()->set_iterations(1);
  vault_.answer = {"of a plan"};
  EXPECT_THAT(Ask(with_plan), ElementsAre("of a plan"));
}

TEST_F(PublicAnswersTest, AfterAMoveOfTheChainsTheVaultIsAskedAgain) {
  Ask(BudgetOf("alice"));
  vault_.answer = {"after"};
  vault_.Move("later");
  vault_.AwaitHeard();
  EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("after"));
}

// The vault's word of the move may come later.
TEST_F(PublicAnswersTest, WhoeverActedIsToldWhatCameOfIt) {
  Ask(BudgetOf("alice"));
  vault_.status = absl::FailedPreconditionError("even a refused act may move them");
  Caller caller;
  EXPECT_THAT(answers_.Handle(CancelOf("bob"), caller),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  vault_.status = absl::OkStatus();
  vault_.answer = {"after"};
  EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("after"));
}

TEST_F(PublicAnswersTest, AnActIsNeverAnsweredFromMemory) {
  Ask(CancelOf("alice"));
  Ask(CancelOf("alice"));
  EXPECT_EQ(vault_.handled, 2);
}

// It was worked out before the act, and comes after the act's end.
TEST_F(PublicAnswersTest, AnAnswerThatAnActOvertookIsNotGivenAgain) {
  absl::Notification asked, overtaken;
  vault_.before_answer = [&](const v1::Act& act) {
    if (!act.has_get_budget()) return;
    asked.Notify();
    overtaken.WaitForNotification();
  };
  std::thread question([&] { EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("one", "", "two")); });
  asked.WaitForNotification();
  Ask(CancelOf("bob"));
  overtaken.Notify();
  question.join();
  vault_.before_answer = nullptr;
  vault_.answer = {"after"};
  EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("after"));
}

TEST_F(PublicAnswersTest, ARefusalIsNotKept) {
  vault_.answer = {};
  vault_.status = absl::UnavailableError("too many wait");
  Caller caller;
  EXPECT_THAT(answers_.Handle(BudgetOf("alice"), caller), StatusIs(absl::StatusCode::kUnavailable));
  vault_.answer = {"then"};
  vault_.status = absl::OkStatus();
  EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("then"));
}

TEST_F(PublicAnswersTest, AnAnswerThatWasCutOffIsNotKept) {
  Caller caller;
  caller.gone = true;
  EXPECT_THAT(answers_.Handle(BudgetOf("alice"), caller), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(caller.messages, IsEmpty());
  EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("one", "", "two"));
  caller.gone = true;
  EXPECT_THAT(answers_.Handle(BudgetOf("alice"), caller), StatusIs(absl::StatusCode::kCancelled));
}

TEST_F(PublicAnswersTest, ALongAnswerMakesNobodyElsesGo) {
  Ask(BudgetOf("alice"));
  vault_.answer.assign(64, std::string(PublicAnswers::kMostBytes / 16, 'x'));
  EXPECT_EQ(Ask(BudgetOf("bob")).size(), 64);
  EXPECT_THAT(Ask(BudgetOf("alice")), ElementsAre("one", "", "two"));
  Ask(BudgetOf("bob"));
  EXPECT_EQ(vault_.handled, 3);
}

}  // namespace
}  // namespace topicwall::server
