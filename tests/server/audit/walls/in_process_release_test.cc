#include "server/audit/walls/in_process_release.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

TEST(InProcessReleaseTest, IsAReleaseOfTheWallAtItsInstant) {
  const testing::TemporaryDirectory parent;
  const auto folder = ScratchFolder::Create(parent.path());
  ASSERT_OK(folder);
  const auto wall = AuditedWall::Start(
      folder->get(), {.corpora = {{.name = "notes",
                                   .planted = {.vocabulary_size = 4,
                                               .documents = {{.id = "d", .counts = {{1, 3}}}}}}},
                      .budget = {.epsilon = 10, .delta = 1e-6},
                      .serves = false});
  ASSERT_OK(wall);
  const auto plan = (*wall)->PlanOf("notes");
  ASSERT_OK(plan);
  auto request = InProcessRequest::Make(**wall, *plan,
                                        {.log_topics = std::vector<float>(4, -1), .clip_norm = 2});
  ASSERT_OK(request);
  const auto release = request->Run();
  ASSERT_OK(release);
  EXPECT_EQ(release->waited_ms, AuditedWall::kReleaseIntervalMs);
  EXPECT_EQ(release->bytes, 16);
}

}  // namespace
}  // namespace topicwall::audit
