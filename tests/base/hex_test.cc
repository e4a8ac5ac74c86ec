#include "base/hex.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace topicwall::base {
namespace {

TEST(HexTest, HasTwoDigitsAByteOfTextsAndOfArrays) {
  EXPECT_EQ(Hex(std::string("\x00\xff\x0a", 3)), "00ff0a");
  EXPECT_EQ(Hex(std::array<uint8_t, 3>{0x00, 0xff, 0x0a}), "00ff0a");
  EXPECT_EQ(Hex(""), "");
}

TEST(HexTest, OnlyTheDigitsOfSoManyBytesAreRead) {
  EXPECT_EQ(BytesOfHex("00fF0a", 3), std::string("\x00\xff\x0a", 3));
  EXPECT_EQ(BytesOfHex("", 0), "");
  for (const std::string wrong : {"00ff0", "00ff", "00ff0a0b", "00ff0g", "00ff 0", "0x00ff", ""}) {
    EXPECT_EQ(BytesOfHex(wrong, 3), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace topicwall::base
