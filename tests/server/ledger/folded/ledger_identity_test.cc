#include "server/ledger/folded/ledger_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::SealingKeyForTests;
using testing::StatusIs;

TEST(LedgerIdentityTest, RandomIdsAre32HexadecimalDigitsAndDiffer) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(*RandomId());
  EXPECT_EQ(ids.size(), 100);
  for (const std::string& id : ids) {
    EXPECT_EQ(id.size(), 32);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

TEST(LedgerIdentityTest, ALedgerKnowsItsKeyAndNoOther) {
  store::Identity identity{.ledger_id = "ledger", .key_check = ""};
  ASSERT_OK_AND_ASSIGN(auto check, SealKeyCheck(SealingKeyForTests(1), identity));
  identity.key_check = check;
  EXPECT_OK(CheckKey(identity, SealingKeyForTests(1)));
  EXPECT_THAT(CheckKey(identity, SealingKeyForTests(2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("key_file")));
  identity.epoch = 2;
  EXPECT_FALSE(CheckKey(identity, SealingKeyForTests(1)).ok());
  identity.epoch = 1;
  identity.ledger_id = "another";
  EXPECT_FALSE(CheckKey(identity, SealingKeyForTests(1)).ok());
}

}  // namespace
}  // namespace topicwall::ledger
