#include "server/corpus/corpus_seal.h"

#include <gtest/gtest.h>

#include <string>

#include "server/sealing/custodian_key.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::corpus {
namespace corpus_seal_test {

using ::topicwall::testing::StatusIs;

constexpr CorpusVersion kVersion = {1, 2, 3};

CorpusSeal SealOf(const CorpusVersion& version, const sealing::CustodianKey& key) {
  return CorpusSeal(version, *key.CorpusSealingKey());
}

TEST(CorpusSeal, OpensABlockOnlyInItsPlace) {
  const sealing::CustodianKey key = NewKey();
  const CorpusSeal seal = SealOf(kVersion, key);
  ASSERT_OK_AND_ASSIGN(const auto sealed, seal.SealBlock("units", 3, 7));
  std::string bytes;
  ASSERT_OK(seal.OpenBlock(sealed, 3, 7, &bytes));
  EXPECT_EQ(bytes, "units");

  const auto lost = StatusIs(absl::StatusCode::kDataLoss);
  EXPECT_THAT(seal.OpenBlock(sealed, 2, 7, &bytes), lost);
  EXPECT_THAT(seal.OpenBlock(sealed, 3, 6, &bytes), lost);
  EXPECT_THAT(seal.OpenBlock(sealed, 7, 3, &bytes), lost);
  EXPECT_THAT(SealOf({1, 2, 4}, key).OpenBlock(sealed, 3, 7, &bytes), lost);
  EXPECT_THAT(SealOf(kVersion, NewKey()).OpenBlock(sealed, 3, 7, &bytes), lost);
  EXPECT_THAT(seal.OpenManifest(sealed), lost);
}

TEST(CorpusSeal, OpensAManifestOnlyInItsVersion) {
  const sealing::CustodianKey key = NewKey();
  const CorpusSeal seal = SealOf(kVersion, key);
  ASSERT_OK_AND_ASSIGN(const auto sealed, seal.SealManifest("manifest"));
  EXPECT_EQ(*seal.OpenManifest(sealed), "manifest");
  std::string bytes;
  EXPECT_THAT(seal.OpenBlock(sealed, 0, 1, &bytes), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(SealOf({}, key).OpenManifest(sealed), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace corpus_seal_test
}  // namespace topicwall::corpus
