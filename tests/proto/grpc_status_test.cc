#include "proto/grpc_status.h"

#include <gtest/gtest.h>

#include "proto/budget_refusal.h"
#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace {

using ::topicwall::testing::StatusIs;

TEST(GrpcStatusTest, EveryCodeSurvivesTheRoundTrip) {
  for (int code = 0; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), code == 0 ? "" : "message");
    EXPECT_EQ(FromGrpcStatus(ToGrpcStatus(status)), status) << code;
  }
}

TEST(GrpcStatusTest, ARefusalArrivesWithItsNumbersInTheStandardDetails) {
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_asked(1.5);
  detail.set_most_iterations(7);
  const absl::Status refusal = BudgetRefusal("does not fit", detail);
  const grpc::Status sent = ToGrpcStatus(refusal);
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(sent.error_details()));
  EXPECT_EQ(details.code(), 9);
  EXPECT_EQ(details.message(), "does not fit");
  const auto received = BudgetExhaustedOf(FromGrpcStatus(sent));
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(received->SerializeAsString(), detail.SerializeAsString());
}

// Another's text must not add a line of its own to what a program says.
TEST(GrpcStatusTest, AMessageThatIsReceivedHasNoLineEndsAndNothingThatATerminalObeys) {
  const grpc::Status sent(grpc::StatusCode::ABORTED, "no\ntakes 0.1\x1B]0;title\a");
  EXPECT_EQ(FromGrpcStatus(sent).message(), "no\uFFFDtakes 0.1\uFFFD]0;title\uFFFD");
}

TEST(GrpcStatusTest, DamagedDetailsLeaveCodeAndMessage) {
  const grpc::Status damaged(grpc::StatusCode::ABORTED, "again", "\xff\xff not a message");
  EXPECT_THAT(FromGrpcStatus(damaged), StatusIs(absl::StatusCode::kAborted));
  EXPECT_FALSE(BudgetExhaustedOf(FromGrpcStatus(damaged)).has_value());
}

}  // namespace
}  // namespace topicwall::proto
