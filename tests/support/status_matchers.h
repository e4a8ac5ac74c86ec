// Matchers for absl::Status and absl::StatusOr (this Abseil has none of its own).
//   EXPECT_THAT(Create(bad), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sigma")));
//   ASSERT_OK(status_or);
//   ASSERT_OK_AND_ASSIGN(const Plan plan, Reserve(request));
#ifndef TOPICWALL_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define TOPICWALL_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"

namespace topicwall::testing {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

MATCHER_P(StatusIs, code, std::string("has status code ") + absl::StatusCodeToString(code)) {
  *result_listener << testing::StatusOf(arg).ToString();
  return testing::StatusOf(arg).code() == code;
}

MATCHER_P2(StatusIs, code, message,
           std::string("has status code ") + absl::StatusCodeToString(code)) {
  *result_listener << testing::StatusOf(arg).ToString();
  return testing::StatusOf(arg).code() == code &&
         ::testing::ExplainMatchResult(message, std::string(testing::StatusOf(arg).message()),
                                       result_listener);
}

template <typename T>
::testing::AssertionResult IsOk(const char* expression, const T& value) {
  if (testing::StatusOf(value).ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << expression << ": " << testing::StatusOf(value);
}

}  // namespace topicwall::testing

#define EXPECT_OK(expression) EXPECT_PRED_FORMAT1(::topicwall::testing::IsOk, expression)
#define ASSERT_OK(expression) ASSERT_PRED_FORMAT1(::topicwall::testing::IsOk, expression)
#define ASSERT_OK_AND_ASSIGN(declaration, ...) \
  ASSERT_OK_AND_ASSIGN_(TW_STATUS_CONCATENATE_(status_or_, __LINE__), declaration, __VA_ARGS__)
#define ASSERT_OK_AND_ASSIGN_(status_or, declaration, ...) \
  auto status_or = __VA_ARGS__;                            \
  ASSERT_OK(status_or);                                    \
  declaration = *std::move(status_or)

#endif  // TOPICWALL_TESTS_SUPPORT_STATUS_MATCHERS_H_
