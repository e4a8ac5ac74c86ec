#include "base/name.h"

#include <gtest/gtest.h>

#include <string>

namespace topicwall::base {
namespace {

TEST(NameTest, IsOneWordToAShellAndNoOptionAndNoPath) {
  for (const char* name : {"notes", "N-2_b", "_", "0", "3f1c0de2a9b84c6d8f7e5a4b3c2d1e0f"}) {
    EXPECT_TRUE(IsName(name)) << name;
  }
  EXPECT_TRUE(IsName(std::string(64, 'n')));
  EXPECT_FALSE(IsName(std::string(65, 'n')));
  for (const char* none :
       {"", "-", "--yes", "a b", "a;b", "it's", "../a", "a.b", "\xC3\xA9", "a\n"}) {
    EXPECT_FALSE(IsName(none)) << none;
  }
}

}  // namespace
}  // namespace topicwall::base
