#include "server/acts/answer_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace topicwall::acts {
namespace answer_cache_test {

using ::testing::ElementsAre;
using ::testing::Optional;

constexpr size_t kMostBytes = 30'000;

TEST(AnswerCacheTest, GivesBackWhatWasKeptUnderTheKeyAndNothingElse) {
  AnswerCache cache(kMostBytes);
  EXPECT_FALSE(cache.Find("a").has_value());
  cache.Keep("a", {"one"});
  cache.Keep("b", {"two", "", "three"});
  EXPECT_THAT(cache.Find("a"), Optional(ElementsAre("one")));
  EXPECT_THAT(cache.Find("b"), Optional(ElementsAre("two", "", "three")));
}

TEST(AnswerCacheTest, WhatWasNotAskedForLongestMakesRoom) {
  AnswerCache cache(kMostBytes);
  const std::string third(kMostBytes / 3, 'x');
  cache.Keep("a", {third});
  cache.Keep("b", {third});
  ASSERT_TRUE(cache.Find("a").has_value());
  cache.Keep("c", {third});
  EXPECT_TRUE(cache.Find("a").has_value());
  EXPECT_FALSE(cache.Find("b").has_value());
  EXPECT_TRUE(cache.Find("c").has_value());
}

TEST(AnswerCacheTest, AnAnswerLargerThanAllOfItIsNotKept) {
  AnswerCache cache(kMostBytes);
  cache.Keep("a", {"one"});
  cache.Keep("b", {std::string(kMostBytes + 1, 'x')});
  EXPECT_FALSE(cache.Find("b").has_value());
  EXPECT_THAT(cache.Find("a"), Optional(ElementsAre("one")));
}

// Messages of nothing are not for nothing.
TEST(AnswerCacheTest, ManyEmptyMessagesAreNotKept) {
  AnswerCache cache(kMostBytes);
  cache.Keep("a", Answer(kMostBytes, ""));
  EXPECT_FALSE(cache.Find("a").has_value());
}

// Whoever asks chooses the keys.
TEST(AnswerCacheTest, AKeyCountsAsItsAnswerDoes) {
  AnswerCache cache(kMostBytes);
  const std::string long_key(kMostBytes + 1, 'k');
  cache.Keep(long_key, {""});
  EXPECT_FALSE(cache.Find(long_key).has_value());
}

}  // namespace answer_cache_test
}  // namespace topicwall::acts
