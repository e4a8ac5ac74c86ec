#include "base/ed25519.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/escaping.h"
#include "tests/support/status_matchers.h"

namespace topicwall::base {
namespace {

using ::topicwall::testing::StatusIs;

static_assert(!std::is_copy_constructible_v<SigningKey>);
static_assert(!std::is_default_constructible_v<SigningKey>);

std::vector<uint8_t> Seed(absl::string_view hex) {
  const std::string bytes = absl::HexStringToBytes(hex);
  return {bytes.begin(), bytes.end()};
}

// RFC 8032, section 7.1, test 3.
constexpr char kSeed[] = "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7";
constexpr char kPublicKey[] = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025";
constexpr char kText[] = "\xaf\x82";
constexpr char kSignature[] =
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
    "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a";

TEST(Ed25519Test, SignsTheStandardsOwnExample) {
  ASSERT_OK_AND_ASSIGN(const auto key, SigningKey::Create(Seed(kSeed)));
  EXPECT_EQ(absl::BytesToHexString(key.public_key()), kPublicKey);
  ASSERT_OK_AND_ASSIGN(const auto signature, key.Sign(kText));
  EXPECT_EQ(absl::BytesToHexString(signature), kSignature);
}

TEST(Ed25519Test, ChecksTheStandardsOwnExample) {
  const std::string key = absl::HexStringToBytes(kPublicKey);
  const std::string signature = absl::HexStringToBytes(kSignature);
  EXPECT_TRUE(IsSignature(key, kText, signature));
  EXPECT_FALSE(IsSignature(key, "another text", signature));
  EXPECT_FALSE(IsSignature(key, kText, signature.substr(1)));
  EXPECT_FALSE(IsSignature(key + "x", kText, signature));
  EXPECT_FALSE(IsSignature("", kText, ""));
}

TEST(Ed25519Test, TheSameTextAlwaysGetsTheSameSignature) {
  ASSERT_OK_AND_ASSIGN(const auto key, SigningKey::Create(Seed(kSeed)));
  ASSERT_OK_AND_ASSIGN(const auto again, SigningKey::Create(Seed(kSeed)));
  EXPECT_EQ(*key.Sign("text"), *again.Sign("text"));
  EXPECT_NE(*key.Sign("text"), *key.Sign("texts"));
  EXPECT_TRUE(IsSignature(key.public_key(), "", *key.Sign("")));
}

TEST(Ed25519Test, ASeedOfAnotherSizeIsRefused) {
  for (const size_t size : {0, 31, 33}) {
    EXPECT_THAT(SigningKey::Create(std::vector<uint8_t>(size, 1)).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, ::testing::HasSubstr("32 bytes")));
  }
}

}  // namespace
}  // namespace topicwall::base
