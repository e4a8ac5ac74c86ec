#include "base/status_macros.h"

#include <memory>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

absl::StatusOr<int> Half(int even) {
  if (even % 2 != 0) return absl::InvalidArgumentError("odd");
  return even / 2;
}

absl::Status CheckTwice(int first, int second, int* checked) {
  TW_RETURN_IF_ERROR(Half(first).status());
  ++*checked;
  TW_RETURN_IF_ERROR(Half(second).status());
  ++*checked;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<int>> Quarter(int value) {
  TW_ASSIGN_OR_RETURN(const int half, Half(value));
  int quarter = 0;
  TW_ASSIGN_OR_RETURN(quarter, Half(half));
  return std::make_unique<int>(quarter);
}

absl::StatusOr<int> Unwrapped(int value) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<int> quarter, Quarter(value));
  return *quarter;
}

TEST(StatusMacrosTest, TheFirstErrorEndsTheFunctionUnchanged) {
  int checked = 0;
  EXPECT_THAT(CheckTwice(3, 2, &checked),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("odd")));
  EXPECT_EQ(checked, 0);
  EXPECT_FALSE(CheckTwice(2, 3, &checked).ok());
  EXPECT_EQ(checked, 1);
}

TEST(StatusMacrosTest, SuccessGoesOn) {
  int checked = 0;
  EXPECT_OK(CheckTwice(2, 4, &checked));
  EXPECT_EQ(checked, 2);
}

TEST(StatusMacrosTest, ValuesAreDeclaredAssignedAndMovedOut) {
  ASSERT_OK(Unwrapped(12));
  EXPECT_EQ(*Unwrapped(12), 3);
  EXPECT_THAT(Unwrapped(6), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::accountant
