#include "server/vault/lines/upload_room.h"

#include <gtest/gtest.h>

#include <optional>

namespace topicwall::server {
namespace {

TEST(UploadRoomTest, OnePrincipalHasTwoUploadsAndKeepsNobodyElseOut) {
  UploadRoom room(1000);
  auto first = room.Enter("alice", 10);
  auto second = room.Enter("alice", 10);
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(room.Enter("alice", 10).has_value());
  EXPECT_TRUE(room.Enter("bob", 10).has_value());
  first.reset();
  EXPECT_TRUE(room.Enter("alice", 10).has_value());
}

TEST(UploadRoomTest, AllTogetherHaveABoundOfBytesThatOneAloneMayExceed) {
  UploadRoom room(100);
  auto large = room.Enter("alice", 500);
  ASSERT_TRUE(large.has_value());
  EXPECT_FALSE(room.Enter("bob", 1).has_value());
  large.reset();
  auto some = room.Enter("alice", 60);
  auto rest = room.Enter("bob", 40);
  ASSERT_TRUE(some.has_value());
  ASSERT_TRUE(rest.has_value());
  EXPECT_FALSE(room.Enter("carol", 1).has_value());
  some.reset();
  EXPECT_TRUE(room.Enter("carol", 60).has_value());
}

}  // namespace
}  // namespace topicwall::server
