#include "model/data/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(VocabularyTest, FindsEachTermByItsNumberAndNothingElse) {
  ASSERT_OK_AND_ASSIGN(const auto vocabulary,
                       Vocabulary::Create({"pear", "apple", "\xC3\xA9t\xC3\xA9"}));
  EXPECT_EQ(vocabulary.size(), 3u);
  EXPECT_EQ(vocabulary.Find("pear"), 0u);
  EXPECT_EQ(vocabulary.Find("apple"), 1u);
  EXPECT_EQ(vocabulary.Find("\xC3\xA9t\xC3\xA9"), 2u);
  EXPECT_EQ(vocabulary.Find("Pear"), std::nullopt);
  EXPECT_EQ(vocabulary.Find(""), std::nullopt);
  EXPECT_EQ(vocabulary.terms()[1], "apple");
}

TEST(VocabularyTest, StillFindsTermsAfterACopyAndAMove) {
  ASSERT_OK_AND_ASSIGN(auto original, Vocabulary::Create({"a", "b"}));
  const Vocabulary copy = original;
  const Vocabulary moved = std::move(original);
  EXPECT_EQ(copy.Find("b"), 1u);
  EXPECT_EQ(moved.Find("b"), 1u);
}

TEST(VocabularyTest, RefusesATermTheTokenizerWouldNeverProduceAndNamesItsNumber) {
  for (const char* term : {"", "two words", "Upper", "r2d2", "don't", "tab\t", "bad\xFF"}) {
    EXPECT_THAT(Vocabulary::Create({"fine", term}), StatusIs(kInvalid, HasSubstr("term 2")))
        << term;
  }
}

TEST(VocabularyTest, RefusesDuplicatesAndNoTermsAtAll) {
  EXPECT_THAT(Vocabulary::Create({"a", "b", "a"}), StatusIs(kInvalid, HasSubstr("term 3")));
  EXPECT_THAT(Vocabulary::CreateOpaque({"a", "b", "a"}), StatusIs(kInvalid, HasSubstr("term 3")));
  EXPECT_THAT(Vocabulary::Create({}), StatusIs(kInvalid, HasSubstr("got 0")));
}

TEST(VocabularyTest, OpaqueTermsAreLabelsThatNeedNotBeTokens) {
  ASSERT_OK_AND_ASSIGN(const auto vocabulary,
                       Vocabulary::CreateOpaque({"New York", "R2D2", "x_1"}));
  EXPECT_EQ(vocabulary.Find("R2D2"), 1u);
}

TEST(VocabularyTest, OpaqueTermsMustStillFitOnALine) {
  for (const char* term : {"", "a\nb", "a\r", "\xC3"}) {
    EXPECT_THAT(Vocabulary::CreateOpaque({term}), StatusIs(kInvalid, HasSubstr("term 1"))) << term;
  }
}

TEST(VocabularyTest, ErrorsShowATermWithoutRawBytes) {
  EXPECT_THAT(Vocabulary::Create({"a\x1B[31m"}), StatusIs(kInvalid, HasSubstr("a\\x1b")));
}

}  // namespace
}  // namespace topicwall::lda
