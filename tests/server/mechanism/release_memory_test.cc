#include "server/mechanism/release_memory.h"

#include <type_traits>

#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

using ::topicwall::testing::StatusIs;

static_assert(!std::is_default_constructible_v<ReleaseMemory>);

TEST(ReleaseMemoryTest, RemembersItsShape) {
  absl::StatusOr<ReleaseMemory> memory =
      ReleaseMemory::Reserve({.num_topics = 3, .vocabulary_size = 7, .num_threads = 1});
  ASSERT_OK(memory);
  EXPECT_EQ(memory->num_topics(), 3);
  EXPECT_EQ(memory->vocabulary_size(), 7);
}

TEST(ReleaseMemoryTest, HasACopyForEveryThreadWhileTheyAreSmall) {
  const auto copies = [](int num_topics, int64_t vocabulary_size, int num_threads) {
    absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(
        {.num_topics = num_topics, .vocabulary_size = vocabulary_size, .num_threads = num_threads});
    EXPECT_OK(memory);
    return memory->num_copies();
  };
  EXPECT_EQ(copies(3, 7, 0), 1);
  EXPECT_EQ(copies(3, 7, 5), 5);
  EXPECT_EQ(copies(1 << 8, 1 << 14, 5), 4);
  EXPECT_EQ(copies(1 << 9, (1 << 15) + 1, 5), 1) << "however large one is";
}

TEST(ReleaseMemoryTest, RefusesAShapeOutsideTheLimits) {
  EXPECT_THAT(ReleaseMemory::Reserve({.num_topics = 0, .vocabulary_size = 7, .num_threads = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ReleaseMemory::Reserve(
                  {.num_topics = 1 << 17, .vocabulary_size = int64_t{1} << 16, .num_threads = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::mechanism
