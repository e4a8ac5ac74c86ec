#include "server/ledger/audit_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "proto/ledger_chain.h"
#include "tests/server/ledger/bare_ledger.h"

namespace topicwall::ledger {
namespace {

using testing::StatusIs;

v1::LedgerEvent EventOf(const std::string& principal, int64_t time_ms) {
  v1::LedgerEvent event;
  event.set_principal(principal);
  event.set_time_ms(time_ms);
  event.mutable_plan_paused()->set_plan_id("p");  // may happen again, to the same plan
  return event;
}

TEST(AuditChainTest, AppendedEventsAreNumberedSaltedAndChained) {
  BareLedger bare;
  for (int number = 1; number <= 5; ++number) {
    ASSERT_OK(AppendEvent(bare.connection(), bare.kBudgetId, EventOf("alice", 7)));
  }
  auto entries = ReadEntries(bare.connection(), bare.kBudgetId, 1, 100);
  ASSERT_OK(entries);
  ASSERT_EQ(entries->size(), 5);
  proto::ChainVerifier chain;
  std::set<std::string> salts;
  for (const v1::LedgerEntry& entry : *entries) {
    ASSERT_OK(chain.Add(entry));
    EXPECT_EQ(chain.event().budget_id(), bare.kBudgetId);
    EXPECT_EQ(chain.event().time_ms(), 7);
    salts.insert(entry.salt());
  }
  EXPECT_EQ(salts.size(), 5) << "equal events must not have equal commitments";
  auto budget = FindBudget(bare.connection(), bare.kBudgetId);
  ASSERT_OK(budget);
  EXPECT_EQ(budget->events, 5);
  EXPECT_EQ(budget->head, chain.head());
}

TEST(AuditChainTest, EntriesAreReadInRuns) {
  BareLedger bare;
  for (int number = 1; number <= 5; ++number) {
    ASSERT_OK(AppendEvent(bare.connection(), bare.kBudgetId, EventOf("alice", 7)));
  }
  auto run = ReadEntries(bare.connection(), bare.kBudgetId, 2, 3);
  ASSERT_OK(run);
  ASSERT_EQ(run->size(), 3);
  EXPECT_EQ(run->front().sequence(), 2);
  EXPECT_EQ(ReadEntries(bare.connection(), bare.kBudgetId, 6, 3)->size(), 0);
  EXPECT_EQ(ReadEntries(bare.connection(), "other", 1, 3)->size(), 0);
}

TEST(AuditChainTest, AnUnknownBudgetHasNoChain) {
  BareLedger bare;
  EXPECT_THAT(AppendEvent(bare.connection(), "other", EventOf("alice", 7)),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST(AuditChainTest, OnlyAuditorsAndItsAnalystSeeAnEvent) {
  v1::LedgerEntry entry;
  entry.set_event(EventOf("alice", 7).SerializeAsString());
  entry.set_salt("salt");
  entry.set_commitment("commitment");
  const auto sees = [&](const std::string& principal, bool is_auditor) {
    v1::LedgerEntry shown = entry;
    HideFromOthers(principal, is_auditor, &shown);
    EXPECT_EQ(shown.commitment(), "commitment");
    EXPECT_EQ(shown.event().empty(), shown.salt().empty()) << "a salt alone would tell";
    return !shown.event().empty();
  };
  EXPECT_TRUE(sees("alice", false));
  EXPECT_TRUE(sees("ann", true));
  EXPECT_FALSE(sees("bob", false));
  EXPECT_FALSE(sees("", false));
  entry.set_event(EventOf("", 7).SerializeAsString());
  EXPECT_TRUE(sees("bob", false)) << "an act of the custodian";
  entry.set_event("\xff\xff unreadable");
  EXPECT_FALSE(sees("alice", false));
}

}  // namespace
}  // namespace topicwall::ledger
