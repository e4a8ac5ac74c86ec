#include "server/ledger/charge_receipt.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "tests/support/receipt_for_tests.h"

namespace topicwall::ledger {
namespace {

// Nobody but the ledger makes a receipt; nobody copies one; nobody skips the noise.
static_assert(!std::is_default_constructible_v<ChargeReceipt>);
static_assert(!std::is_copy_constructible_v<ChargeReceipt>);
static_assert(!std::is_copy_assignable_v<ChargeReceipt>);
static_assert(std::is_move_constructible_v<ChargeReceipt>);
static_assert(!std::is_constructible_v<ChargeReceipt, ChargeTerms, random::SecretKey>);
static_assert(!std::is_default_constructible_v<NoisedReceipt>);
static_assert(!std::is_copy_constructible_v<NoisedReceipt>);
static_assert(!std::is_constructible_v<NoisedReceipt, ChargeReceipt>);
static_assert(!std::is_constructible_v<NoisedReceipt, ChargeTerms>);

ChargeReceipt Receipt() {
  return ChargeReceiptTestPeer::Make({.charge_id = 1,
                                      .plan_id = "plan",
                                      .iteration = 2,
                                      .request_digest = {3},
                                      .corpus_version = {4},
                                      .mechanism = {.sampling_rate = 0.5,
                                                    .noise_multiplier = 6,
                                                    .histogram_noise_multiplier = 7,
                                                    .max_words = 9,
                                                    .weights = {10}},
                                      .begun_at_ms = 5},
                                     random::SecretKey(std::array<uint8_t, 32>{11}));
}

template <typename AnyReceipt>
void ExpectTheTermsOfReceipt(const AnyReceipt& receipt) {
  EXPECT_EQ(receipt.charge_id(), 1);
  EXPECT_EQ(receipt.plan_id(), "plan");
  EXPECT_EQ(receipt.iteration(), 2);
  EXPECT_EQ(receipt.request_digest()[0], 3);
  EXPECT_EQ(receipt.mechanism().sampling_rate, 0.5);
  EXPECT_EQ(receipt.mechanism().noise_multiplier, 6);
  EXPECT_EQ(receipt.mechanism().histogram_noise_multiplier, 7);
  EXPECT_EQ(receipt.mechanism().max_words, 9);
  EXPECT_EQ(receipt.mechanism().weights, std::vector<float>{10});
}

TEST(ChargeReceiptTest, CarriesTheTermsThroughTheMechanism) {
  ChargeReceipt receipt = Receipt();
  ExpectTheTermsOfReceipt(receipt);
  EXPECT_EQ(receipt.corpus_version()[0], 4);
  EXPECT_EQ(receipt.begun_at_ms(), 5);
  EXPECT_EQ(receipt.release_key().ExposeBytes()[0], 11);
  ExpectTheTermsOfReceipt(ChargeReceiptTestPeer::Noised(std::move(receipt)));
}

TEST(ChargeReceiptTest, TheReleaseKeyEndsWithTheNoise) {
  ChargeReceipt receipt = Receipt();
  const NoisedReceipt noised = ChargeReceiptTestPeer::Noised(std::move(receipt));
  // NOLINTNEXTLINE(bugprone-use-after-move): the claim
  for (uint8_t byte : receipt.release_key().ExposeBytes()) EXPECT_EQ(byte, 0);
}

}  // namespace
}  // namespace topicwall::ledger
