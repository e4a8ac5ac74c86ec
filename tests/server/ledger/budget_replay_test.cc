// Each event by itself. That tables and replay agree after every act is checked by every
// Reopen() of the contract's tests.
#include "server/ledger/budget_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "server/ledger/policy_record.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using accountant::CostVector;
using testing::StatusIs;

class BudgetReplayTest : public ::testing::Test {
 protected:
  BudgetReplayTest() : orders_(testing::NotesPolicy().NothingSpent().size()) {
    EXPECT_OK(Do("", [](auto& event) {
      SetPolicy(RecordOf(testing::NotesBudget().policy), event.mutable_budget_opened());
    }));
    EXPECT_OK(Do("", [](auto& event) {
      event.mutable_corpus_joined()->set_corpus("notes");
      event.mutable_corpus_joined()->set_corpus_version("v");
    }));
  }

  absl::Status Do(const std::string& principal, const std::function<void(v1::LedgerEvent&)>& act) {
    v1::LedgerEvent event;
    event.set_sequence(++sequence_);
    event.set_time_ms(1000 * sequence_);
    event.set_principal(principal);
    act(event);
    return replay_.Apply(event);
  }

  absl::Status Reserve(const std::string& principal, const std::string& id, int iterations) {
    return Do(principal, [&](auto& event) {
      auto& act = *event.mutable_plan_reserved();
      act.set_plan_id(id);
      act.set_corpus_version("v");
      act.set_iterations(iterations);
      for (std::size_t i = 0; i < orders_; ++i) act.add_cost(10);
    });
  }
  absl::Status Charge(const std::string& principal, const std::string& id, int iteration) {
    return Do(principal, [&](auto& event) {
      event.mutable_iteration_charged()->set_plan_id(id);
      event.mutable_iteration_charged()->set_iteration(iteration);
    });
  }
  absl::Status Publish(const std::string& id, int iteration, int waited) {
    return Do("alice", [&](auto& event) {
      event.mutable_release_published()->set_plan_id(id);
      event.mutable_release_published()->set_iteration(iteration);
      event.mutable_release_published()->set_intervals_waited(waited);
    });
  }
  absl::Status Cancel(const std::string& id, int returned) {
    return Do("alice", [&](auto& event) {
      event.mutable_plan_cancelled()->set_plan_id(id);
      event.mutable_plan_cancelled()->set_iterations_returned(returned);
    });
  }
  absl::Status Acknowledge(int64_t overruns) {
    return Do("", [&](auto& event) {
      event.mutable_overruns_acknowledged()->set_overruns(overruns);
      event.mutable_overruns_acknowledged()->set_corpus_version("v");
    });
  }
  absl::Status Restored() {
    return Do("", [](auto& event) { event.mutable_budget_restored()->set_epoch(2); });
  }
  absl::Status Thawed(v1::BudgetThawed::Ground ground) {
    return Do("", [=](auto& event) { event.mutable_budget_thawed()->set_ground(ground); });
  }

  CostVector All(uint64_t cost) const { return CostVector(orders_, cost); }
  const BudgetPicture& picture() const { return replay_.picture(); }
  const PlanPicture& plan(const std::string& id) const { return picture().plans.at(id); }

  std::size_t orders_;
  int64_t sequence_ = 0;
  BudgetReplay replay_;
};

TEST_F(BudgetReplayTest, PlansAddToTheBudgetAndToTheirAnalyst) {
  ASSERT_OK(Reserve("alice", "p", 3));
  ASSERT_OK(Reserve("bob", "q", 2));
  EXPECT_EQ(picture().spent, All(50));
  EXPECT_EQ(picture().analyst_spent.at("alice"), All(30));
  EXPECT_EQ(picture().analyst_spent.at("bob"), All(20));
}

TEST_F(BudgetReplayTest, ACancelReturnsWhatWasNotChargedAndNoOtherNumber) {
  ASSERT_OK(Reserve("alice", "p", 3));
  ASSERT_OK(Charge("alice", "p", 2));
  BudgetReplay before = replay_;
  EXPECT_THAT(Cancel("p", 3), StatusIs(absl::StatusCode::kDataLoss));
  replay_ = before;
  EXPECT_THAT(Cancel("p", 1), StatusIs(absl::StatusCode::kDataLoss));
  replay_ = before;
  ASSERT_OK(Cancel("p", 2));
  EXPECT_EQ(picture().spent, All(10));
  EXPECT_EQ(plan("p").reserved_iterations, 1);
  EXPECT_THAT(Cancel("p", 0), StatusIs(absl::StatusCode::kDataLoss)) << "twice";
}

TEST_F(BudgetReplayTest, OverrunsAreCountedAndAcknowledgedAsTheyWereCounted) {
  ASSERT_OK(Reserve("alice", "p", 5));
  for (int iteration = 1; iteration <= 4; ++iteration) {
    ASSERT_OK(Charge("alice", "p", iteration));
    ASSERT_OK(Publish("p", iteration, iteration % 3));
  }
  EXPECT_EQ(picture().corpora.at("v").overruns, 1);
  ASSERT_OK(Acknowledge(1));
  EXPECT_EQ(picture().corpora.at("v").acknowledged, 1);
  EXPECT_THAT(Acknowledge(2), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(BudgetReplayTest, ARestoreClosesEveryPlanForGood) {
  ASSERT_OK(Reserve("alice", "p", 5));
  ASSERT_OK(Charge("alice", "p", 1));
  ASSERT_OK(Restored());
  EXPECT_EQ(picture().restored_at, sequence_);
  EXPECT_EQ(plan("p").state, v1::PlanState::PAUSED);
  // Taken over from an export while frozen:
  ASSERT_OK(Charge("alice", "p", 2));
  ASSERT_OK(Reserve("bob", "q", 2));
  EXPECT_EQ(plan("q").state, v1::PlanState::PAUSED);
  ASSERT_OK(Thawed(v1::BudgetThawed::EVENTS_APPENDED));
  EXPECT_EQ(picture().restored_at, 0);
  EXPECT_EQ(picture().spent, All(70));
  ASSERT_OK(Cancel("p", 0));
  EXPECT_EQ(picture().spent, All(70));
  EXPECT_THAT(Charge("bob", "q", 1), StatusIs(absl::StatusCode::kDataLoss)) << "paused";
}

TEST_F(BudgetReplayTest, ForfeitingKillsEveryOrder) {
  ASSERT_OK(Reserve("alice", "p", 5));
  ASSERT_OK(Restored());
  ASSERT_OK(Thawed(v1::BudgetThawed::FORFEITED));
  EXPECT_EQ(picture().spent, All(accountant::kDeadOrder));
}

TEST_F(BudgetReplayTest, ActsThatCannotHaveHappenedAreRefused) {
  ASSERT_OK(Reserve("alice", "p", 3));
  ASSERT_OK(Charge("alice", "p", 1));
  ASSERT_OK(Publish("p", 1, 1));
  const BudgetReplay before = replay_;
  const std::vector<std::function<absl::Status()>> impossible = {
      [&] { return Reserve("alice", "p", 3); },
      [&] { return Reserve("", "q", 3); },
      [&] { return Reserve("alice", "q", 0); },
      [&] { return Charge("alice", "p", 1); },
      [&] { return Charge("alice", "p", 0); },
      [&] { return Charge("alice", "p", 4); },
      [&] { return Charge("bob", "p", 2); },
      [&] { return Charge("alice", "q", 1); },
      [&] { return Publish("p", 1, 1); },
      [&] { return Publish("p", 2, 1); },
      [&] { return Thawed(v1::BudgetThawed::HEAD_CONFIRMED); },
      [&] { return Do("", [](auto& event) { event.mutable_budget_opened(); }); },
      [&] {
        return Do("", [](auto& event) { event.mutable_corpus_joined()->set_corpus_version("v"); });
      },
      [&] {
        return Do("alice", [](auto& event) { event.mutable_plan_paused()->set_plan_id("q"); });
      },
      [&] { return Do("", [](auto&) {}); },
  };
  for (std::size_t i = 0; i < impossible.size(); ++i) {
    EXPECT_THAT(impossible[i](), StatusIs(absl::StatusCode::kDataLoss)) << i;
    replay_ = before;
  }
  BudgetReplay headless;
  v1::LedgerEvent joined;
  joined.mutable_corpus_joined();
  EXPECT_THAT(headless.Apply(joined), StatusIs(absl::StatusCode::kDataLoss));
}

// A budget of vouchers, (40, 1) × 6 and (20, 1) × 4.
class InventoryReplayTest : public ::testing::Test {
 protected:
  InventoryReplayTest() {
    EXPECT_OK(Do([](auto& event) {
      SetPolicy(RecordOf(testing::LettersBudget().policy), event.mutable_budget_opened());
    }));
    EXPECT_OK(Do([](auto& event) {
      event.mutable_corpus_joined()->set_corpus("letters");
      event.mutable_corpus_joined()->set_corpus_version("v");
    }));
  }

  absl::Status Do(const std::function<void(v1::LedgerEvent&)>& act) {
    v1::LedgerEvent event;
    event.set_sequence(++sequence_);
    act(event);
    return replay_.Apply(event);
  }

  absl::Status Reserve(double sigma, int iterations, const CostVector& drawn) {
    return Do([&](auto& event) {
      event.set_principal("alice");
      auto& act = *event.mutable_plan_reserved();
      act.set_plan_id("p");
      act.set_corpus_version("v");
      act.set_sampling_rate(1);
      act.set_noise_multiplier(sigma);
      act.set_iterations(iterations);
      act.mutable_cost()->Assign(drawn.begin(), drawn.end());
    });
  }

  int64_t sequence_ = 0;
  BudgetReplay replay_;
};

TEST_F(InventoryReplayTest, ACancelReturnsAllVouchersButTheFirstCharged) {
  ASSERT_OK(Reserve(40, 8, {6, 2}));
  EXPECT_EQ(replay_.picture().spent, (CostVector{6, 2}));
  for (int iteration = 1; iteration <= 7; iteration += 2) {
    ASSERT_OK(Do([&](auto& event) {
      event.set_principal("alice");
      event.mutable_iteration_charged()->set_plan_id("p");
      event.mutable_iteration_charged()->set_iteration(iteration);
    }));
  }
  ASSERT_OK(Do([&](auto& event) {
    event.set_principal("alice");
    event.mutable_plan_cancelled()->set_plan_id("p");
    event.mutable_plan_cancelled()->set_iterations_returned(4);
  }));
  EXPECT_EQ(replay_.picture().spent, (CostVector{4, 0}));
  EXPECT_EQ(replay_.picture().analyst_spent.at("alice"), (CostVector{4, 0}));
}

TEST_F(InventoryReplayTest, VouchersThatDoNotPayForTheirPlanCannotHaveBeenDrawn) {
  const BudgetReplay before = replay_;
  for (const CostVector& drawn :
       {CostVector{3, 0}, {0, 2}, {0, 4}, {1, 2}, {3}, {}, {accountant::kDeadOrder, 4}}) {
    EXPECT_THAT(Reserve(20, 3, drawn), StatusIs(absl::StatusCode::kDataLoss));
    replay_ = before;
  }
  EXPECT_THAT(Reserve(0, 3, {0, 3}), StatusIs(absl::StatusCode::kDataLoss));
  replay_ = before;
  EXPECT_OK(Reserve(20, 3, {0, 3}));
}

}  // namespace
}  // namespace topicwall::ledger
