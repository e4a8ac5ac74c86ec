// What can be said of the connection without a wall; with one: tests/e2e.
#include "client/wall/wall_client.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::topicwall::testing::StatusIs;

Credentials SomeCredentials() {
  return {.ca = "-----BEGIN CERTIFICATE-----\n",
          .certificate = "-----BEGIN CERTIFICATE-----\n",
          .private_key = "-----BEGIN PRIVATE KEY-----\n"};
}

TEST(WallClientTest, ThereIsNoConnectionWithoutAllThreeCredentials) {
  for (std::string Credentials::*part :
       {&Credentials::ca, &Credentials::certificate, &Credentials::private_key}) {
    Credentials credentials = SomeCredentials();
    (credentials.*part).clear();
    EXPECT_THAT(
        WallClient::Connect({.server = "localhost:1", .credentials = credentials, .on_wait = {}}),
        StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(WallClientTest, AnAbsentServerIsUnavailableAfterAFewTriesAndEachIsTold) {
  int waits = 0;
  const auto wall = WallClient::Connect({.server = "127.0.0.1:1",
                                         .credentials = SomeCredentials(),
                                         .on_wait = [&waits](const absl::Status& error) {
                                           ++waits;
                                           EXPECT_FALSE(error.ok());
                                         }});
  ASSERT_OK(wall);
  EXPECT_THAT((*wall)->DescribeCorpus("notes"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_GE(waits, 2);
}

}  // namespace
}  // namespace topicwall::client
