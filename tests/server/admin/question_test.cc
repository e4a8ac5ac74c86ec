#include "server/admin/question.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>

#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

absl::Status Answered(const std::string& answer, std::string* asked) {
  std::istringstream answers(answer);
  std::ostringstream questions;
  const absl::Status status =
      Confirm("It is gone then.\nGo on?", false, {.answers = &answers, .questions = &questions});
  *asked = questions.str();
  return status;
}

TEST(Question, OnlyAYesIsAYes) {
  std::string asked;
  for (const std::string answer : {"y\n", "Yes\n", "YES"}) EXPECT_OK(Answered(answer, &asked));
  EXPECT_EQ(asked, "It is gone then.\nGo on? [y/N] ");
  for (const std::string answer : {"n\n", "\n", "", " y\n", "no\ny\n", "oh yes\n"}) {
    EXPECT_THAT(Answered(answer, &asked), StatusIs(absl::StatusCode::kCancelled)) << answer;
  }
}

TEST(Question, AYesSaidBeforehandIsNotAskedAgain) {
  std::ostringstream questions;
  EXPECT_OK(Confirm("Go on?", true, {.answers = nullptr, .questions = &questions}));
  EXPECT_EQ(questions.str(), "");
}

TEST(Question, WithoutATerminalNothingIsDoneAndTheWayOnIsNamed) {
  EXPECT_THAT(Confirm("It is gone then. Go on?", false, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       ::testing::AllOf(HasSubstr("It is gone then."), HasSubstr("--yes"))));
}

}  // namespace
}  // namespace topicwall::admin
