#include "server/audit/walls/polled_wall.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

TEST(PolledWallTest, EveryCallIsMadeWhileTheActRuns) {
  const testing::TemporaryDirectory parent;
  const auto folder = ScratchFolder::Create(parent.path());
  ASSERT_OK(folder);
  const auto wall = AuditedWall::Start(
      folder->get(), {.corpora = {{.name = "notes",
                                   .planted = {.vocabulary_size = 4,
                                               .documents = {{.id = "d", .counts = {{1, 3}}}}}}},
                      .budget = {.epsilon = 10, .delta = 1e-6},
                      .bob_epsilon_cap = 10});
  ASSERT_OK(wall);
  const auto spec = (*wall)->PlanOf("notes");
  ASSERT_OK(spec);
  const auto plan = (*wall)->bob().Reserve(*spec);
  ASSERT_OK(plan);
  ASSERT_OK((*wall)->bob().RunRelease(plan->plan_id(), 1,
                                      {.log_topics = std::vector<float>(4, -1), .clip_norm = 2}));
  const PolledWall polled(wall->get(), "notes", *plan);
  const auto seen = polled.During([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return absl::OkStatus();
  });
  ASSERT_OK(seen);
  EXPECT_GE(seen->took_ms, 100);
  ASSERT_EQ(seen->calls.size(), polled.CallNames().size());
  for (const PolledCall& call : seen->calls) EXPECT_GT(call.slowest_ms, 0);
  EXPECT_FALSE(polled.During([] { return absl::AbortedError(""); }).ok());
}

}  // namespace
}  // namespace topicwall::audit
