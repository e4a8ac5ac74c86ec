#include "server/ledger/head_signer.h"

#include <gtest/gtest.h>

#include "proto/signed_head.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::kNotesVersion;
using testing::LedgerForTests;
using testing::LedgerKeysForTests;

TEST(HeadSignerTest, TheHeadIsSignedWithTheBudgetAndWithItsLastEntry) {
  LedgerForTests wall;
  ASSERT_OK(wall->Reserve(testing::ReserveRequestFor("alice", 1, testing::SmallPlan(2))));
  const auto budget = wall->Budget({.corpus_version = kNotesVersion, .reader = {"alice", false}});
  ASSERT_OK(budget);
  const std::string key = LedgerKeysForTests().signing.public_key();
  const auto head = proto::OpenSignedHead(budget->signed_head(), key);
  ASSERT_OK(head);
  EXPECT_EQ(head->custodian_id(), "library");
  EXPECT_EQ(head->budget_id(), wall.budget_id());
  EXPECT_EQ(head->sequence(), budget->events());
  EXPECT_EQ(head->head(), budget->chain_head());
  const auto entries = testing::EntriesSeenBy(*wall, {"bob", false});
  ASSERT_FALSE(entries.empty());
  for (size_t i = 0; i + 1 < entries.size(); ++i) EXPECT_FALSE(entries[i].has_signed_head()) << i;
  EXPECT_EQ(entries.back().signed_head().SerializeAsString(),
            budget->signed_head().SerializeAsString())
      << "the same head has the same bytes";
}

TEST(HeadSignerTest, AReaderWithoutTheKeySignsNothing) {
  LedgerForTests wall;
  auto reader = SqliteLedger::OpenReadOnly(wall.directory());
  ASSERT_OK(reader);
  const auto budget = (*reader)->Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}});
  ASSERT_OK(budget);
  EXPECT_FALSE(budget->has_signed_head());
  EXPECT_FALSE(testing::EntriesSeenBy(**reader, {"ann", true}).back().has_signed_head());
}

}  // namespace
}  // namespace topicwall::ledger
