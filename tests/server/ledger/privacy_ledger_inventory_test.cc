// The contract's fourth part: a budget of vouchers, beside the other one in the same ledger.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "accountant/ledger/policy_record.h"
#include "proto/budget_refusal.h"
#include "proto/ledger_chain.h"
#include "tests/server/ledger/privacy_ledger_contract.h"

namespace topicwall::ledger {
namespace {

using ::testing::ElementsAre;
using testing::kLettersVersion;
using testing::LettersBudget;
using testing::LettersPlan;
using testing::PurseOf;
using testing::ReserveRequestFor;
using testing::StatusIs;

class InventoryContract : public PrivacyLedgerContract {
 protected:
  InventoryContract() { EXPECT_OK(custodian().OpenBudget(LettersBudget())); }

  v1::BudgetStatus Letters(const Reader& reader = {"ann", true}) {
    auto budget = ledger().Budget(
        {.corpus_version = kLettersVersion, .reader = reader, .purse = PurseOf(reader.principal)});
    EXPECT_OK(budget);
    return *budget;
  }

  std::vector<v1::LedgerEntry> Entries() {
    std::vector<v1::LedgerEntry> entries;
    EXPECT_OK(ledger().ReadEvents(kLettersVersion, {"ann", true}, 0, [&](const auto& entry) {
      entries.push_back(entry);
      return absl::OkStatus();
    }));
    return entries;
  }

  std::string State() {
    std::string state = Letters().SerializeAsString();
    for (const auto& entry : Entries()) state += entry.SerializeAsString();
    return state;
  }
};

INSTANTIATE_TEST_SUITE_P(All, InventoryContract, ::testing::ValuesIn(Implementations()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(InventoryContract, TheBudgetShowsItsVouchersAndWhatIsDrawn) {
  v1::BudgetStatus budget = Letters();
  EXPECT_FALSE(budget.has_filter());
  v1::BudgetOpened opening;
  accountant::ledger::SetPolicy(LettersBudget().policy, &opening);
  EXPECT_EQ(budget.inventory().SerializeAsString(), opening.inventory().SerializeAsString());
  EXPECT_THAT(budget.spent(), ElementsAre(0, 0));
  EXPECT_EQ(budget.epsilon_spent(), 0);
  EXPECT_EQ(budget.odometer_epsilon(), 0);
  Reserved("alice", 1, LettersPlan(7, 40));
  budget = Letters();
  EXPECT_THAT(budget.spent(), ElementsAre(6, 1)) << "the least valuable first";
  EXPECT_GT(budget.epsilon_spent(), 0);
  EXPECT_LT(budget.epsilon_spent(), budget.epsilon_total());
  EXPECT_DOUBLE_EQ(budget.epsilon_left(), budget.epsilon_total() - budget.epsilon_spent());
  EXPECT_EQ(budget.odometer_epsilon(), budget.epsilon_total()) << "holds at every moment";
  EXPECT_EQ(budget.principals(0).epsilon_spent(), budget.epsilon_spent());
  EXPECT_TRUE(Letters({"bob", false}).has_own());
  Reopen();
  EXPECT_THAT(Letters().spent(), ElementsAre(6, 1));
}

TEST_P(InventoryContract, ARefusalForLackOfVouchersSaysWhatFitsAndChangesNothing) {
  Reserved("alice", 1, LettersPlan(3, 20));
  const std::string before = State();
  const absl::Status refused =
      ledger().Reserve(ReserveRequestFor("bob", 1, LettersPlan(9, 25))).status();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto detail = proto::BudgetExhaustedOf(refused);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->limit(), "corpus");
  EXPECT_TRUE(detail->vouchers());
  EXPECT_EQ(detail->most_iterations(), 1) << "(40, 1) does not suffice for a multiplier of 25";
  EXPECT_TRUE(std::isinf(detail->epsilon_asked())) << "more than the inventory ever held";
  EXPECT_EQ(State(), before);
  Reserved("bob", 2, LettersPlan(1, 25));
  EXPECT_THAT(ledger().Reserve(ReserveRequestFor("bob", 3, LettersPlan(1, 25))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  Reserved("bob", 4, LettersPlan(6, 40));
  EXPECT_THAT(ledger().Reserve(ReserveRequestFor("bob", 5, LettersPlan(1, 1000))),
              StatusIs(absl::StatusCode::kFailedPrecondition))
      << "drawn out";
  EXPECT_LE(Letters().epsilon_spent(), Letters().epsilon_total());
  Reopen();
}

TEST_P(InventoryContract, ACancelGivesBackTheVouchersThatNoChargeUsed) {
  const v1::PlanState plan = Reserved("alice", 1, LettersPlan(8, 40));
  ASSERT_THAT(Letters().spent(), ElementsAre(6, 2));
  for (const int iteration : {8, 2, 5}) {
    ASSERT_OK(ledger().Charge(testing::ChargeRequestFor(plan, iteration)));
  }
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 9000));
  EXPECT_THAT(Letters().spent(), ElementsAre(3, 0));
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 9001));
  EXPECT_THAT(Letters().spent(), ElementsAre(3, 0)) << "once only";
  Reopen();
  Reserved("bob", 1, LettersPlan(4, 20));
  Reserved("bob", 2, LettersPlan(3, 40));
  EXPECT_THAT(Letters().spent(), ElementsAre(6, 4));
  Reopen();
}

TEST_P(InventoryContract, PricingSaysWhatReservingDecides) {
  auto quote = ledger().Price(PurseOf("alice"), LettersPlan(8, 40));
  ASSERT_OK(quote);
  EXPECT_TRUE(quote->fits());
  EXPECT_EQ(quote->most_iterations(), 10);
  EXPECT_EQ(quote->epsilon_alone(), quote->epsilon_with_plan());
  Reserved("alice", 1, LettersPlan(8, 40));
  EXPECT_EQ(Letters().epsilon_spent(), quote->epsilon_with_plan());
  quote = ledger().Price(PurseOf("alice"), LettersPlan(3, 40));
  ASSERT_OK(quote);
  EXPECT_FALSE(quote->fits());
  EXPECT_EQ(quote->most_iterations(), 2);
  EXPECT_TRUE(std::isfinite(quote->epsilon_alone()));
  EXPECT_TRUE(std::isinf(quote->epsilon_with_plan()));
}

TEST_P(InventoryContract, AnAnalystsCapBoundsTheVouchersThatAnalystDraws) {
  const double cap = ledger().Price(PurseOf("alice"), LettersPlan(4, 40))->epsilon_alone();
  ReserveRequest request = ReserveRequestFor("alice", 1, LettersPlan(5, 40));
  request.purse.epsilon_cap = cap;
  const auto detail = proto::BudgetExhaustedOf(ledger().Reserve(request).status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->limit(), "analyst");
  EXPECT_FALSE(detail->vouchers());
  EXPECT_EQ(detail->most_iterations(), 4);
  EXPECT_EQ(detail->epsilon_total(), cap);
  EXPECT_THAT(Letters().spent(), ElementsAre(0, 0));
  request.plan = LettersPlan(4, 40);
  ASSERT_OK(ledger().Reserve(request));
  request = ReserveRequestFor("alice", 2, LettersPlan(1, 40));
  request.purse.epsilon_cap = cap;
  EXPECT_THAT(ledger().Reserve(request), StatusIs(absl::StatusCode::kFailedPrecondition));
  Reserved("bob", 1, LettersPlan(1, 40));
}

// The two tests that follow look from between the compositions of a Reserve: whatever happens there
// happens while it composes.
TEST_P(InventoryContract, AChargeIsNotHeldUpWhileAnAnalystsCapIsWeighed) {
  const v1::PlanState bobs = Reserved("bob", 1, LettersPlan(2, 40));
  int number = 0;
  for (const double cap : {2.0, 0.01}) {  // it fits; it is refused, and told how much would
    ReserveRequest request = ReserveRequestFor("alice", ++number, LettersPlan(1, 40));
    request.purse.epsilon_cap = cap;
    std::vector<std::future<absl::StatusOr<ChargeOutcome>>> charges;
    request.still_wanted = [&] {
      charges.push_back(std::async(
          std::launch::async, [&] { return ledger().Charge(testing::ChargeRequestFor(bobs, 1)); }));
      EXPECT_EQ(charges.back().wait_for(std::chrono::minutes(1)), std::future_status::ready)
          << "it waits for a lock that is held while Reserve composes";
      return absl::OkStatus();
    };
    EXPECT_EQ(ledger().Reserve(request).ok(), cap == 2);
    EXPECT_FALSE(charges.empty());
    for (auto& charge : charges) charge.wait();
  }
}

TEST_P(InventoryContract, ACapIsWeighedAgainIfOtherVouchersWouldBeDrawnMeanwhile) {
  // Three of the weak vouchers are within the cap; one of them and two strong ones are not.
  const double cap = ledger().Price(PurseOf("alice"), LettersPlan(3, 40))->epsilon_alone();
  ReserveRequest request = ReserveRequestFor("alice", 1, LettersPlan(3, 40));
  request.purse.epsilon_cap = cap;
  bool taken = false;
  request.still_wanted = [&] {
    if (!std::exchange(taken, true)) Reserved("bob", 1, LettersPlan(5, 40));
    return absl::OkStatus();
  };
  const auto detail = proto::BudgetExhaustedOf(ledger().Reserve(request).status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->limit(), "analyst");
  EXPECT_THAT(Letters().spent(), ElementsAre(5, 0)) << "bob's alone";
  Reopen();
}

TEST_P(InventoryContract, AReservationThatNobodyWaitsForEndsBeforeItComposes) {
  const std::string before = State();
  ReserveRequest request = ReserveRequestFor("alice", 1, LettersPlan(1, 40));
  request.purse.epsilon_cap = 2;
  request.still_wanted = [] { return absl::CancelledError("gone"); };
  EXPECT_THAT(ledger().Reserve(request), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(State(), before);
  request.still_wanted = nullptr;
  EXPECT_OK(ledger().Reserve(request));
}

TEST_P(InventoryContract, EventsVerifyAndAReaderRecountsTheVouchers) {
  const v1::PlanState plan = Reserved("alice", 1, LettersPlan(7, 40));
  Reserved("bob", 1, LettersPlan(2, 30));
  ASSERT_OK(ledger().Charge(testing::ChargeRequestFor(plan, 1)));
  ASSERT_OK(ledger().Cancel("alice", plan.plan_id(), 9000));

  proto::ChainVerifier chain;
  std::map<std::string, std::vector<int>> vouchers;  // by plan, one entry each: its kind
  for (const auto& entry : Entries()) {
    ASSERT_OK(chain.Add(entry));
    const v1::LedgerEvent& event = chain.event();
    if (event.has_plan_reserved()) {
      const v1::PlanReserved& act = event.plan_reserved();
      EXPECT_EQ(act.witness_order(), 0);
      for (int kind = 0; kind < act.cost_size(); ++kind) {
        vouchers[act.plan_id()].insert(vouchers[act.plan_id()].end(), act.cost(kind), kind);
      }
      EXPECT_EQ(vouchers[act.plan_id()].size(), act.spec().iterations());
    } else if (event.has_plan_cancelled()) {
      auto& own = vouchers[event.plan_cancelled().plan_id()];
      own.resize(own.size() - event.plan_cancelled().iterations_returned());
    }
  }
  uint64_t drawn[2] = {0, 0};
  for (const auto& [id, kinds] : vouchers) {
    for (const int kind : kinds) ++drawn[kind];
  }
  EXPECT_THAT(Letters().spent(), ElementsAre(drawn[0], drawn[1]));
  EXPECT_EQ(chain.head(), Letters().chain_head());
}

TEST_P(InventoryContract, EightThreadsTogetherDrawEveryVoucherOnce) {
  std::atomic<int> reserved{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string principal = thread % 2 == 0 ? "alice" : "bob";
      for (int number = 0; number < 4; ++number) {
        const auto plan = ledger().Reserve(
            ReserveRequestFor(principal, 1000 * thread + number, LettersPlan(1, 40)));
        if (plan.ok()) ++reserved;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(reserved, 10);
  EXPECT_THAT(Letters().spent(), ElementsAre(6, 4));
  Reopen();
}

TEST_P(InventoryContract, TheOtherBudgetOfTheLedgerIsNotTouched) {
  const std::string notes = WholeState();
  Reserved("carol", 1, LettersPlan(2, 40));
  EXPECT_EQ(WholeState(), notes);
  ASSERT_OK_AND_ASSIGN(auto corpus_status, ledger().StatusOfCorpus(kLettersVersion));
  ASSERT_TRUE(corpus_status.policy.has_value());
  EXPECT_NE(corpus_status.policy->inventory(), nullptr);
  EXPECT_EQ(corpus_status.EpsilonSpent(), Letters().epsilon_spent());
}

}  // namespace
}  // namespace topicwall::ledger
