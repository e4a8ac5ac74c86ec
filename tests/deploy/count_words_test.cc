#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "model/data/vocabulary.h"
#include "tests/deploy/shell_command.h"
#include "tests/support/status_matchers.h"

namespace topicwall::deploy {
namespace {

using ::testing::HasSubstr;

class CountWords : public FolderTest {
 protected:
  // The list of `terms` terms of these lines.
  std::string Count(const std::string& lines, int terms) {
    WriteWholeFile(Path("documents.jsonl"), lines);
    return RunShell(Deployed("count-words") + " --terms " + std::to_string(terms) + " " +
                    Path("documents.jsonl") + " 2>/dev/null")
        .output;
  }
};

TEST_F(CountWords, OrdersByDocumentsNotByOccurrences) {
  EXPECT_EQ(Count("{\"id\": \"1\", \"text\": \"cherry cherry cherry apple\"}\n"
                  "{\"id\": \"2\", \"text\": \"Apple-the\"}\n",
                  10),
            "apple\ncherry\n");
}

TEST_F(CountWords, BreaksTiesAlphabeticallyAndKeepsTheFirst) {
  EXPECT_EQ(Count("{\"text\": \"pear fig apple\"}\n", 2), "apple\nfig\n");
}

TEST_F(CountWords, LeavesOutShortAndFunctionWordsAndTypography) {
  EXPECT_EQ(Count("{\"text\": \"The x of ab with \xe2\x80\x94 it\xe2\x80\x99s tokens\"}\n", 10),
            "tokens\n");
}

TEST_F(CountWords, UndoesEscapesAndKeepsOtherLetters) {
  EXPECT_EQ(Count("{\"text\": \"na\\u00efve \\\"quote\\\" line\\nbreak \\ud83d\\ude00abc\"}\n", 10),
            "break\nline\nna\xc3\xafve\nquote\n\xf0\x9f\x98\x80"
            "abc\n");
}

TEST_F(CountWords, NamesALineWithoutText) {
  WriteWholeFile(Path("documents.jsonl"), "{\"text\": \"fine\"}\n{\"id\": \"2\"}\n");
  const Outcome outcome = RunShell(Deployed("count-words") + " " + Path("documents.jsonl"));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("line 2"));
}

TEST_F(CountWords, WarnsOfPrivateText) {
  EXPECT_THAT(RunShell(Deployed("count-words") + " --help").output,
              HasSubstr("Never count one from a\nprivate corpus"));
}

TEST(DebianWords, AreAVocabularyOf8000) {
  std::vector<std::string> terms =
      absl::StrSplit(ReadWholeFile(Deployed("debian-words.txt")), '\n');
  ASSERT_EQ(terms.back(), "");
  terms.pop_back();
  EXPECT_EQ(terms.size(), 8000u);
  EXPECT_OK(lda::Vocabulary::Create(terms));
}

}  // namespace
}  // namespace topicwall::deploy
