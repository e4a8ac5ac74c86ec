#include "server/mechanism/release_memory.h"

#include <type_traits>

#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

using ::topicwall::testing::StatusIs;

static_assert(!std::is_default_constructible_v<ReleaseMemory>);

TEST(ReleaseMemoryTest, RemembersItsShape) {
  ASSERT_OK_AND_ASSIGN(ReleaseMemory memory,
                       ReleaseMemory::Reserve({.shape = model::GridOf(3, 7), .num_threads = 1}));
  EXPECT_EQ(memory.shape().rows(), 3);
  EXPECT_EQ(memory.shape().period, 7);
}

TEST(ReleaseMemoryTest, HasACopyForEveryThreadWhileTheyAreSmall) {
  const auto copies = [](int64_t rows, int64_t columns, int num_threads) {
    absl::StatusOr<ReleaseMemory> memory =
        ReleaseMemory::Reserve({.shape = model::GridOf(rows, columns), .num_threads = num_threads});
    EXPECT_OK(memory);
    return memory->num_copies();
  };
  EXPECT_EQ(copies(3, 7, 0), 1);
  EXPECT_EQ(copies(3, 7, 5), 5);
  EXPECT_EQ(copies(1 << 8, 1 << 14, 5), 4);
  EXPECT_EQ(copies(1 << 9, (1 << 15) + 1, 5), 1) << "however large one is";
}

TEST(ReleaseMemoryTest, RefusesAShapeOutsideTheLimits) {
  EXPECT_THAT(ReleaseMemory::Reserve({.shape = model::GridOf(0, 7), .num_threads = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(
      ReleaseMemory::Reserve({.shape = model::GridOf(1 << 17, int64_t{1} << 16), .num_threads = 1}),
      StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::mechanism
