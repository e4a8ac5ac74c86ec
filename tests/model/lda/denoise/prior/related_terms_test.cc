#include "model/lda/denoise/prior/related_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace related_terms_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using ::topicwall::testing::StatusIs;

// Words without a common beginning of three letters.
std::string Stem(int number, int letters) {
  std::string stem;
  for (int i = 0; i < letters; ++i, number /= 20) {
    stem.push_back(static_cast<char>('a' + (number + 3 * i) % 20));
  }
  return stem;
}

// kind → pairs, of so many stems with each of the endings.
std::map<uint32_t, int> Kinds(int stems, int letters, const std::vector<std::string>& endings) {
  std::vector<std::string> words;
  for (int i = 0; i < stems; ++i) {
    for (const std::string& ending : endings) words.push_back(Stem(i, letters) + ending);
  }
  std::map<uint32_t, int> kinds;
  for (const RelatedPair& pair : FindRelatedTerms(words)) {
    EXPECT_EQ(words[pair.first].substr(0, static_cast<size_t>(letters)),
              words[pair.second].substr(0, static_cast<size_t>(letters)));
    ++kinds[pair.kind];
  }
  return kinds;
}

TEST(RelatedTermsTest, TheKindIsHowManyWordsShareTheTwoEndingsAndWhetherTheStemIsLong) {
  EXPECT_THAT(Kinds(2, 4, {"", "zzu"}), IsEmpty());
  EXPECT_THAT(Kinds(3, 4, {"", "zzu"}), UnorderedElementsAre(Pair(6, 3)));
  EXPECT_THAT(Kinds(9, 4, {"zu", "zw"}), UnorderedElementsAre(Pair(7, 9)));  // the stem has a z
  EXPECT_THAT(Kinds(10, 6, {"", "zzu"}), UnorderedElementsAre(Pair(5, 10)));
  EXPECT_THAT(Kinds(30, 6, {"v", "zzu"}), UnorderedElementsAre(Pair(3, 30)));
  EXPECT_THAT(Kinds(100, 4, {"v", "zzu"}), UnorderedElementsAre(Pair(0, 100)));
}

TEST(RelatedTermsTest, EveryTwoFormsOfAWordAreRelatedOnce) {
  const std::vector<std::string> words = {"filters", "printing", "filter", "prints", "filtering",
                                          "lasting", "print",    "lasts",  "last",   "unrelated"};
  const RelatedTerms related = FindRelatedTerms(words);
  EXPECT_OK(CheckRelatedTerms(related, static_cast<int>(words.size())));
  EXPECT_EQ(related.size(), 9u);  // three of each of three words
  std::map<std::pair<uint32_t, uint32_t>, int> times;
  for (const RelatedPair& pair : related) ++times[{pair.first, pair.second}];
  EXPECT_EQ(times.size(), related.size());
  EXPECT_EQ((times.count({0, 4})), 1u);  // "s" and "ing", of no word's own
}

TEST(RelatedTermsTest, LettersAreNotTornApart) {
  // é and è are two bytes, of which the first is the same: as bytes the stem would have five.
  std::vector<std::string> words;
  for (const char* stem : {"abcd", "efgh", "ijkl"}) {
    for (const char* ending : {"é", "è"}) words.push_back(std::string(stem) + ending);
  }
  const RelatedTerms related = FindRelatedTerms(words);
  ASSERT_EQ(related.size(), 3u);
  for (const RelatedPair& pair : related) EXPECT_EQ(pair.kind, 6u);
}

TEST(RelatedTermsTest, NoWordListIsTooMuch) {
  EXPECT_THAT(FindRelatedTerms({}), IsEmpty());
  EXPECT_THAT(FindRelatedTerms({"", "a", "ab", "\xff\xfe\x80\x80\x80\x80\x80\x80"}), IsEmpty());
  // A million letters, and thousands of words of one stem: w10000 … w13999 are no forms of "w1".
  std::vector<std::string> words = {std::string(1'000'000, 'x'), std::string(1'000'001, 'x')};
  for (int i = 10000; i < 14000; ++i) words.push_back("w" + std::to_string(i));
  const RelatedTerms related = FindRelatedTerms(words);
  EXPECT_OK(CheckRelatedTerms(related, static_cast<int>(words.size())));
  EXPECT_LT(related.size(), words.size() * kMostOfAStem);
}

TEST(RelatedTermsTest, WhatIsNotInOrderOrOutOfRangeIsRefused) {
  const auto invalid =
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("related_terms must rise"));
  EXPECT_OK(CheckRelatedTerms({}, 1));
  EXPECT_OK(CheckRelatedTerms({{{0, 1, 7}, {0, 2, 0}, {1, 2, 0}}}, 3));
  for (const RelatedTerms& bad : std::vector<RelatedTerms>{{{0, 3, 0}},
                                                           {{1, 1, 0}},
                                                           {{2, 1, 0}},
                                                           {{0, 1, 8}},
                                                           {{0, 1, 0}, {0, 1, 0}},
                                                           {{0, 2, 0}, {0, 1, 0}}}) {
    EXPECT_THAT(CheckRelatedTerms(bad, 3), invalid);
  }
}

TEST(RelatedTermsTest, ATermHasItsRelationsFromEitherSideAndIsInOneFamily) {
  const RelatedTerms related = {{0, 2, 1}, {0, 4, 2}, {2, 4, 5}};
  const RelationsOfTerms relations(related, 5);
  ASSERT_EQ(relations.families().size(), 3u);
  EXPECT_THAT(relations.families()[0], ElementsAre(0, 2, 4));
  EXPECT_THAT(relations.families()[1], ElementsAre(1));
  EXPECT_THAT(relations.families()[2], ElementsAre(3));
  EXPECT_THAT(relations.of(1), IsEmpty());
  ASSERT_EQ(relations.of(0).size(), 2u);
  ASSERT_EQ(relations.of(4).size(), 2u);
  EXPECT_EQ(relations.of(4)[0].place, 0u);
  EXPECT_EQ(relations.of(4)[0].kind, 2u);
  EXPECT_EQ(relations.of(4)[1].place, 1u);
  EXPECT_EQ(relations.of(4)[1].kind, 5u);
}

TEST(RelatedTermsTest, FamiliesAreJoinedThroughOthersUpToTheMostThereMayBe) {
  constexpr uint32_t kTerms = 100;
  RelatedTerms related;
  for (uint32_t v = 0; v + 1 < kTerms; ++v) related.push_back({v, v + 1, 0});
  const RelationsOfTerms relations(related, kTerms);
  ASSERT_EQ(relations.families().size(), 2u);
  EXPECT_EQ(relations.families()[0].size(), kMostOfAFamily);
  EXPECT_EQ(relations.families()[1].size(), kTerms - kMostOfAFamily);
  EXPECT_EQ(relations.of(kMostOfAFamily - 1).size(), 1u) << "what would join them is left out";
  EXPECT_EQ(relations.of(kMostOfAFamily).size(), 1u);
  // Two families that meet late.
  const RelationsOfTerms late(RelatedTerms{{0, 3, 0}, {1, 2, 0}, {2, 3, 0}}, 4);
  ASSERT_EQ(late.families().size(), 1u);
  EXPECT_THAT(late.families()[0], ElementsAre(0, 1, 2, 3));
}

}  // namespace related_terms_test
}  // namespace topicwall::lda
