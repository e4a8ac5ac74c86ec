#include "proto/signature.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"

namespace topicwall::proto {
namespace signature_test {

// Made by an independent implementation: Ed25519 of the Python package "cryptography" 48, seed
// 00 01 … 1f, over "topicwall.v1.receipt" ‖ 00 ‖ "three words".
std::string Key() {
  return absl::HexStringToBytes("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8");
}
std::string Signature() {
  return absl::HexStringToBytes(
      "60d7642f80508e8522d56d15f29c0e88e2bfdbd7dae113bce83623067efaa49b"
      "e3351d04e767f3eb947ec010e280675095f953ba59fea1b4caf8574f7568f106");
}
constexpr char kBytes[] = "three words";

TEST(SignatureTest, HoldsForWhatAnIndependentImplementationSigned) {
  EXPECT_TRUE(IsSignedBy(Key(), SignedMatter::kReceipt, kBytes, Signature()));
}

TEST(SignatureTest, OfAReceiptIsNoneOfAStatementOrAHead) {
  EXPECT_FALSE(IsSignedBy(Key(), SignedMatter::kStatement, kBytes, Signature()));
  EXPECT_FALSE(IsSignedBy(Key(), SignedMatter::kHead, kBytes, Signature()));
  EXPECT_NE(TextToSign(SignedMatter::kReceipt, "a"), TextToSign(SignedMatter::kStatement, "a"));
  EXPECT_NE(TextToSign(SignedMatter::kHead, "a"), TextToSign(SignedMatter::kStatement, "a"));
}

TEST(SignatureTest, AnyFlippedBitOfKeySignatureOrBytesIsRefused) {
  for (int part = 0; part < 3; ++part) {
    std::string parts[] = {Key(), Signature(), kBytes};
    for (size_t bit = 0; bit < 8 * parts[part].size(); ++bit) {
      std::string flipped[] = {Key(), Signature(), kBytes};
      flipped[part][bit / 8] = static_cast<char>(flipped[part][bit / 8] ^ (1 << (bit % 8)));
      EXPECT_FALSE(IsSignedBy(flipped[0], SignedMatter::kReceipt, flipped[2], flipped[1]))
          << "part " << part << ", bit " << bit;
    }
  }
}

TEST(SignatureTest, KeysAndSignaturesOfAnotherSizeAreRefused) {
  EXPECT_FALSE(IsSignedBy("", SignedMatter::kReceipt, kBytes, Signature()));
  EXPECT_FALSE(IsSignedBy(Key() + "x", SignedMatter::kReceipt, kBytes, Signature()));
  EXPECT_FALSE(IsSignedBy(Key(), SignedMatter::kReceipt, kBytes, ""));
  EXPECT_FALSE(IsSignedBy(Key(), SignedMatter::kReceipt, kBytes, Signature() + "x"));
}

}  // namespace signature_test
}  // namespace topicwall::proto
