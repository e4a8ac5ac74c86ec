#include "server/corpus/vocabulary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/corpus/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace topicwall::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

TEST(VocabularyFile, IsOneTermToALine) {
  const ScratchFolder folder;
  for (const std::string content : {"apple\npear\n", "apple\npear", "apple\r\npear\r\n"}) {
    const auto vocabulary = ReadVocabularyFile(folder.Write("words", content), TermUse::kTokens);
    ASSERT_OK(vocabulary);
    EXPECT_THAT(vocabulary->terms(), ElementsAre("apple", "pear"));
  }
}

TEST(VocabularyFile, LabelsNeedNotBeTokens) {
  const ScratchFolder folder;
  const std::string path = folder.Write("words", "New York\nR2-D2\n");
  EXPECT_THAT(ReadVocabularyFile(path, TermUse::kTokens),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(path)));
  const auto vocabulary = ReadVocabularyFile(path, TermUse::kLabels);
  ASSERT_OK(vocabulary);
  EXPECT_THAT(vocabulary->terms(), ElementsAre("New York", "R2-D2"));
}

TEST(VocabularyFile, BadFilesAreNamed) {
  const ScratchFolder folder;
  const auto invalid = StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("words"));
  for (const std::string& content :
       {std::string(), std::string("apple\n\npear\n"), std::string("apple\napple\n"),
        std::string("\xff\n"), "apple\n" + std::string(5000, 'a') + "\n"}) {
    EXPECT_THAT(ReadVocabularyFile(folder.Write("words", content), TermUse::kTokens), invalid);
    EXPECT_THAT(ReadVocabularyFile(folder.Write("words", content), TermUse::kLabels), invalid);
  }
  EXPECT_THAT(ReadVocabularyFile(folder.Path("absent"), TermUse::kTokens),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::corpus
