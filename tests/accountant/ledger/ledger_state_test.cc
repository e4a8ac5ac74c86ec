// What holds after any acts whatever: random ones, in memory.
#include "accountant/ledger/ledger_state.h"

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <random>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/budget_sums.h"
#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using testing::Describe;
using testing::StatusIs;

class RandomFold {
 public:
  explicit RandomFold(uint32_t seed) : random_(seed) {
    fold_.Open("first", "notes");
    OpenAct vouchers = OpenOf("vouchers", "letters");
    vouchers.policy = SixVouchers();
    EXPECT_OK(fold_.Do(vouchers));
    EXPECT_OK(fold_.Do(JoinAct{.budget_id = "first",
                               .corpus = "more",
                               .corpus_version = VersionOf("more"),
                               .now_ms = 1000}));
  }

  FoldForTests& fold() { return fold_; }
  int64_t Below(int64_t end) { return static_cast<int64_t>(random_() % end); }

  // One act, with what it kept in the private table. Its events, none if it was refused.
  Events Act() {
    now_ms_ += Below(1000);
    const std::string plan = absl::StrCat("p", Below(plans_ + 1));
    const int iteration = static_cast<int>(1 + Below(4));
    switch (Below(12)) {
      case 0:
      case 1:
        return Reserve();
      case 2:
      case 3:
      case 4:
        return Charge(plan, iteration);
      case 5:
      case 6:
        return Publish(plan, iteration);
      case 7:
        return Void(plan, iteration);
      case 8:
        return Done(CancelAct{.plan_id = plan, .now_ms = now_ms_, .principal = {}});
      case 9:
        return Done(AcknowledgeAct{.corpus_version = VersionOf(AnyCorpus()), .now_ms = now_ms_});
      case 10:
        return Done(ExpireAct{.reservation_days = {{AnyCorpus(), static_cast<int>(Below(2))}},
                              .now_ms = now_ms_});
      default:
        return Below(8) == 0 ? RestoreAndThaw() : Reserve();
    }
  }

 private:
  template <typename Act>
  Events Done(const Act& act) {
    const absl::StatusOr<Events> decided = Decide(fold_.state(), act);
    if (!decided.ok()) return {};
    fold_.Append(*decided);
    return *decided;
  }
  std::string AnyCorpus() { return std::vector<std::string>{"notes", "letters", "more"}[Below(3)]; }

  Events Reserve() {
    const std::string principal = Below(2) == 0 ? "alice" : "bob";
    ReserveAct act = ReserveOf(principal, absl::StrCat("p", plans_ + 1), AnyCorpus(),
                               static_cast<int>(1 + Below(4)), Below(2) == 0 ? 60 : 200);
    act.now_ms = now_ms_;
    const absl::StatusOr<ReserveDecision> decided = Decide(fold_.state(), act);
    if (!decided.ok() || decided->events.empty()) return {};
    fold_.Append(decided->events);
    ++plans_;
    return decided->events;
  }
  Events Charge(const std::string& plan, int iteration) {
    const BudgetState* budget = fold_.state().WithPlan(plan);
    if (budget == nullptr) return {};
    const auto decided = Decide(
        fold_.state(), ChargeOf(budget->FindPlan(plan)->principal, plan, iteration, kKeyKept));
    if (!decided.ok()) return {};
    fold_.Append(decided->events);
    return decided->events;
  }
  Events Publish(const std::string& plan, int iteration) {
    return Done(PublishOf(plan, iteration, Below(8) == 0 ? 2 : 1));
  }
  Events Void(const std::string& plan, int iteration) {
    const BudgetState* budget = fold_.state().WithPlan(plan);
    if (budget == nullptr || budget->FindPlan(plan)->charges.count(iteration) == 0) return {};
    return Done(VoidAct{
        {.plan_id = plan,
         .iteration = iteration,
         .charge_id = budget->FindPlan(plan)->charges.at(iteration).sequence,
         .ground = Below(4) == 0 ? v1::ReleaseVoided::UNREADABLE_DATA : v1::ReleaseVoided::FAILED,
         .at_ms = now_ms_},
        kKeyKept});
  }
  Events RestoreAndThaw() {
    Events all = Decide(fold_.state(), RestoreAct{.epoch = 2, .now_ms = now_ms_});
    fold_.Append(all);
    // Not before much has happened: with everything spent nothing happens any more.
    const bool late = fold_.chain("first").size() + fold_.chain("vouchers").size() > 150;
    for (const std::string id : {"first", "vouchers"}) {
      const auto heads_to = [&](absl::string_view, int64_t length) {
        return fold_.HeadsTo(id, length);
      };
      const Events thaw =
          Done(ThawByHeadAct{.head = fold_.budget(id).freeze()->backup_head,
                             .evidence = {.receipts = {}, .forfeit_unseen = late && Below(20) == 0},
                             .heads_to = heads_to,
                             .now_ms = now_ms_});
      all.insert(all.end(), thaw.begin(), thaw.end());
      if (!fold_.budget(id).frozen()) continue;
      // As an auditor's proof that nothing was lost would have it; Decide has its own tests.
      v1::LedgerEvent event;
      event.mutable_budget_thawed()->set_ground(v1::BudgetThawed::HEAD_CONFIRMED);
      Events confirmed;
      Add(fold_.state(), id, event, &confirmed);
      fold_.Append(confirmed);
      all.push_back(confirmed.front());
    }
    return all;
  }

  std::mt19937 random_;
  FoldForTests fold_;
  int64_t now_ms_ = 10000;
  int64_t plans_ = 0;
};

bool Forfeited(const BudgetState& budget) {
  for (const Restoration& restoration : budget.restorations()) {
    if (restoration.thaw.forfeited_unseen()) return true;
  }
  return false;
}

// What is spent, counted again from the plans alone.
CostVector Recount(const BudgetState& budget) {
  if (Forfeited(budget)) return budget.policy().EverythingSpent();
  CostVector spent = budget.policy().NothingSpent();
  for (const auto& [id, plan] : budget.plans()) {
    const CostVector kept = budget.policy().Spending(plan.SetAside(), plan.reserved_iterations);
    for (size_t i = 0; i < spent.size(); ++i) {
      spent[i] = spent[i] == kDeadOrder || kept[i] == kDeadOrder ? kDeadOrder : spent[i] + kept[i];
    }
  }
  return spent;
}

class LedgerStateTest : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, LedgerStateTest, ::testing::Values(1, 2, std::random_device()()),
                         [](const auto& tested) { return absl::StrCat(tested.index); });

TEST_P(LedgerStateTest, WhatIsSpentFallsByCancelsAloneAndIsWhatThePlansKeep) {
  std::cout << "seed " << GetParam() << "\n";
  RandomFold random(GetParam());
  int64_t acts = 0;
  for (int round = 0; round < 1500; ++round) {
    std::map<std::string, CostVector> before;
    for (const BudgetState& budget : random.fold().state().budgets()) {
      before[budget.budget_id()] = budget.spent();
    }
    const Events events = random.Act();
    const bool cancels = !events.empty() && events[0].has_plan_cancelled();
    acts += events.empty() ? 0 : 1;
    for (const BudgetState& budget : random.fold().state().budgets()) {
      const CostVector& was = before[budget.budget_id()];
      for (size_t i = 0; i < was.size(); ++i) {
        EXPECT_TRUE(cancels || budget.spent()[i] >= was[i]) << events[0].ShortDebugString();
      }
      EXPECT_EQ(budget.spent(), Recount(budget));
      if (Forfeited(budget)) continue;
      EXPECT_LE(budget.policy().EpsilonUpperBound(budget.spent()), 2.44 * (1 + 1e-9));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(acts, 100);
}

TEST_P(LedgerStateTest, TheFoldOfEveryPrefixIsTheStateThatStoodThere) {
  std::cout << "seed " << GetParam() << "\n";
  RandomFold random(GetParam());
  std::map<std::string, std::map<int64_t, std::string>> stood;  // by budget and length
  for (int round = 0; round < 250; ++round) {
    random.Act();
    for (const BudgetState& budget : random.fold().state().budgets()) {
      stood[budget.budget_id()][budget.length()] = Describe(budget);
    }
  }
  for (const auto& [budget_id, by_length] : stood) {
    BudgetState state;
    for (const v1::LedgerEntry& entry : random.fold().chain(budget_id)) {
      const BudgetState before = state;
      ASSERT_OK(state.Apply(entry));
      EXPECT_NE(Describe(before), Describe(state)) << "copies are independent";
      const auto there = by_length.find(state.length());
      if (there != by_length.end()) {
        EXPECT_EQ(Describe(state), there->second);
      }
    }
    EXPECT_EQ(Describe(state), by_length.rbegin()->second);
  }
}

TEST(LedgerState, IdsAreGivenOnceInALedger) {
  FoldForTests fold;
  fold.Open("a", "notes");
  fold.Open("b", "letters");
  ASSERT_OK(fold.Do(ReserveOf("alice", "p", "notes", 1)));
  const auto again = Decide(fold.state(), ReserveOf("alice", "p", "letters", 1));
  ASSERT_OK(again) << "whoever draws ids sees to it that they are new";
  LedgerState state = fold.state();
  EXPECT_THAT(state.Apply("b", fold.Next("b", again->events.front())),
              StatusIs(absl::StatusCode::kDataLoss));
  v1::LedgerEvent joined;
  joined.mutable_corpus_joined()->set_corpus_version(VersionOf("notes"));
  EXPECT_THAT(state.Apply("b", fold.Next("b", joined)), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(Describe(state), Describe(fold.state()));
}

TEST(LedgerState, ABudgetBeginsUnderItsOwnId) {
  FoldForTests fold;
  fold.Open("a", "notes");
  LedgerState state;
  EXPECT_THAT(state.Apply("b", fold.chain("a")[0]), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(state.budgets().empty());
  EXPECT_THAT(state.Find("a"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::accountant::ledger
