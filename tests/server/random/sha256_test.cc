#include "server/random/sha256.h"

#include <utility>

#include "tests/support/hex.h"
#include "tests/support/status_matchers.h"

namespace topicwall::random {
namespace {

using ::topicwall::testing::Hex;

// FIPS 180-4's examples.
TEST(Sha256Test, AgreesWithTheStandardsExamples) {
  absl::StatusOr<Sha256Digest> abc = Sha256(AsBytes("abc"));
  ASSERT_OK(abc);
  EXPECT_EQ(Hex(*abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  absl::StatusOr<Sha256Digest> nothing = Sha256(AsBytes(""));
  ASSERT_OK(nothing);
  EXPECT_EQ(Hex(*nothing), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, PiecesHashLikeTheirConcatenation) {
  absl::StatusOr<Sha256Hasher> hasher = Sha256Hasher::Create();
  ASSERT_OK(hasher);
  hasher->Update(AsBytes("a"));
  hasher->Update(AsBytes(""));
  hasher->Update(AsBytes("bc"));
  absl::StatusOr<Sha256Digest> pieces = std::move(*hasher).Finish();
  ASSERT_OK(pieces);
  EXPECT_EQ(Hex(*pieces), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace topicwall::random
