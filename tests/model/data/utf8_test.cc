#include "model/data/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace topicwall::lda {
namespace {

TEST(Utf8Test, AcceptsEveryLengthAndBothEndsOfEachRange) {
  for (const char* text :
       {"", "plain", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "a\xC3\xA9z\xE2\x82\xAC"}) {
    EXPECT_TRUE(IsValidUtf8(text)) << text;
  }
  EXPECT_TRUE(IsValidUtf8(absl::string_view("a\0b", 3)));
}

TEST(Utf8Test, RefusesOverlongSurrogateTruncatedAndTooLarge) {
  for (const char* text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x80\x80", "\xE0\x9F\xBF",
        "\xE2\x82", "\xE2\x28\xA1", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF", "\xF0\x90\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF",
        "good\xC3"}) {
    EXPECT_FALSE(IsValidUtf8(text)) << text;
  }
}

std::string Encode(uint32_t code) {
  const auto tail = [code](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

TEST(Utf8Test, AcceptsExactlyTheUnicodeScalarValues) {
  for (uint32_t code = 0; code < 0x120000; code += 7) {
    const bool scalar = code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    ASSERT_EQ(IsValidUtf8(Encode(code)), scalar) << code;
  }
}

}  // namespace
}  // namespace topicwall::lda
