#include "server/audit/walls/wall_probe.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/audit/walls/audited_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;

TEST(WallProbeTest, CanSendWhatAnHonestClientWouldNot) {
  const testing::TemporaryDirectory parent;
  const auto folder = ScratchFolder::Create(parent.path());
  ASSERT_OK(folder);
  const auto wall = AuditedWall::Start(
      folder->get(), {.corpora = {{.name = "notes",
                                   .planted = {.vocabulary_size = 2,
                                               .documents = {{.id = "d", .counts = {{0, 2}}}}}}},
                      .budget = {.epsilon = 10, .delta = 1e-6}});
  ASSERT_OK(wall);
  auto plan = (*wall)->PlanOf("notes");
  ASSERT_OK(plan);
  plan->mutable_gaussian()->set_noise_multiplier(4);
  const auto state = (*wall)->alice().Reserve(*plan);
  ASSERT_OK(state);
  ReleaseQuestion question = {.log_topics = {-1, -1}, .clip_norm = 2};
  question.forged_digest = std::string(32, 'f');
  EXPECT_THAT((*wall)->alice().RunRelease(state->plan_id(), 1, question),
              StatusIs(absl::StatusCode::kInvalidArgument));
  question.forged_digest.clear();
  const auto release = (*wall)->alice().RunRelease(state->plan_id(), 1, question);
  ASSERT_OK(release);
  EXPECT_EQ(release->header.columns(), 2);
  EXPECT_EQ(release->message_sizes.size(), 2u);  // a header and a chunk
  EXPECT_THAT((*wall)->alice().GetRelease(std::string(32, '0'), 1),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

}  // namespace
}  // namespace topicwall::audit
