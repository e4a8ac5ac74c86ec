#include "server/audit/walls/limited_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "tests/support/in_child.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

absl::Status Nothing() { return absl::OkStatus(); }

// Touched, so that no compiler leaves it out.
std::string Take(int64_t mebibytes) {
  const auto size = static_cast<std::size_t>(mebibytes * kMebibyte);
  const std::unique_ptr<volatile char[]> memory(new (std::nothrow) volatile char[size]);
  if (memory == nullptr) return "refused";
  memory[size - 1] = 1;
  return "taken";
}

TEST(LimitedChildTest, TakesWhatTheLimitGivesAndNoMore) {
  const auto little = RunLimited(
      Nothing, [] { return Take(40); }, 80 * kMebibyte);
  const auto much = RunLimited(
      Nothing, [] { return Take(100); }, 80 * kMebibyte);
  ASSERT_OK(little);
  ASSERT_OK(much);
  EXPECT_EQ(little->text, "taken");
  EXPECT_GE(little->most_growth, 40 * kMebibyte);
  EXPECT_LT(little->most_growth, 48 * kMebibyte);
  EXPECT_EQ(much->text, "refused");
}

TEST(LimitedChildTest, DeathsAndExceptionsAreToldApart) {
  const auto died = RunLimited(
      Nothing, []() -> std::string { std::abort(); }, kNoLimit);
  const auto thrown = RunLimited(
      Nothing, []() -> std::string { throw std::bad_alloc(); }, kNoLimit);
  const auto unprepared =
      RunLimited([] { return absl::InternalError(""); }, [] { return Take(1); }, kNoLimit);
  ASSERT_OK(died);
  ASSERT_OK(thrown);
  ASSERT_OK(unprepared);
  EXPECT_TRUE(died->died);
  EXPECT_THAT(died->text, ::testing::HasSubstr("signal 6"));
  EXPECT_FALSE(thrown->died);
  EXPECT_EQ(thrown->text, "an exception");
  EXPECT_TRUE(unprepared->died);
}

// As under an inherited `ulimit -v`, which nobody but root may lift.
TEST(LimitedChildTest, ALimitThatMayNotBeSetIsNoDeath) {
  const auto work = []() noexcept {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setuid(kNobody) != 0) return 99;
    constexpr int64_t kBytes = int64_t{1} << 46;
    const rlimit limit = {.rlim_cur = kBytes, .rlim_max = kBytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 99;
    const auto refused = RunLimited(
        Nothing, [] { return Take(1); }, kBytes);
    EXPECT_THAT(refused, testing::StatusIs(absl::StatusCode::kUnavailable,
                                           ::testing::HasSubstr("Lift ulimit -v")));
    return ::testing::Test::HasFailure() ? 1 : 0;
  };
  EXPECT_EQ(testing::InChild(work), 0);
}

}  // namespace
}  // namespace topicwall::audit
