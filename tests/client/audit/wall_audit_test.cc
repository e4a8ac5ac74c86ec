#include "client/audit/wall_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "proto/strict_parse.h"
#include "tests/client/chain_wall.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace wall_audit_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::topicwall::testing::StatusIs;

TEST(AuditWallTest, AnHonestWallHasNoFindingAndAllOfItsEntriesAreReturned) {
  ChainWall wall;
  wall.chain.Reserve("alice", "plan", 40, 3);
  ASSERT_OK_AND_ASSIGN(const auto found, AuditWall(wall, "notes"));
  EXPECT_THAT(found.audit.findings, IsEmpty());
  EXPECT_THAT(found.entries, SizeIs(wall.chain.entries().size()));
  EXPECT_THAT(found.audit.plans, SizeIs(1));
}

TEST(AuditWallTest, ADescriptionThatKeepsQuietOfAnotherBudgetIsFound) {
  ChainWall wall;
  wall.chain.Reserve("alice", "plan", 40, 3);
  v1::BudgetSum& sum = *wall.description.mutable_sum();
  sum.set_epsilon(5);
  sum.add_budgets()->set_budget_id("other");
  ASSERT_OK_AND_ASSIGN(const auto found, AuditWall(wall, "notes"));
  EXPECT_THAT(found.audit.findings, ElementsAre(HasSubstr("DescribeCorpus tells another sum")));
}

TEST(AuditWallTest, ADescriptionThatPromisesMoreThanTheBudgetIsFound) {
  ChainWall wall;
  wall.description.set_epsilon(0.01);
  ASSERT_OK_AND_ASSIGN(const auto found, AuditWall(wall, "notes"));
  EXPECT_THAT(found.audit.findings,
              ElementsAre(HasSubstr("DescribeCorpus states epsilon 0.01 at delta 1e-06")));
}

// Alice's own view of two plans, one of hers, with a sum over two budgets.
class LyingWall : public ChainWall {
 public:
  LyingWall() {
    chain.TellSum(chain.SumWith(1, 1e-6));
    *description.mutable_sum() = chain.SumWith(1, 1e-6);
    chain.Reserve("alice", "hers", 40, 3);
    chain.Reserve("bob", "his", 40, 3);
    told = chain.BudgetSeenBy("alice");
    told.mutable_own()->set_epsilon_cap(told.epsilon_total());
    budget = [this] { return told; };
    spoil = [this](std::vector<v1::LedgerEntry>& entries) { entries = chain.SeenBy("alice"); };
  }
  absl::StatusOr<Account> Ask() {
    TW_ASSIGN_OR_RETURN(const v1::BudgetStatus open, OpenBudget(*this, "notes"));
    return AccountOf(*this, description, open);
  }

  v1::BudgetStatus told;
};

TEST(AccountOfTest, IsOfThePolicyOfTheChain) {
  LyingWall wall;
  ASSERT_OK_AND_ASSIGN(const auto account, wall.Ask());
  EXPECT_EQ(account.policy.budget().epsilon, 2.44);
  EXPECT_EQ(account.epsilon_spent(), wall.told.epsilon_spent());
  EXPECT_EQ(account.cap, std::nullopt);
}

TEST(AccountOfTest, WhatAWallSaysAgainstItsOwnLedgerIsRefused) {
  using Wall = LyingWall&;
  const struct {
    const char* found;
    void (*lie)(Wall);
  } kLies[] = {
      {"another policy",
       [](Wall wall) {
         const ChainBuilder other(*accountant::AdmissionPolicy::Create(
             *accountant::BudgetFilter::DefaultSpec({.epsilon = 10, .delta = 0.3})));
         *wall.told.mutable_filter() = other.Budget().filter();
         wall.told.set_epsilon_total(10);
         wall.told.set_delta(0.3);
       }},
      {"another policy", [](Wall wall) { wall.told.mutable_filter()->clear_orders(); }},
      {"at delta 1e-12", [](Wall wall) { wall.told.set_delta(1e-12); }},
      {"states epsilon 99", [](Wall wall) { wall.told.set_epsilon_total(99); }},
      {"the events add up to",
       [](Wall wall) {
         for (uint64_t& cost : *wall.told.mutable_spent()) cost = 0;
         wall.told.set_epsilon_spent(0);
       }},
      {"the events add up to", [](Wall wall) { wall.told.clear_spent(); }},
      {"that it states come to", [](Wall wall) { wall.told.set_epsilon_spent(-5); }},
      {"its events add up to", [](Wall wall) { wall.told.mutable_own()->set_epsilon_spent(0); }},
      {"there is no other; the chain told", [](Wall wall) { wall.told.clear_sum(); }},
      {"DescribeCorpus tells another sum", [](Wall wall) { wall.description.clear_sum(); }},
      {"the chain told",
       [](Wall wall) {
         wall.told.clear_sum();
         wall.description.clear_sum();
       }},
      {"DescribeCorpus states epsilon 0.01", [](Wall wall) { wall.description.set_epsilon(0.01); }},
      {"at delta 1e-12", [](Wall wall) { wall.description.set_delta(1e-12); }},
      {"privacy unit is PRIVACY_UNIT_OWNER",
       [](Wall wall) { wall.description.set_privacy_unit(v1::PRIVACY_UNIT_OWNER); }},
      {"two histories", [](Wall wall) { wall.told.set_chain_head(std::string(32, 'h')); }},
      {"counts 6 entries; only 5", [](Wall wall) { wall.told.set_events(6); }},
      {"only 0 were sent", [](Wall wall) { wall.spoil = [](auto& entries) { entries.clear(); }; }},
  };
  for (const auto& [found, lie] : kLies) {
    LyingWall wall;
    lie(wall);
    EXPECT_THAT(wall.Ask(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(found))) << found;
  }
}

TEST(AccountOfTest, OfAUnitOrAStateThatIsNotKnownNothingIsBought) {
  for (const auto& say : std::vector<void (*)(v1::CorpusDescription&)>{
           [](v1::CorpusDescription& told) {
             told.set_privacy_unit(static_cast<v1::PrivacyUnit>(3));
           },
           [](v1::CorpusDescription& told) { told.set_state(static_cast<v1::CorpusState>(5)); }}) {
    LyingWall wall;
    ASSERT_OK(wall.Ask());
    say(wall.description);
    const absl::Status refused = wall.Ask().status();
    EXPECT_TRUE(proto::IsWrittenByNewer(refused)) << refused;
    EXPECT_TRUE(proto::IsWrittenByNewer(CheckKnown(wall.description)));
  }
}

// What bob spends she cannot see; a wall that says more of it only makes her spend less.
TEST(AccountOfTest, WhatOthersSpentIsTheWallsWord) {
  LyingWall wall;
  wall.chain.Reserve("carol", "theirs", 40, 3);
  const v1::BudgetStatus now = wall.chain.Budget();
  wall.told.set_events(now.events());
  wall.told.set_chain_head(now.chain_head());
  EXPECT_OK(wall.Ask());
  *wall.told.mutable_spent() = now.spent();
  wall.told.set_epsilon_spent(now.epsilon_spent());
  EXPECT_OK(wall.Ask());
}

}  // namespace wall_audit_test
}  // namespace topicwall::client
