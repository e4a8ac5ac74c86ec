// What is in the way of a connection, by what TLS lets it be told; with a wall: tests/e2e.
#include "client/wall/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::topicwall::testing::StatusIs;

TEST(AdmissionTest, EachObstacleIsNamed) {
  const auto explain = [](const char* message) { return ExplainNoConnection("wall:1", message); };
  for (const char* others : {"Ssl handshake failed: SSL_ERROR_SSL: certificate verify failed",
                             "Peer name wall.example is not in peer certificate",
                             "Hostname Verification Check failed."}) {
    EXPECT_THAT(explain(others), StatusIs(absl::StatusCode::kFailedPrecondition,
                                          AllOf(StartsWith("CA: "), HasSubstr("host's name"))));
  }
  EXPECT_THAT(explain("empty address list: "),
              StatusIs(absl::StatusCode::kFailedPrecondition, StartsWith("key: ")));
  for (const char* closed : {"UNAVAILABLE: ipv4:127.0.0.1:1: Socket closed", "Broken pipe"}) {
    EXPECT_THAT(explain(closed),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         AllOf(StartsWith("certificate: "), HasSubstr("has expired"),
                               HasSubstr("nobody whom it names"),
                               HasSubstr("not yet valid by the server's clock"),
                               HasSubstr("its authority is over"))));
  }
  for (const char* absent : {"Connection refused", "DNS resolution failed", "Deadline Exceeded"}) {
    EXPECT_THAT(explain(absent), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("network: ")));
  }
}

TEST(AdmissionTest, NobodyAtTheAddressIsUnavailableAndFilesThatAreNoneAreNot) {
  const Credentials broken = {.ca = "-----BEGIN CERTIFICATE-----\n",
                              .certificate = "-----BEGIN CERTIFICATE-----\n",
                              .private_key = "-----BEGIN PRIVATE KEY-----\n"};
  EXPECT_THAT(CheckAdmission("127.0.0.1:1", broken),
              StatusIs(absl::StatusCode::kFailedPrecondition, StartsWith("key: ")));
  EXPECT_THAT(CheckAdmission("127.0.0.1:1", {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::client
