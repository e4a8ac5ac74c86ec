#include "client/wall/wall_channel.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::topicwall::testing::StatusIs;

TEST(WallChannelTest, ThereIsNoConnectionWithoutAllThreeCredentials) {
  const Credentials all = {.ca = "a", .certificate = "b", .private_key = "c"};
  EXPECT_OK(CheckComplete(all));
  for (std::string Credentials::*part :
       {&Credentials::ca, &Credentials::certificate, &Credentials::private_key}) {
    Credentials credentials = all;
    (credentials.*part).clear();
    EXPECT_THAT(CheckComplete(credentials), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace topicwall::client
