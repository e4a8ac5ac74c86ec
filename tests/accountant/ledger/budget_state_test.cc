// Each event by itself: what it does, and where it is refused. That the fold agrees with the tables
// of a ledger after random acts is shown by tests/server/ledger/random_acts_test.cc.
#include "accountant/ledger/budget_state.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using testing::Describe;
using testing::StatusIs;

class BudgetStateTest : public ::testing::Test {
 protected:
  BudgetStateTest() {
    fold_.Open("b", "notes");
    EXPECT_OK(fold_.Do(ReserveOf("alice", "p", "notes", 3)));
  }

  // An event that Decide would not have said here is refused, and nothing is changed.
  void ExpectRefused(const std::function<void(v1::LedgerEvent&)>& act) {
    v1::LedgerEvent event;
    event.set_time_ms(9000);
    act(event);
    const std::string before = Describe(fold_.state());
    BudgetState budget = fold_.budget("b");
    EXPECT_THAT(budget.Apply(fold_.Next("b", event)), StatusIs(absl::StatusCode::kDataLoss))
        << event.ShortDebugString();
    EXPECT_EQ(Describe(budget), Describe(fold_.budget("b")));
  }
  void ExpectChargeRefused(const std::string& principal, const std::string& plan, int iteration) {
    ExpectRefused([&](v1::LedgerEvent& event) {
      event.set_principal(principal);
      event.mutable_iteration_charged()->set_plan_id(plan);
      event.mutable_iteration_charged()->set_iteration(iteration);
    });
  }
  void ExpectCancelRefused(int returned, bool expired = false) {
    ExpectRefused([&](v1::LedgerEvent& event) {
      event.set_principal("alice");
      event.mutable_plan_cancelled()->set_plan_id("p");
      event.mutable_plan_cancelled()->set_iterations_returned(returned);
      event.mutable_plan_cancelled()->set_expired(expired);
    });
  }
  void ExpectPublishRefused(int iteration) {
    ExpectRefused([&](v1::LedgerEvent& event) {
      event.set_principal("alice");
      event.mutable_release_published()->set_plan_id("p");
      event.mutable_release_published()->set_iteration(iteration);
    });
  }
  void ExpectVoidRefused(int iteration, v1::ReleaseVoided::Ground ground) {
    ExpectRefused([&](v1::LedgerEvent& event) {
      event.set_principal("alice");
      event.mutable_release_voided()->set_plan_id("p");
      event.mutable_release_voided()->set_iteration(iteration);
      event.mutable_release_voided()->set_ground(ground);
    });
  }
  void ExpectReserveRefused(const std::function<void(v1::LedgerEvent&)>& change) {
    ASSERT_OK_AND_ASSIGN(const auto decided,
                         Decide(fold_.state(), ReserveOf("bob", "q", "notes", 2)));
    v1::LedgerEvent event = decided.events.front();
    BudgetState budget = fold_.budget("b");
    ASSERT_OK(budget.Apply(fold_.Next("b", event))) << "as it was decided";
    change(event);
    ExpectRefused([&](v1::LedgerEvent& changed) { changed = event; });
  }

  FoldForTests fold_;
};

TEST_F(BudgetStateTest, AChainBeginsWithItsOpeningAndHasNoOther) {
  BudgetState state;
  EXPECT_THAT(state.Apply(fold_.chain("b")[1]), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(state.length(), 0);
  ASSERT_OK(state.Apply(fold_.chain("b")[0]));
  EXPECT_EQ(state.budget_id(), "b");
  EXPECT_EQ(state.signing_key(), std::string(32, 'k'));
  ExpectRefused([&](v1::LedgerEvent& event) {
    *event.mutable_budget_opened() = fold_.budget("b").opening();
  });
}

TEST_F(BudgetStateTest, EntriesOutOfPlaceEditedHiddenOrOfAnotherBudgetAreRefused) {
  BudgetState state = fold_.budget("b");
  const std::string before = Describe(state);
  const v1::LedgerEntry last = fold_.chain("b").back();
  EXPECT_THAT(state.Apply(last), StatusIs(absl::StatusCode::kDataLoss)) << "again";
  BudgetState shorter = fold_.Prefix("b", static_cast<int64_t>(fold_.chain("b").size()) - 1);
  for (const auto& edit : std::vector<std::function<void(v1::LedgerEntry&)>>{
           [](auto& entry) { entry.mutable_event()->back() ^= 1; },
           [](auto& entry) { entry.mutable_salt()->back() ^= 1; },
           [](auto& entry) { entry.mutable_head()->back() ^= 1; },
           [](auto& entry) { entry.set_sequence(entry.sequence() + 1); },
           [](auto& entry) {
             entry.clear_event();
             entry.clear_salt();
           }}) {
    v1::LedgerEntry edited = last;
    edit(edited);
    BudgetState copy = shorter;
    EXPECT_THAT(copy.Apply(edited), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_EQ(Describe(copy), Describe(shorter));
  }
  ASSERT_OK(shorter.Apply(last));
  EXPECT_EQ(Describe(shorter), before);
  ExpectRefused([](v1::LedgerEvent& event) {
    event.set_budget_id("another");
    event.mutable_corpus_joined()->set_corpus_version("new");
  });
  ExpectRefused([](v1::LedgerEvent&) {});
}

TEST_F(BudgetStateTest, PlansAddToTheBudgetAndToTheirAnalyst) {
  const CostVector alices = fold_.budget("b").spent();
  EXPECT_EQ(fold_.budget("b").SpentBy("alice"), alices);
  ASSERT_OK(fold_.Do(ReserveOf("bob", "q", "notes", 6)));
  const CostVector bobs = fold_.budget("b").SpentBy("bob");
  for (size_t i = 0; i < alices.size(); ++i) {
    EXPECT_EQ(bobs[i], 2 * alices[i]);
    EXPECT_EQ(fold_.budget("b").spent()[i], 3 * alices[i]);
  }
  EXPECT_EQ(fold_.budget("b").SpentBy("carol"), fold_.budget("b").policy().NothingSpent());
  ASSERT_OK(fold_.Do(ReserveOf("alice", "r", "notes", 3)));
  EXPECT_EQ(fold_.budget("b").SpentBy("alice"), bobs) << "of both her plans";
}

TEST_F(BudgetStateTest, AReservationNeedsACorpusAnOwnerAnIdOfItsOwnAndAPossibleCost) {
  ExpectReserveRefused([](auto& event) { event.mutable_plan_reserved()->set_plan_id("p"); });
  ExpectReserveRefused([](auto& event) { event.clear_principal(); });
  ExpectReserveRefused([](auto& event) {
    event.mutable_plan_reserved()->mutable_spec()->set_corpus_version("unknown");
  });
  ExpectReserveRefused(
      [](auto& event) { event.mutable_plan_reserved()->mutable_spec()->set_iterations(0); });
  ExpectReserveRefused([](auto& event) { event.mutable_plan_reserved()->add_cost(1); });
  ExpectReserveRefused(
      [](auto& event) { event.mutable_plan_reserved()->mutable_spec()->set_sampling_rate(2); });
}

TEST_F(BudgetStateTest, ACancelReturnsWhatWasNotChargedAndNoOtherNumber) {
  const CostVector three = fold_.budget("b").spent();
  ASSERT_OK(fold_.Do(ReserveOf("bob", "q", "notes", 6)));
  const CostVector bobs = fold_.budget("b").SpentBy("bob");
  ASSERT_OK(fold_.Do(ChargeOf("alice", "p", 2)));
  ExpectCancelRefused(3);
  ExpectCancelRefused(1);
  ExpectCancelRefused(2, /*expired=*/true);
  ASSERT_OK(fold_.Do(CancelAct{.plan_id = "p", .now_ms = 4000, .principal = "alice"}));
  const CostVector alices = fold_.budget("b").SpentBy("alice");
  for (size_t i = 0; i < three.size(); ++i) {
    EXPECT_EQ(3 * alices[i], three[i]);
    EXPECT_EQ(fold_.budget("b").spent()[i], alices[i] + bobs[i]);
  }
  EXPECT_EQ(fold_.budget("b").SpentBy("bob"), bobs);
  EXPECT_EQ(fold_.plan("p").reserved_iterations, 1);
  EXPECT_EQ(fold_.budget("b").ReleasesReserved().at("alice"), 1);
  ExpectCancelRefused(0);
  ExpectChargeRefused("alice", "p", 1);
}

TEST_F(BudgetStateTest, AnIterationIsChargedOnceToItsOwnActivePlan) {
  ASSERT_OK(fold_.Do(ChargeOf("alice", "p", 1)));
  ExpectChargeRefused("alice", "p", 1);
  ExpectChargeRefused("bob", "p", 2);
  ExpectChargeRefused("alice", "q", 2);
  ExpectChargeRefused("alice", "p", 0);
  ExpectChargeRefused("alice", "p", 4);
  EXPECT_EQ(fold_.plan("p").charges.at(1).sequence, fold_.budget("b").length());
}

TEST_F(BudgetStateTest, AnIterationEndsOnce) {
  ExpectPublishRefused(1);
  ExpectVoidRefused(1, v1::ReleaseVoided::FAILED);
  ASSERT_OK(fold_.Do(ChargeOf("alice", "p", 1)));
  ASSERT_OK(fold_.Do(ChargeOf("alice", "p", 2)));
  ExpectVoidRefused(2, v1::ReleaseVoided::GROUND_UNSPECIFIED);
  ASSERT_OK(fold_.Do(PublishOf("p", 1)));
  ExpectPublishRefused(1);
  ExpectVoidRefused(1, v1::ReleaseVoided::FAILED);
  ASSERT_OK(fold_.Do(VoidAct{{.plan_id = "p",
                              .iteration = 2,
                              .charge_id = fold_.plan("p").charges.at(2).sequence,
                              .ground = v1::ReleaseVoided::UNREADABLE_DATA,
                              .at_ms = 9000},
                             kKeyKept}));
  ExpectPublishRefused(2);
  ExpectVoidRefused(2, v1::ReleaseVoided::FAILED);
}

TEST_F(BudgetStateTest, ActsOfTheCustodianHaveNoPrincipal) {
  ExpectRefused([](v1::LedgerEvent& event) {
    event.set_principal("alice");
    event.mutable_corpus_joined()->set_corpus_version("new");
  });
}

TEST_F(BudgetStateTest, OverrunsAreAcknowledgedAsTheyWereCounted) {
  for (int iteration = 1; iteration <= 3; ++iteration) {
    ASSERT_OK(fold_.Do(ChargeOf("alice", "p", iteration)));
    ASSERT_OK(fold_.Do(PublishOf("p", iteration, /*waited=*/iteration - 1)));
  }
  const Corpus& corpus = *fold_.budget("b").FindCorpus(VersionOf("notes"));
  EXPECT_EQ(corpus.overruns, 1);
  ExpectRefused([&](v1::LedgerEvent& event) {
    event.mutable_overruns_acknowledged()->set_corpus_version(VersionOf("notes"));
    event.mutable_overruns_acknowledged()->set_overruns(2);
  });
  ASSERT_OK(fold_.Do(AcknowledgeAct{.corpus_version = VersionOf("notes"), .now_ms = 9000}));
  EXPECT_EQ(fold_.budget("b").FindCorpus(VersionOf("notes"))->unacknowledged(), 0);
}

TEST_F(BudgetStateTest, WhoAcknowledgesHasSeenVoidedReleasesToo) {
  ASSERT_OK(fold_.Do(ChargeOf("alice", "p", 1)));
  const int64_t charge = fold_.budget("b").length();
  ASSERT_OK(fold_.Do(VoidAct{{.plan_id = "p",
                              .iteration = 1,
                              .charge_id = charge,
                              .ground = v1::ReleaseVoided::FAILED,
                              .at_ms = 9000},
                             kKeyKept}));
  EXPECT_EQ(fold_.budget("b").FindCorpus(VersionOf("notes"))->unacknowledged(), 1);
  ASSERT_OK(fold_.Do(AcknowledgeAct{.corpus_version = VersionOf("notes"), .now_ms = 9000}));
  EXPECT_EQ(fold_.budget("b").FindCorpus(VersionOf("notes"))->unacknowledged(), 0);
}

TEST_F(BudgetStateTest, ARestoreEndsEveryPlanAndAThawNeedsOne) {
  ExpectRefused([](v1::LedgerEvent& event) {
    event.mutable_budget_thawed()->set_ground(v1::BudgetThawed::FORFEITED);
  });
  const std::string head = fold_.budget("b").head();
  const int64_t length = fold_.budget("b").length();
  fold_.Append(Decide(fold_.state(), RestoreAct{.epoch = 2, .now_ms = 5000}));
  ASSERT_TRUE(fold_.budget("b").frozen());
  EXPECT_EQ(fold_.budget("b").freeze()->backup_head, head);
  EXPECT_EQ(fold_.budget("b").freeze()->head, fold_.budget("b").head());
  EXPECT_EQ(fold_.budget("b").freeze()->sequence, length + 1);
  EXPECT_EQ(fold_.plan("p").state, v1::PlanState::PAUSED);
  EXPECT_EQ(fold_.plan("p").Returnable(), 0);
  ExpectCancelRefused(0);
  ExpectRefused([](v1::LedgerEvent& event) { event.mutable_budget_thawed(); });
  ASSERT_OK(fold_.Do(ForfeitAct{.budget_id = "b", .now_ms = 6000}));
  EXPECT_FALSE(fold_.budget("b").frozen());
  EXPECT_EQ(fold_.budget("b").spent(), fold_.budget("b").policy().EverythingSpent());
  ASSERT_EQ(fold_.budget("b").restorations().size(), 1);
  EXPECT_EQ(fold_.budget("b").restorations()[0].thawed_at_ms, 6000);
}

TEST_F(BudgetStateTest, ASumIsNeverLessThanTheBudgetsOwnPromise) {
  ExpectRefused([](v1::LedgerEvent& event) {
    event.mutable_budgets_summed()->mutable_sum()->set_epsilon(2.43);
    event.mutable_budgets_summed()->mutable_sum()->set_delta(1e-6);
  });
  ExpectRefused([](v1::LedgerEvent& event) {
    event.mutable_budgets_summed()->mutable_sum()->set_epsilon(2.44);
    event.mutable_budgets_summed()->mutable_sum()->set_delta(0.9e-6);
  });
  EXPECT_EQ(fold_.budget("b").sum().epsilon(), 2.44);
}

TEST_F(BudgetStateTest, VouchersMustPayForTheirPlan) {
  OpenAct open = OpenOf("v", "letters");
  open.policy = SixVouchers();
  ASSERT_OK(fold_.Do(open));
  ASSERT_OK_AND_ASSIGN(const auto decided,
                       Decide(fold_.state(), ReserveOf("bob", "q", "letters", 2)));
  v1::LedgerEvent event = decided.events.front();
  ASSERT_EQ(event.plan_reserved().cost_size(), 1);
  EXPECT_EQ(event.plan_reserved().cost(0), 2);
  event.mutable_plan_reserved()->set_cost(0, 1);
  BudgetState budget = fold_.budget("v");
  EXPECT_THAT(budget.Apply(fold_.Next("v", event)), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(BudgetState, ItsLastTimeIsTheLatestOfItsEventsInWhateverOrderTheyCame) {
  FoldForTests fold;
  fold.Open("b", "notes");
  ASSERT_OK(fold.Do(ReserveOf("alice", "p", "notes", 3)));
  ASSERT_OK(fold.Do(ChargeOf("alice", "p", 1)));  // at 3000
  ASSERT_OK(fold.Do(ReserveOf("bob", "q", "notes", 3)));
  EXPECT_EQ(fold.budget("b").last_time_ms(), 3000) << "the reservation was asked for at 2000";
}

}  // namespace
}  // namespace topicwall::accountant::ledger
