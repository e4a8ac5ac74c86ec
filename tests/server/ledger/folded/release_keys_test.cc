#include "server/ledger/folded/release_keys.h"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <variant>

#include "server/ledger/folded/folded_ledger.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "server/store/stores.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::ChargeRequestFor;
using ::testing::HasSubstr;
using testing::LedgerForTests;
using testing::LedgerKeysForTests;
using testing::ReserveRequestFor;
using testing::SealingKeyForTests;
using testing::SmallPlan;
using testing::StatusIs;

// A ledger with one charge that is being computed, closed.
class ReleaseKeysTest : public ::testing::Test {
 protected:
  ReleaseKeysTest() {
    auto reserved = wall_->Reserve(ReserveRequestFor("alice", 1, SmallPlan(2)));
    EXPECT_OK(reserved);
    plan_ = *std::move(reserved);
    EXPECT_OK(wall_->Charge(ChargeRequestFor(plan_, 1)));
    v1::LedgerEvent event;
    EXPECT_TRUE(
        event.ParseFromString(testing::EntriesSeenBy(*wall_, {"ann", true}).back().event()));
    charge_ = event.iteration_charged();
    wall_.Close();
  }
  ReleaseKeys Keys() const {
    const auto store = store::OpenStoreReadOnly(wall_.directory());
    EXPECT_OK(store);
    return ReleaseKeys(SealingKeyForTests(), *(*store)->ReadIdentity());
  }
  void Keep(const std::string& sealed_key) const {
    ASSERT_OK_AND_ASSIGN(auto connection,
                         store::SqliteConnection::Open(store::DatabasePath(wall_.directory()),
                                                       store::SqliteConnection::Mode::kReadWrite));
    ASSERT_OK(connection.Run("UPDATE open_charge SET sealed_key = ?", store::Blob{sealed_key}));
  }

  LedgerForTests wall_;
  v1::PlanState plan_;
  v1::IterationCharged charge_;
};

TEST_F(ReleaseKeysTest, AChargeNamesTheKeyThatItsReceiptHas) {
  wall_.Reopen();
  const auto again = wall_->Charge(ChargeRequestFor(plan_, 1));
  ASSERT_OK(again);
  ASSERT_OK_AND_ASSIGN(const std::string digest,
                       DigestOf(std::get<ChargeReceipt>(*again).release_key()));
  EXPECT_EQ(digest.size(), 32);
  EXPECT_EQ(digest, charge_.release_key_sha256());
}

// Sealed by the custodian's own server to this very charge, as one is that a database was shown and
// refused.
TEST_F(ReleaseKeysTest, AnotherGoodKeyInTheChargesPlaceIsNotTaken) {
  const random::SecretKey another(std::array<uint8_t, random::SecretKey::kSize>{7});
  ASSERT_OK_AND_ASSIGN(const std::string sealed, Keys().Seal(another, charge_));
  EXPECT_THAT(Keys().Unseal(sealed, charge_),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not its custodian's")));
  Keep(sealed);
  EXPECT_THAT(wall_.TryToOpen(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not its custodian's")));
  EXPECT_THAT(FoldedLedger::OpenReadOnly(wall_.directory(), LedgerKeysForTests()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not its custodian's")))
      << "as verify-ledger and migrate-ledger open it";
}

// As a program of before the first version made them. Nobody else can: the event's salt is the
// custodian's.
TEST_F(ReleaseKeysTest, OfAChargeThatNamesNoKeyNoneIsTaken) {
  charge_.clear_release_key_sha256();
  const random::SecretKey key(std::array<uint8_t, random::SecretKey::kSize>{7});
  ASSERT_OK_AND_ASSIGN(const std::string sealed, Keys().Seal(key, charge_));
  ASSERT_OK_AND_ASSIGN(const auto none, Keys().Unseal(sealed, charge_));
  EXPECT_FALSE(none.has_value());
}

// Damage, and not somebody's key.
TEST_F(ReleaseKeysTest, WhatDoesNotOpenIsGivenUp) {
  ASSERT_OK_AND_ASSIGN(const auto none, Keys().Unseal(std::string(60, 'x'), charge_));
  EXPECT_FALSE(none.has_value());
  Keep(std::string(60, 'x'));
  wall_.Reopen();
  const auto again = wall_->Charge(ChargeRequestFor(plan_, 1));
  ASSERT_OK(again);
  EXPECT_TRUE(std::holds_alternative<GivenUp>(*again));
}

}  // namespace
}  // namespace topicwall::ledger
