#include "server/corpus/ingest/vocabulary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

TEST(VocabularyFile, IsOneTermToALine) {
  const testing::TemporaryDirectory folder;
  for (const std::string content : {"apple\npear\n", "apple\npear", "apple\r\npear\r\n"}) {
    ASSERT_OK_AND_ASSIGN(const auto vocabulary,
                         ReadVocabularyFile(folder.Write("words", content), TermUse::kTokens));
    EXPECT_THAT(vocabulary.terms(), ElementsAre("apple", "pear"));
  }
}

TEST(VocabularyFile, LabelsNeedNotBeTokens) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.Write("words", "New York\nR2-D2\n");
  EXPECT_THAT(ReadVocabularyFile(path, TermUse::kTokens),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(path)));
  ASSERT_OK_AND_ASSIGN(const auto vocabulary, ReadVocabularyFile(path, TermUse::kLabels));
  EXPECT_THAT(vocabulary.terms(), ElementsAre("New York", "R2-D2"));
}

TEST(VocabularyFile, CapitalsOfWordsAreFoldedAsInTextsAndThoseOfLabelsKept) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.Write("words",
                                        "\xef\xbb\xbf"
                                        "Apple\npear\n\xc3\x89t\xc3\xa9\n");
  EXPECT_THAT(ReadVocabularyFile(path, TermUse::kTokens)->terms(),
              ElementsAre("apple", "pear", "\xc3\x89t\xc3\xa9"));
  EXPECT_THAT(ReadVocabularyFile(path, TermUse::kLabels)->terms(),
              ElementsAre("Apple", "pear", "\xc3\x89t\xc3\xa9"));
}

TEST(VocabularyFile, TheFirstLineThatIsNoTermIsNamedWithItsRuleAndAWayOut) {
  const testing::TemporaryDirectory folder;
  const auto error = [&](const std::string& content, TermUse use) {
    return std::string(ReadVocabularyFile(folder.Write("words", content), use).status().message());
  };
  EXPECT_THAT(error("apple\nit's\n", TermUse::kTokens),
              AllOf(HasSubstr("words, line 2: a term must be one word"), HasSubstr("it\\'s"),
                    HasSubstr("tr A-Z a-z")));
  EXPECT_THAT(error("apple\npear\nApple\n", TermUse::kTokens),
              AllOf(HasSubstr("words, line 3: a term must differ from that of line 1"),
                    HasSubstr("\"Apple\"")));
  EXPECT_THAT(error("a\nb\na\n", TermUse::kLabels),
              HasSubstr("words, line 3: a term must differ from that of line 1"));
  EXPECT_THAT(error("a\n\n", TermUse::kLabels), HasSubstr("words, line 2: a term must be at"));
}

TEST(VocabularyFile, BadFilesAreNamed) {
  const testing::TemporaryDirectory folder;
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
