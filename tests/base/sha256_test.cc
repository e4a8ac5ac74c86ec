#include "base/sha256.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/escaping.h"

namespace topicwall::base {
namespace {

constexpr char kDigestOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string HexOf(const Digest& digest) { return absl::BytesToHexString(DigestBytes(digest)); }

// FIPS 180-4's examples.
TEST(Sha256Test, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(HexOf(Sha256Of("abc")), kDigestOfAbc);
  EXPECT_EQ(HexOf(Sha256Of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, PiecesHashLikeTheirConcatenation) {
  Sha256 hash;
  hash.Update("a");
  hash.Update("");
  hash.Update(std::array<uint8_t, 2>{'b', 'c'});
  EXPECT_EQ(HexOf(std::move(hash).Finish()), kDigestOfAbc);
}

TEST(Sha256Test, IntegersAndNumbersAreEightLittleEndianBytes) {
  Sha256 fields;
  fields.UpdateInteger(0x0102030405060708);
  fields.UpdateNumber(-2.0);  // 0xC000000000000000
  EXPECT_EQ(std::move(fields).Finish(),
            Sha256Of({"\x08\x07\x06\x05\x04\x03\x02\x01\0\0\0\0\0\0\0\xc0", 16}));
}

TEST(Sha256Test, StringsOfOtherBoundariesHaveOtherDigests) {
  Sha256 left;
  left.UpdateString("ab");
  left.UpdateString("c");
  Sha256 right;
  right.UpdateString("a");
  right.UpdateString("bc");
  EXPECT_NE(std::move(left).Finish(), std::move(right).Finish());
}

}  // namespace
}  // namespace topicwall::base
