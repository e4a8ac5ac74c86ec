#include "server/audit/pairs/fresh_keys.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

TEST(FreshKeysTest, AChildDrawsOthers) {
  const auto differ = KeysDifferAcrossFork();
  ASSERT_OK(differ);
  EXPECT_TRUE(*differ);
}

TEST(FreshKeysTest, AKeyThatComesTwiceIsSeen) {
  std::vector<std::vector<uint8_t>> keys = {{1, 2}, {3, 4}, {1, 3}};
  EXPECT_TRUE(AllDifferent(&keys));
  keys.push_back({3, 4});
  EXPECT_FALSE(AllDifferent(&keys));
}

}  // namespace
}  // namespace topicwall::audit
