// A corpus of vectors behind a wall, with the programs as they are deployed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// 90, most of them longer than the bound.
std::string Vectors() {
  std::string documents;
  for (int i = 0; i < 90; ++i) {
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"vector\":[", i % 7);
    for (int j = 1; j < WallWorld::kVocabulary; ++j) absl::StrAppend(&documents, ",", (i + j) % 3);
    absl::StrAppend(&documents, "]}\n");
  }
  return documents;
}

TEST(VectorsTest, AreDescribedAndNoModelOfTextIsFittedToThem) {
  WallWorld world(
      {.documents_jsonl = Vectors(),
       .more_ingest = {"--vectors", absl::StrCat(WallWorld::kVocabulary), "--norm-bound", "2.5"}});
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  Finished step = world.Analyst("alice", {"describe", "notes"});
  EXPECT_EQ(step.exit_code, 0) << step.output;
  EXPECT_THAT(step.output, AllOf(HasSubstr("30 dimensions, norm bound 2.5"),
                                 HasSubstr("tokenizer vectors"), Not(HasSubstr("words of"))));
  step = world.Analyst("alice", {"describe", "notes", "--json"});
  EXPECT_THAT(step.output, AllOf(HasSubstr("\"dimension\":30"), HasSubstr("2.5")));
  for (const char* algorithm : {"denoised", "mixture"}) {
    step = world.Analyst("alice", {"fit", "notes", "--topics", "3", "--epsilon-alone", "5",
                                   "--algorithm", algorithm, "--iterations", "4", "--model",
                                   world.Path(absl::StrCat(algorithm, ".model")), "--yes"});
    EXPECT_NE(step.exit_code, 0) << algorithm;
    EXPECT_THAT(step.output, HasSubstr("is for corpora of text")) << algorithm;
  }
  const Finished checked = world.Admin({"check-config", world.Path("wall.textproto")});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, AllOf(HasSubstr("worst case of a release"), Not(HasSubstr("lda:"))));
}

}  // namespace
}  // namespace topicwall::testing
