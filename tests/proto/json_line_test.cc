#include "proto/json_line.h"

#include <gtest/gtest.h>

#include <string>

namespace topicwall::proto {
namespace {

std::string Nested(size_t levels) {
  return "{\"x\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
}

// The parser alone would need hours for the last two: its time grows with the square of the depth.
TEST(JsonLineTest, WhatIsNestedIsReadAndWhatIsNestedTooDeepIsRefusedAtOnce) {
  EXPECT_TRUE(JsonObjectOf(Nested(40)).has_value());
  EXPECT_FALSE(JsonObjectOf(Nested(101)).has_value());
  EXPECT_FALSE(JsonObjectOf(Nested(1'000'000)).has_value());
  // A quote in the other kind of quotes hides nothing.
  EXPECT_FALSE(JsonObjectOf("{'y':'\"\\'\"'," + Nested(1'000'000).substr(1)).has_value());
}

TEST(JsonLineTest, BracketsInAStringAreNoLevels) {
  for (const char* begin : {"", "\\\"", "'", "\\\\"}) {
    EXPECT_TRUE(JsonObjectOf("{\"x\":\"" + std::string(begin) + std::string(1000, '[') +
                             std::string(1000, '{') + "\"}")
                    .has_value())
        << begin;
  }
}

TEST(JsonLineTest, OnlyOneObjectWithEachNameOnceIsOne) {
  for (const char* text : {"", "7", "[{}]", "{} {}", "{\"a\":1", "{\"a\":1,\"a\":2}"}) {
    EXPECT_FALSE(JsonObjectOf(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace topicwall::proto
