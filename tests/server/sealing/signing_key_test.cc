#include "server/sealing/signing_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/escaping.h"
#include "server/sealing/custodian_key.h"
#include "tests/support/status_matchers.h"

namespace topicwall::sealing {
namespace {

static_assert(!std::is_copy_constructible_v<SigningKey>);
static_assert(!std::is_default_constructible_v<SigningKey>);

// RFC 8032, section 7.1, test 3.
TEST(SigningKeyTest, SignsTheStandardsOwnExample) {
  const std::string seed =
      absl::HexStringToBytes("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7");
  std::array<uint8_t, random::SecretKey::kSize> bytes;
  std::copy(seed.begin(), seed.end(), bytes.begin());
  const auto key = SigningKey::Create(random::SecretKey(bytes));
  ASSERT_OK(key);
  EXPECT_EQ(absl::BytesToHexString(key->public_key()),
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025");
  const auto signature = key->Sign("\xaf\x82");
  ASSERT_OK(signature);
  EXPECT_EQ(absl::BytesToHexString(*signature),
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a");
}

TEST(SigningKeyTest, TheSameTextAlwaysGetsTheSameSignature) {
  const auto custodian = CustodianKey::Generate();
  ASSERT_OK(custodian);
  const auto key = custodian->IdentitySigningKey();
  const auto again = custodian->IdentitySigningKey();
  ASSERT_OK(key);
  ASSERT_OK(again);
  EXPECT_EQ(*key->Sign("text"), *again->Sign("text"));
  EXPECT_NE(*key->Sign("text"), *key->Sign("texts"));
  EXPECT_OK(key->Sign(""));
}

TEST(SigningKeyTest, ARekeyKeepsTheSigningKeyAndAnotherCustodianHasAnother) {
  const auto old_key = CustodianKey::Generate();
  ASSERT_OK(old_key);
  const auto new_key = CustodianKey::GenerateWithIdentityOf(*old_key);
  const auto stranger = CustodianKey::Generate();
  ASSERT_OK(new_key);
  ASSERT_OK(stranger);
  EXPECT_EQ(new_key->IdentitySigningKey()->public_key(),
            old_key->IdentitySigningKey()->public_key());
  EXPECT_NE(stranger->IdentitySigningKey()->public_key(),
            old_key->IdentitySigningKey()->public_key());
}

}  // namespace
}  // namespace topicwall::sealing
