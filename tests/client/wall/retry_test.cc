#include "client/wall/retry.h"

#include <gtest/gtest.h>

#include <vector>

#include "absl/status/statusor.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

class RetryTest : public ::testing::Test {
 protected:
  RetryPolicy Policy(absl::Duration patience) {
    return {.first_delay = absl::Seconds(1),
            .largest_delay = absl::Seconds(4),
            .patience = patience,
            .wait = [this](absl::Duration delay, const absl::Status&) {
              waits_.push_back(delay);
              return stop_;
            }};
  }
  std::vector<absl::Duration> waits_;
  absl::Status stop_ = absl::OkStatus();
};

TEST_F(RetryTest, AnAnswerIsTakenAtOnce) {
  EXPECT_OK(Retry(Policy(absl::Seconds(9)), [] { return absl::OkStatus(); }));
  EXPECT_THAT(Retry(Policy(absl::Seconds(9)), [] { return absl::NotFoundError("x"); }),
              StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(RetryTest, DelaysDoubleUpToTheLargestAndEndWithPatience) {
  int sent = 0;
  const absl::Status status = Retry(Policy(absl::Seconds(12)), [&sent] {
    ++sent;
    return absl::UnavailableError("x");
  });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  // 1 + 2 + 4 + 4 = 11; another 4 would pass 12.
  EXPECT_THAT(waits_,
              ElementsAre(absl::Seconds(1), absl::Seconds(2), absl::Seconds(4), absl::Seconds(4)));
  EXPECT_EQ(sent, 5);
}

TEST_F(RetryTest, AnAnswerAfterFailuresIsReturnedWithItsValue) {
  int sent = 0;
  const absl::StatusOr<int> answer =
      Retry(Policy(absl::Seconds(9)), [&sent]() -> absl::StatusOr<int> {
        if (++sent < 3) return absl::AbortedError("x");
        return 42;
      });
  ASSERT_OK(answer);
  EXPECT_EQ(*answer, 42);
}

TEST_F(RetryTest, AWaitThatIsToldToStopEndsTheCall) {
  int sent = 0;
  stop_ = absl::CancelledError("stopped");
  EXPECT_THAT(Retry(Policy(absl::Seconds(9)),
                    [&sent]() -> absl::StatusOr<int> {
                      ++sent;
                      return absl::UnavailableError("x");
                    }),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(sent, 1);
}

TEST_F(RetryTest, WithoutPatienceThereIsASingleTry) {
  int sent = 0;
  EXPECT_FALSE(Retry(Policy(absl::ZeroDuration()), [&sent] {
                 ++sent;
                 return absl::UnavailableError("x");
               }).ok());
  EXPECT_EQ(sent, 1);
}

TEST(IsWorthRetryingTest, OnlyWhatPassesByItself) {
  EXPECT_TRUE(IsWorthRetrying(absl::UnavailableError("")));
  EXPECT_TRUE(IsWorthRetrying(absl::AbortedError("")));
  EXPECT_TRUE(IsWorthRetrying(absl::ResourceExhaustedError("Server Threadpool Exhausted")));
  EXPECT_FALSE(
      IsWorthRetrying(absl::ResourceExhaustedError("Received message larger than max (5 vs. 4)")));
  for (const absl::Status& answer :
       {absl::OkStatus(), absl::FailedPreconditionError(""), absl::ResourceExhaustedError(""),
        absl::DataLossError(""), absl::InternalError(""), absl::DeadlineExceededError("")}) {
    EXPECT_FALSE(IsWorthRetrying(answer)) << answer;
  }
}

}  // namespace
}  // namespace topicwall::client
