#include "server/ledger/ledger_keys.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::ledger {
namespace {

TEST(LedgerKeysTest, ARekeyChangesWhatSealsAndKeepsWhatSigns) {
  ASSERT_OK_AND_ASSIGN(const auto old_custodian, sealing::CustodianKey::Generate());
  ASSERT_OK_AND_ASSIGN(const auto new_custodian,
                       sealing::CustodianKey::GenerateWithIdentityOf(old_custodian));
  ASSERT_OK_AND_ASSIGN(const auto old_keys, LedgerKeys::Of(old_custodian));
  ASSERT_OK_AND_ASSIGN(const auto new_keys, LedgerKeys::Of(new_custodian));
  EXPECT_EQ(old_keys.signing.public_key(), new_keys.signing.public_key());
  ASSERT_OK_AND_ASSIGN(const auto sealed, old_keys.sealing.Seal("text", "place"));
  EXPECT_OK(old_keys.sealing.Open(sealed, "place"));
  EXPECT_FALSE(new_keys.sealing.Open(sealed, "place").ok());
}

}  // namespace
}  // namespace topicwall::ledger
