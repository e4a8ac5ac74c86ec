#include "client/json.h"

#include <gtest/gtest.h>

#include "proto/wall.pb.h"

namespace topicwall::client {
namespace {

TEST(JsonTest, MessagesKeepTheirFieldNamesAndShowDefaults) {
  v1::CancelPlanRequest message;
  EXPECT_EQ(JsonOf(message), R"({"plan_id":""})");
}

}  // namespace
}  // namespace topicwall::client
