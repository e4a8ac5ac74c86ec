#include "client/exit_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "proto/budget_refusal.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

absl::Status Refusal(int most_iterations) {
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_asked(1.25);
  detail.set_epsilon_spent(2);
  detail.set_epsilon_total(2.44);
  detail.set_epsilon_left(0.44);
  detail.set_delta(1e-6);
  detail.set_most_iterations(most_iterations);
  detail.set_limit("analyst");
  return proto::BudgetRefusal("no", detail);
}

TEST(ExitCodeTest, EachKindOfEndHasItsNumber) {
  EXPECT_EQ(static_cast<int>(ExitCodeOf(absl::OkStatus())), 0);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(absl::InvalidArgumentError("x"))), 1);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(absl::FailedPreconditionError("frozen"))), 1);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(absl::DataLossError("x"))), 1);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(UsageError("x"))), 2);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(Refusal(0))), 3);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(absl::UnavailableError("x"))), 4);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(absl::AbortedError("x"))), 4);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(absl::DeadlineExceededError("x"))), 4);
}

TEST(ExplainTest, ARefusalForLackOfVouchersSaysSoAndShowsNoEpsilon) {
  v1::PrivacyBudgetExhausted detail;
  detail.set_limit("corpus");
  detail.set_vouchers(true);
  detail.set_epsilon_left(2);
  detail.set_most_iterations(3);
  const std::string text = Explain(proto::BudgetRefusal("no", detail));
  EXPECT_THAT(text, HasSubstr("vouchers"));
  EXPECT_THAT(text, HasSubstr("at most 3 releases"));
  EXPECT_THAT(text, Not(HasSubstr("left")));
}

TEST(ExplainTest, ARefusalShowsItsNumbersAndWhatStillFits) {
  const std::string text = Explain(Refusal(3));
  for (const char* part :
       {"analyst", "takes  more than all of the 0.4400 left (2.4400 in all, at delta 1e-06)",
        "alone it would be epsilon 1.2500", "at most 3 releases"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(Explain(WithTaken(Refusal(3), 0.75)), HasSubstr("takes  0.7500 of the 0.4400 left"));
  EXPECT_THAT(Explain(WithTaken(Refusal(3), 0.75004)), HasSubstr("takes  0.7501 of the"));
  EXPECT_TRUE(WithTaken(absl::OkStatus(), 1).ok());
  EXPECT_THAT(Explain(Refusal(0)), HasSubstr("with more noise one may (--spend all, or less)."));
}

// A fit has releases beside its iterations: as many iterations as releases fit would not fit.
TEST(ExplainTest, WhatStillFitsIsCountedInReleasesAsAPriceCountsIt) {
  for (const int fits : {0, 20}) {
    EXPECT_THAT(Explain(Refusal(fits)), HasSubstr(fits == 0 ? "not one release of this kind fits"
                                                            : "at most 20 releases of this kind"));
    EXPECT_THAT(Explain(Refusal(fits)), Not(HasSubstr("iteration")));
  }
}

// More noise is no help where what is left is shown as 0.0000.
TEST(ExplainTest, OfASpentBudgetItIsSaidThatNothingIsLeft) {
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_total(2.44);
  detail.set_epsilon_left(9e-5);
  EXPECT_THAT(Explain(proto::BudgetRefusal("no", detail)),
              AllOf(HasSubstr("of the 0.0000 left"), HasSubstr("fits; nothing is left.")));
}

TEST(ErrorJsonTest, HasACodeAMessageAndTheNumbersOfARefusal) {
  EXPECT_EQ(ErrorJson(UsageError("no \"x\"")),
            R"({"error":{"code":"usage","message":"no \"x\""}})");
  EXPECT_THAT(ErrorJson(absl::UnavailableError("x")), HasSubstr(R"("code":"unavailable")"));
  EXPECT_THAT(ErrorJson(absl::InternalError("x")), HasSubstr(R"("code":"error")"));
  const std::string refusal = ErrorJson(WithTaken(Refusal(3), 0.75));
  EXPECT_THAT(refusal, HasSubstr(R"("code":"budget_refused")"));
  EXPECT_THAT(refusal, HasSubstr(R"("taken":0.75,"left":0.44,"total":2.44,"delta":)"));
  EXPECT_THAT(refusal, HasSubstr(R"("limit":"analyst","fits":3,"epsilon_alone":1.25})"));
}

TEST(ErrorJsonTest, ADetailIsAnObjectOfItsOwnAndChangesNoWord) {
  const absl::Status error =
      WithDetail(absl::InvalidArgumentError("x"), base::JsonObject().SetInteger("line", 3));
  EXPECT_EQ(ErrorJson(error), R"({"error":{"code":"error","message":"x","detail":{"line":3}}})");
  EXPECT_EQ(Explain(error), "x");
  EXPECT_TRUE(WithDetail(absl::OkStatus(), base::JsonObject()).ok());
}

TEST(ExplainTest, WhatPassesByItselfSaysTryAgain) {
  EXPECT_THAT(Explain(absl::UnavailableError("queue full")),
              ::testing::AllOf(HasSubstr("queue full"), HasSubstr("try again")));
}

// The profile has nothing to do with a disk that is full or may only be read.
TEST(ExplainTest, OfWhatThisMachineRefusedTheProfileIsNotBlamed) {
  EXPECT_EQ(Explain(absl::ErrnoToStatus(EROFS, "cannot create x")),
            absl::ErrnoToStatus(EROFS, "cannot create x").message());
  EXPECT_THAT(Explain(absl::UnavailableError("no room")), Not(HasSubstr("profile")));
}

TEST(ExplainTest, AnErrorWithoutAMessageStillSaysItsKind) {
  EXPECT_THAT(Explain(absl::InternalError("")), HasSubstr("INTERNAL"));
}

}  // namespace
}  // namespace topicwall::client
