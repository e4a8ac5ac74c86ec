#include "server/sealing/sealing_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "server/random/secret_key.h"
#include "tests/support/status_matchers.h"

namespace topicwall::sealing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

static_assert(!std::is_copy_constructible_v<SealingKey>);
static_assert(!std::is_default_constructible_v<SealingKey>);

random::SecretKey SecretOf(uint8_t first_byte) {
  std::array<uint8_t, random::SecretKey::kSize> bytes = {first_byte};
  return random::SecretKey(bytes);
}

SealingKey KeyOf(uint8_t first_byte) { return *SealingKey::Create(SecretOf(first_byte)); }

TEST(SealingKey, OpensWhatItSealed) {
  const SealingKey key = KeyOf(1);
  for (const std::size_t size : {0, 1, 15, 16, 17, 4096, 100000}) {
    const std::string plaintext(size, 'x');
    ASSERT_OK_AND_ASSIGN(const auto sealed, key.Seal(plaintext, "place"));
    EXPECT_EQ(sealed.size(), size + kSealingOverhead);
    ASSERT_OK_AND_ASSIGN(const auto opened, key.Open(sealed, "place"));
    EXPECT_EQ(opened, plaintext);
  }
}

TEST(SealingKey, BinaryPlaintextAndEmptyAssociatedDataSurvive) {
  const SealingKey key = KeyOf(1);
  const std::string plaintext("\0\xff\0two", 6);
  ASSERT_OK_AND_ASSIGN(const auto sealed, key.Seal(plaintext, ""));
  EXPECT_EQ(*key.Open(sealed, ""), plaintext);
  EXPECT_THAT(key.Open(sealed, std::string(1, '\0')), StatusIs(absl::StatusCode::kDataLoss));
}

// Files outlive programs, so key derivation and layout must not drift. The value was made by
// an independent method: HKDF and AESGCM of the Python package "cryptography" 48 with
// secret 01 00 … 00, info "topicwall-1" ‖ 20 ‖ "sealing: AES-256-GCM", nonce 00 01 … 0b.
TEST(SealingKey, OpensAValueSealedByAnIndependentImplementation) {
  const std::string sealed = absl::HexStringToBytes(
      "000102030405060708090a0ba5cdd0c5de3422a329e0739e516c8c2b464abfda"
      "d2b0d233536d2c45e6739a681a3c");
  ASSERT_OK_AND_ASSIGN(const auto opened, KeyOf(1).Open(sealed, "block 1 of 3"));
  EXPECT_EQ(opened, "a private sentence");
}

TEST(SealingKey, SamePlaintextNeverSealsToTheSameValue) {
  const SealingKey key = KeyOf(1);
  std::set<std::string> values;
  std::set<std::string> nonces;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto sealed, key.Seal("the same text", "the same place"));
    values.insert(sealed);
    nonces.insert(sealed.substr(0, kSealingNonceSize));
  }
  // Fresh nonces meet with probability 1000^2 / 2^97 < 2^-77.
  EXPECT_EQ(values.size(), 1000u);
  EXPECT_EQ(nonces.size(), 1000u);
}

TEST(SealingKey, SealedValueDoesNotShowThePlaintext) {
  ASSERT_OK_AND_ASSIGN(const auto sealed,
                       KeyOf(1).Seal("a private sentence about somebody", "place"));
  EXPECT_THAT(sealed, Not(HasSubstr("private")));
  EXPECT_THAT(sealed, Not(HasSubstr("somebody")));
}

TEST(SealingKey, EveryFlippedBitIsRefusedWithOneMessage) {
  const SealingKey key = KeyOf(1);
  ASSERT_OK_AND_ASSIGN(const auto sealed, key.Seal("a private sentence", "place"));
  const absl::Status expected = key.Open("", "place").status();
  ASSERT_THAT(expected, StatusIs(absl::StatusCode::kDataLoss));
  for (std::size_t byte = 0; byte < sealed.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = sealed;
      changed[byte] = static_cast<char>(changed[byte] ^ (1 << bit));
      EXPECT_EQ(key.Open(changed, "place").status(), expected) << byte << " " << bit;
    }
  }
}

TEST(SealingKey, EveryShorterOrLongerValueIsRefusedWithOneMessage) {
  const SealingKey key = KeyOf(1);
  ASSERT_OK_AND_ASSIGN(const auto sealed, key.Seal("a private sentence", "place"));
  const absl::Status expected = key.Open("", "place").status();
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_EQ(key.Open(sealed.substr(0, size), "place").status(), expected) << size;
  }
  EXPECT_EQ(key.Open(sealed + '\0', "place").status(), expected);
}

TEST(SealingKey, AnotherPlaceOrAnotherKeyIsRefusedWithOneMessage) {
  const SealingKey key = KeyOf(1);
  ASSERT_OK_AND_ASSIGN(const auto sealed, key.Seal("a private sentence", "block 1 of 3"));
  const absl::Status expected = key.Open("", "").status();
  EXPECT_EQ(key.Open(sealed, "block 2 of 3").status(), expected);
  EXPECT_EQ(key.Open(sealed, "block 1 of 2").status(), expected);
  EXPECT_EQ(key.Open(sealed, "").status(), expected);
  EXPECT_EQ(KeyOf(2).Open(sealed, "block 1 of 3").status(), expected);
}

// Damage is for ever, and a release whose key is damaged is lost; a library without memory is not.
TEST(SealingKey, ALibraryThatFailsIsNotTakenForDamage) {
  const SealingKey key = KeyOf(1);
  ASSERT_OK_AND_ASSIGN(const auto sealed, key.Seal("a private sentence", "place"));
  ASSERT_EQ(EVP_set_default_properties(nullptr, "provider=none"), 1);
  std::string buffer;
  const absl::Status failed = key.OpenInto(sealed, "place", &buffer);
  ASSERT_EQ(EVP_set_default_properties(nullptr, ""), 1);
  EXPECT_THAT(failed, StatusIs(absl::StatusCode::kInternal));
  EXPECT_TRUE(buffer.empty());
  EXPECT_OK(key.OpenInto(sealed, "place", &buffer));
}

TEST(SealingKey, ReusedBufferIsEmptyAfterAnError) {
  const SealingKey key = KeyOf(1);
  ASSERT_OK_AND_ASSIGN(const auto sealed, key.Seal("a private sentence", "place"));
  std::string buffer = "what was there before";
  ASSERT_OK(key.OpenInto(sealed, "place", &buffer));
  EXPECT_EQ(buffer, "a private sentence");
  EXPECT_THAT(key.OpenInto(sealed, "elsewhere", &buffer), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(buffer.empty());
}

}  // namespace
}  // namespace topicwall::sealing
