#include "model/data/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

// Numbers:               0      1        2      3       4     5              6              7
const char* const kTerms[] = {"don",      "panic", "t", "times", "x", "\xC3\xA9t\xC3\xA9",
                              "\xC3\x89", "ab"};

Vocabulary TestVocabulary() {
  return *Vocabulary::Create(std::vector<std::string>(std::begin(kTerms), std::end(kTerms)));
}

std::vector<TermCount> Counts(absl::string_view text) {
  const Vocabulary vocabulary = TestVocabulary();
  std::vector<TermCount> counts;
  EXPECT_OK(CountTerms(text, vocabulary, &counts));
  return counts;
}

TEST(TokenizerTest, CountsTermsInAscendingOrder) {
  EXPECT_THAT(Counts("Don't PANIC, 42 times: panic!"),
              ElementsAre(TermCount{0, 1}, TermCount{1, 2}, TermCount{2, 1}, TermCount{3, 1}));
}

TEST(TokenizerTest, AsciiLettersAreLowerCased) {
  EXPECT_THAT(Counts("DON dOn don"), ElementsAre(TermCount{0, 3}));
}

TEST(TokenizerTest, DigitsAndAsciiPunctuationSeparate) {
  EXPECT_THAT(Counts("x2x_x-x\tx\nx.x"), ElementsAre(TermCount{4, 7}));
}

TEST(TokenizerTest, NulSeparatesLikeOtherControlCharacters) {
  EXPECT_THAT(Counts(absl::string_view("x\0x", 3)), ElementsAre(TermCount{4, 2}));
}

TEST(TokenizerTest, NonAsciiBytesAreTokenBytesAndKeepTheirCase) {
  EXPECT_THAT(Counts("\xC3\xA9t\xC3\xA9 \xC3\xA9T\xC3\xA9"), ElementsAre(TermCount{5, 2}));
  EXPECT_THAT(Counts("\xC3\x89 \xC3\xA9"), ElementsAre(TermCount{6, 1}));
}

TEST(TokenizerTest, NonAsciiPunctuationJoinsWhatItTouches) {
  EXPECT_THAT(Counts("don\xE2\x80\x99t x"), ElementsAre(TermCount{4, 1}));
}

TEST(TokenizerTest, TokensAreMaximalRuns) { EXPECT_THAT(Counts("abx xab abab"), IsEmpty()); }

TEST(TokenizerTest, TokensOutsideTheVocabularyAreDropped) {
  EXPECT_THAT(Counts("nothing of this is known"), IsEmpty());
  EXPECT_THAT(Counts(""), IsEmpty());
}

TEST(TokenizerTest, LastTokenNeedsNoSeparatorAfterIt) {
  EXPECT_THAT(Counts("ab ab"), ElementsAre(TermCount{7, 2}));
}

TEST(TokenizerTest, InvalidUtf8IsRefusedWithoutAWordOfTheText) {
  const Vocabulary vocabulary = TestVocabulary();
  std::vector<TermCount> counts = {{1, 1}};
  const absl::Status status = CountTerms("panic secret\xFF", vocabulary, &counts);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("secret"))));
  EXPECT_THAT(counts, IsEmpty());
}

TEST(TokenizerTest, EveryTermOfAVocabularyIsFoundInItsOwnText) {
  const Vocabulary vocabulary = TestVocabulary();
  std::vector<TermCount> counts;
  for (uint32_t i = 0; i < vocabulary.size(); ++i) {
    ASSERT_OK(CountTerms(vocabulary.terms()[i], vocabulary, &counts));
    EXPECT_THAT(counts, ElementsAre(TermCount{i, 1}));
  }
}

TEST(TokenizerTest, CountsOfLongTextsAreExact) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "panic x ";
  EXPECT_THAT(Counts(text), ElementsAre(TermCount{1, 100000}, TermCount{4, 100000}));
}

TEST(TokenizerTest, OneTokenMeansLowerCaseLettersAndNonAsciiOnly) {
  EXPECT_TRUE(IsOneToken("abc"));
  EXPECT_TRUE(IsOneToken("na\xC3\xAFve"));
  for (const char* term : {"", "a b", "aB", "a1", "-", "\xC3"}) EXPECT_FALSE(IsOneToken(term));
}

}  // namespace
}  // namespace topicwall::lda
