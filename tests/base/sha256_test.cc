#include "base/sha256.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/escaping.h"

namespace topicwall::proto {
namespace {

// FIPS 180-4, appendix B.1: the digest of "abc".
TEST(Sha256Test, AgreesWithThePublishedExample) {
  EXPECT_EQ(absl::BytesToHexString(DigestBytes(Sha256Of("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
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
}  // namespace topicwall::proto
