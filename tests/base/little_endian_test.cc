#include "base/little_endian.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace topicwall::base {
namespace {

TEST(LittleEndianTest, TheLowestByteComesFirst) {
  std::string bytes;
  AppendLittleEndian(uint16_t{0x0201}, &bytes);
  AppendLittleEndian(uint32_t{0x06050403}, &bytes);
  AppendLittleEndian(int64_t{-2}, &bytes);
  AppendLittleEndian(1.0, &bytes);
  EXPECT_EQ(bytes,
            std::string("\1\2\3\4\5\6\xfe\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\xf0\x3f", 22));
  absl::string_view view = bytes;
  EXPECT_EQ(TakeLittleEndian<uint16_t>(&view), 0x0201);
  EXPECT_EQ(TakeLittleEndian<uint32_t>(&view), 0x06050403U);
  EXPECT_EQ(FromLittleEndian<uint64_t>(view), ~uint64_t{1});
  EXPECT_EQ(TakeLittleEndian<int64_t>(&view), -2);
  EXPECT_EQ(TakeLittleEndian<double>(&view), 1.0);
  EXPECT_TRUE(view.empty());
}

}  // namespace
}  // namespace topicwall::base
