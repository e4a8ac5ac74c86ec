#include "server/admin/separation.h"

#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::StatusIs;

constexpr sandbox::Confinement kDebians = {.landlock_abi = 2, .seccomp = true};

TEST(SeparationTest, OneUserIsNotSeparatedAndIsToldWhatToDo) {
  Outcome outcome;
  ASSERT_OK(CheckSeparation({}, kDebians, &outcome));
  EXPECT_THAT(
      outcome.text,
      AllOf(HasSubstr("gate and vault not separated"), HasSubstr("name two users in processes"),
            HasSubstr("Kernel: Landlock 2, seccomp"), HasSubstr("Memory: keys are locked; ")));
  EXPECT_THAT(outcome.json.Text(),
              AllOf(HasSubstr("\"separated\":false"), HasSubstr("\"landlock_abi\":2"),
                    HasSubstr("\"seccomp\":true"), HasSubstr("\"keys_locked\":true")));
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST(SeparationTest, UsersThatDoNotExistAreAnErrorAndNotOnlyNotSeparated) {
  v1::WallConfig config;
  config.mutable_processes()->set_gate("no-such-user");
  config.mutable_processes()->set_vault("nor-this-one");
  Outcome outcome;
  EXPECT_THAT(CheckSeparation(config, kDebians, &outcome),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no-such-user")));
}

TEST(SeparationTest, AKernelThatCannotConfineIsAnErrorUnlessTheCustodianAcceptsIt) {
  for (const sandbox::Confinement& kernel :
       {sandbox::Confinement{.landlock_abi = 0, .seccomp = true},
        sandbox::Confinement{.landlock_abi = 2, .seccomp = false}}) {
    v1::WallConfig config;
    Outcome refused;
    EXPECT_THAT(CheckSeparation(config, kernel, &refused),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("SANDBOX_BEST_EFFORT")));
    config.set_sandbox(v1::SANDBOX_BEST_EFFORT);
    Outcome accepted;
    EXPECT_OK(CheckSeparation(config, kernel, &accepted));
    EXPECT_THAT(accepted.warnings, SizeIs(1));
    EXPECT_THAT(accepted.text, HasSubstr("as far as it has one"));
  }
}

}  // namespace
}  // namespace topicwall::admin
