#include "server/random/key_derivation.h"

#include <array>
#include <set>
#include <string>

#include "base/hex.h"
#include "tests/server/random/numbered.h"
#include "tests/support/status_matchers.h"

namespace topicwall::random {
namespace key_derivation_test {

using ::testing::HasSubstr;
using ::topicwall::base::Hex;
using ::topicwall::testing::StatusIs;

std::string Derived(const SecretKey& secret, absl::string_view purpose, absl::string_view context) {
  absl::StatusOr<SecretKey> key = Derive(secret, purpose, AsBytes(context));
  return key.ok() ? Hex(key->ExposeBytes()) : key.status().ToString();
}

// Golden: RFC 5869 written out with Python's hmac and hashlib, which gives the RFC's own
// test case 3 (8da4e775…), applied to the info of the header.
TEST(DeriveTest, AgreesWithAnIndependentHkdf) {
  std::string context;
  for (int i = 100; i < 148; ++i) context.push_back(static_cast<char>(i));
  EXPECT_EQ(Derived(CountingKey(), "coins", context),
            "c3b2fa7e89c5fd0b9bf4ec58033d87f9a4b8c5a87181b0b9eb685e225c66fc8c");
  EXPECT_EQ(Derived(CountingKey(), "coins", ""),
            "61ece699d69b1030d15fdc476794f2d91b6ddc537b6930a47d94803ac06d955f");
}

TEST(DeriveTest, SecretPurposeAndContextEachChangeTheKey) {
  const SecretKey other(std::array<uint8_t, 32>{1});
  const std::set<std::string> keys = {
      Derived(CountingKey(), "coins", "a"), Derived(other, "coins", "a"),
      Derived(CountingKey(), "noise", "a"), Derived(CountingKey(), "coins", "b"),
      Derived(CountingKey(), "coins", "")};
  EXPECT_EQ(keys.size(), 5U);
}

TEST(DeriveTest, ALetterCannotMoveFromPurposeToContext) {
  EXPECT_NE(Derived(CountingKey(), "coins", "x"), Derived(CountingKey(), "coinsx", ""));
}

TEST(DeriveTest, RefusesAPurposeWhoseLengthIsNotOneByte) {
  const SecretKey key = CountingKey();
  EXPECT_THAT(Derive(key, "", {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got 0")));
  EXPECT_THAT(Derive(key, std::string(256, 'p'), {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got 256")));
  EXPECT_OK(Derive(key, std::string(255, 'p'), {}));
}

// RFC 4231, test case 2: its key "Jefe" is the same HMAC key when padded with zeros.
TEST(HmacSha256Test, AgreesWithTheStandardsExample) {
  const SecretKey key(std::array<uint8_t, 32>{'J', 'e', 'f', 'e'});
  ASSERT_OK_AND_ASSIGN(base::Digest name, HmacSha256(key, AsBytes("what do ya want for nothing?")));
  EXPECT_EQ(Hex(name), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(HmacSha256Test, UsesTheWholeKey) {
  std::array<uint8_t, 32> bytes{};
  absl::StatusOr<base::Digest> first = HmacSha256(SecretKey(bytes), AsBytes("m"));
  bytes[31] = 1;
  absl::StatusOr<base::Digest> second = HmacSha256(SecretKey(bytes), AsBytes("m"));
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_NE(*first, *second);
}

}  // namespace key_derivation_test
}  // namespace topicwall::random
