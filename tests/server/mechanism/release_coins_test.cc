#include "server/mechanism/release_coins.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "base/hex.h"
#include "tests/server/mechanism/small_release.h"
#include "tests/server/random/numbered.h"

namespace topicwall::mechanism {
namespace release_coins_test {

using random::NumberedUnits;
using ::testing::IsEmpty;
using ::topicwall::base::Hex;
using ::topicwall::testing::StatusIs;

// No coins without a receipt, no sampled unit without coins, none twice.
static_assert(!std::is_default_constructible_v<ReleaseCoins>);
static_assert(!std::is_copy_constructible_v<ReleaseCoins>);
static_assert(!std::is_constructible_v<ReleaseCoins, ledger::ChargeReceipt>);
static_assert(!std::is_default_constructible_v<SampledUnit>);
static_assert(!std::is_copy_constructible_v<SampledUnit>);
static_assert(!std::is_copy_assignable_v<SampledUnit>);
static_assert(!std::is_constructible_v<SampledUnit, std::size_t, random::UnitId>);

ReleaseCoins HalfCoins(
    const Change& change = [](ledger::ChargeTerms&) {}, uint8_t key = 1) {
  return SplitForTest(SmallReceipt(
                          [&change](ledger::ChargeTerms& terms) {
                            terms.mechanism.sampling_rate = 0.5;
                            terms.mechanism.max_words = 5;
                            change(terms);
                          },
                          key))
      .coins;
}

std::vector<std::size_t> Positions(const ReleaseCoins& coins) {
  std::vector<SampledUnit> sampled;
  EXPECT_OK(coins.Sample(NumberedUnits(128), &sampled));
  std::vector<std::size_t> positions;
  for (const SampledUnit& unit : sampled) positions.push_back(unit.position());
  return positions;
}

TEST(ReleaseCoinsTest, ASampledUnitKnowsItsPlaceAndName) {
  std::vector<SampledUnit> sampled;
  const std::vector<random::UnitId> units = NumberedUnits(128);
  ASSERT_OK(HalfCoins().Sample(units, &sampled));
  ASSERT_FALSE(sampled.empty());
  for (const SampledUnit& unit : sampled) EXPECT_EQ(unit.id(), units[unit.position()]);
}

TEST(ReleaseCoinsTest, TheSameReceiptSamplesTheSameUnits) {
  EXPECT_EQ(Positions(HalfCoins()), Positions(HalfCoins()));
}

// 128 fair coins agree by chance with probability 2^-128.
TEST(ReleaseCoinsTest, KeyDigestAndCorpusEachGiveOtherCoins) {
  const std::vector<std::size_t> positions = Positions(HalfCoins());
  EXPECT_NE(Positions(HalfCoins([](auto&) {}, /*key=*/2)), positions);
  EXPECT_NE(Positions(HalfCoins([](auto& terms) { terms.request_digest[31] = 1; })), positions);
  EXPECT_NE(Positions(HalfCoins([](auto& terms) { terms.corpus_version[15] = 1; })), positions);
}

TEST(ReleaseCoinsTest, ACutDoesNotReuseTheCoins) {
  const ledger::ChargeReceipt receipt = SmallReceipt();
  ASSERT_OK_AND_ASSIGN(random::SecretKey coins, DeriveReleaseKey(receipt, "release coins"));
  const ReleaseKeys release = SplitForTest(SmallReceipt());
  EXPECT_NE(Hex(coins.ExposeBytes()), Hex(release.coins.truncation_key().ExposeBytes()));
}

const random::SecretKey& HeldOutKey() {
  static const random::SecretKey key(std::array<uint8_t, 32>{42});
  return key;
}

// Who takes part in a release of one side, under a release key of its own.
std::vector<std::size_t> OneSide(bool evaluation, double sampling_rate, uint8_t key) {
  absl::StatusOr<ReleaseKeys> keys = SplitReceipt(SmallReceipt(
                                                      [&](ledger::ChargeTerms& terms) {
                                                        terms.mechanism.sampling_rate =
                                                            sampling_rate;
                                                        terms.mechanism.held_out_share = 0.4;
                                                        terms.mechanism.held_out_only = evaluation;
                                                      },
                                                      key),
                                                  1, &HeldOutKey());
  EXPECT_OK(keys);
  return Positions(keys->coins);
}

TEST(ReleaseCoinsTest, TrainingAndEvaluationPartTheUnitsInEveryRelease) {
  const std::vector<std::size_t> training = OneSide(false, 1, /*key=*/1);
  const std::vector<std::size_t> evaluation = OneSide(true, 1, /*key=*/2);
  std::vector<std::size_t> both = training;
  both.insert(both.end(), evaluation.begin(), evaluation.end());
  std::sort(both.begin(), both.end());
  EXPECT_EQ(both.size(), 128U);
  EXPECT_TRUE(std::adjacent_find(both.begin(), both.end()) == both.end()) << "nobody twice";
  EXPECT_EQ(OneSide(false, 1, /*key=*/3), training);
  EXPECT_EQ(OneSide(true, 1, /*key=*/4), evaluation);
}

TEST(ReleaseCoinsTest, TheCoinsOfASideAreThoseOfARelease) {
  const std::vector<std::size_t> drawn = Positions(HalfCoins());  // nobody held out
  for (const bool evaluation : {false, true}) {
    const std::vector<std::size_t> side = OneSide(evaluation, 1, /*key=*/1);
    std::vector<std::size_t> expected;
    std::set_intersection(side.begin(), side.end(), drawn.begin(), drawn.end(),
                          std::back_inserter(expected));
    EXPECT_EQ(OneSide(evaluation, 0.5, /*key=*/1), expected);
  }
}

TEST(ReleaseCoinsTest, HoldingOutWithoutAKeyIsNoRelease) {
  EXPECT_THAT(SplitReceipt(SmallReceipt([](ledger::ChargeTerms& terms) {
                             terms.mechanism.held_out_share = 0.4;
                           }),
                           1, nullptr),
              StatusIs(absl::StatusCode::kInternal));
}

TEST(ReleaseCoinsTest, AReceiptThatNoLedgerGivesIsInternalAndUsedUp) {
  for (const Change& change :
       std::vector<Change>{[](ledger::ChargeTerms& terms) { terms.mechanism.sampling_rate = 0; },
                           [](ledger::ChargeTerms& terms) { terms.mechanism.held_out_share = 1; },
                           [](ledger::ChargeTerms& terms) {
                             terms.mechanism.held_out_only = true;  // of nobody
                           },
                           [](ledger::ChargeTerms& terms) { terms.mechanism.max_words = 0; }}) {
    ledger::ChargeReceipt receipt = SmallReceipt(change);
    EXPECT_THAT(SplitReceipt(std::move(receipt), 1, nullptr),
                StatusIs(absl::StatusCode::kInternal));
    EXPECT_THAT(receipt.plan_id(), IsEmpty());  // NOLINT(bugprone-use-after-move): the claim
  }
}

}  // namespace release_coins_test
}  // namespace topicwall::mechanism
