#include "server/audit/walls/planted_corpus.h"

#include <gtest/gtest.h>

#include "server/corpus/unit_block.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

TEST(PlantedCorpusTest, ComesBackAsItWasPlanted) {
  const testing::TemporaryDirectory folder;
  const auto key = sealing::CustodianKey::Generate();
  ASSERT_OK(key);
  const PlantedCorpus planted = {
      .vocabulary_size = 3,
      .privacy_unit = corpus::PrivacyUnit::kOwner,
      .documents = {{.id = "a", .owner = "ann", .counts = {{0, 4'000'000'000U}, {2, 1}}},
                    {.id = "b", .owner = "ann", .counts = {{1, 7}}}}};
  const auto store = StorePlanted(planted, folder.path() + "/corpus", *key);
  ASSERT_OK(store);
  EXPECT_EQ((*store)->num_units(), 1);
  EXPECT_EQ((*store)->vocabulary().size(), 3u);
  corpus::UnitBlock block;
  ASSERT_OK((*store)->ReadBlock(0, &block));
  ASSERT_EQ(block.num_documents(0), 2);
  int64_t tokens = 0;
  for (int i = 0; i < 2; ++i) tokens += lda::TokenCount(block.document(0, i));
  EXPECT_EQ(tokens, 4'000'000'008);
}

}  // namespace
}  // namespace topicwall::audit
