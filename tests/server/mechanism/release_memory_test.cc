#include "server/mechanism/release_memory.h"

#include <type_traits>

#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

using ::topicwall::testing::StatusIs;

static_assert(!std::is_default_constructible_v<ReleaseMemory>);

TEST(ReleaseMemoryTest, RemembersItsShape) {
  absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(3, 7);
  ASSERT_OK(memory);
  EXPECT_EQ(memory->num_topics(), 3);
  EXPECT_EQ(memory->vocabulary_size(), 7);
}

TEST(ReleaseMemoryTest, RefusesAShapeOutsideTheLimits) {
  EXPECT_THAT(ReleaseMemory::Reserve(0, 7), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ReleaseMemory::Reserve(1 << 17, int64_t{1} << 16),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::mechanism
