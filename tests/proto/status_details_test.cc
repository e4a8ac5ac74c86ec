#include "proto/status_details.h"

#include <gtest/gtest.h>

#include <climits>

#include "absl/strings/cord.h"
#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace {

using ::topicwall::testing::StatusIs;

TEST(StatusDetailsTest, EveryCodeAndPayloadSurvivesTheRoundTrip) {
  for (int code = 0; code <= 16; ++code) {
    absl::Status status(static_cast<absl::StatusCode>(code), code == 0 ? "" : "message");
    status.SetPayload("type.example/a", absl::Cord(std::string("\0\xff", 2)));
    status.SetPayload("type.example/b", absl::Cord("b"));
    EXPECT_EQ(FromStatusDetails(ToStatusDetails(status)), status) << code;
  }
}

TEST(StatusDetailsTest, ACodeThatIsNoneIsUnknownAndNeverOk) {
  for (const int code : {-1, 17, INT_MAX, INT_MIN}) {
    v1::StatusDetails details;
    details.set_code(code);
    details.set_message("why");
    EXPECT_THAT(FromStatusDetails(details), StatusIs(absl::StatusCode::kUnknown, "why")) << code;
  }
}

}  // namespace
}  // namespace topicwall::proto
