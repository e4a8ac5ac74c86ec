#include "server/admin/store_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::admin {
namespace {

TEST(StoreTiming, MeasuresAndLeavesNothingBehind) {
  const testing::TemporaryDirectory folder;
  ASSERT_OK_AND_ASSIGN(const auto milliseconds, StoreMsPerMebibyte(folder.path()));
  EXPECT_GT(milliseconds, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(StoreTiming, AFolderThatIsNotThereIsAnError) {
  EXPECT_THAT(StoreMsPerMebibyte("/no/such/folder"),
              testing::StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::admin
