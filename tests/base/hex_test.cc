#include "base/hex.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

namespace topicwall::base {
namespace {

TEST(HexTest, HasTwoDigitsAByteOfTextsAndOfArrays) {
  EXPECT_EQ(Hex(std::string("\x00\xff\x0a", 3)), "00ff0a");
  EXPECT_EQ(Hex(std::array<uint8_t, 3>{0x00, 0xff, 0x0a}), "00ff0a");
  EXPECT_EQ(Hex(""), "");
}

}  // namespace
}  // namespace topicwall::base
