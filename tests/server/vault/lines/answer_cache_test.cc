#include "server/vault/lines/answer_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace topicwall::server {
namespace {

TEST(AnswerCacheTest, GivesBackWhatWasKeptUnderTheKeyAndNothingElse) {
  AnswerCache cache;
  EXPECT_FALSE(cache.Find("a").has_value());
  cache.Keep("a", "one");
  cache.Keep("b", "two");
  EXPECT_EQ(cache.Find("a"), "one");
  EXPECT_EQ(cache.Find("b"), "two");
}

TEST(AnswerCacheTest, WhatWasNotAskedForLongestMakesRoom) {
  AnswerCache cache;
  const std::string third(AnswerCache::kMostBytes / 3, 'x');
  cache.Keep("a", third);
  cache.Keep("b", third);
  ASSERT_TRUE(cache.Find("a").has_value());
  cache.Keep("c", third);
  EXPECT_TRUE(cache.Find("a").has_value());
  EXPECT_FALSE(cache.Find("b").has_value());
  EXPECT_TRUE(cache.Find("c").has_value());
}

TEST(AnswerCacheTest, AnAnswerLargerThanAllOfItIsNotKept) {
  AnswerCache cache;
  cache.Keep("a", "one");
  cache.Keep("b", std::string(AnswerCache::kMostBytes + 1, 'x'));
  EXPECT_FALSE(cache.Find("b").has_value());
  EXPECT_EQ(cache.Find("a"), "one");
}

}  // namespace
}  // namespace topicwall::server
