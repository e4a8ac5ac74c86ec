#include "server/audit/walls/audited_wall.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;

class AuditedWallTest : public ::testing::Test {
 protected:
  AuditedWallTest() {
    auto folder = ScratchFolder::Create(parent_.path());
    EXPECT_OK(folder);
    folder_ = *std::move(folder);
    auto wall = AuditedWall::Start(
        folder_.get(),
        {.corpora = {{.name = "notes",
                      .planted = {.vocabulary_size = 3,
                                  .documents = {{.id = "d", .counts = {{0, 2}, {2, 1}}}}}}},
         .budget = {.epsilon = 10, .delta = 1e-6},
         .bob_epsilon_cap = 0.5});
    EXPECT_OK(wall);
    wall_ = *std::move(wall);
  }

  static ReleaseQuestion Question() {
    return {.log_topics = std::vector<float>(3, -1), .clip_norm = 2};
  }

  const testing::TemporaryDirectory parent_;
  std::unique_ptr<ScratchFolder> folder_;
  std::unique_ptr<AuditedWall> wall_;
};

TEST_F(AuditedWallTest, ReleasesOverRealConnectionsWithoutWaiting) {
  auto plan = wall_->PlanOf("notes");
  ASSERT_OK(plan);
  plan->mutable_gaussian()->set_noise_multiplier(4);
  const auto state = wall_->alice().Reserve(*plan);
  ASSERT_OK(state);
  EXPECT_THAT(wall_->alice().GetRelease(state->plan_id(), 1),
              StatusIs(absl::StatusCode::kNotFound));
  const auto release = wall_->alice().RunRelease(state->plan_id(), 1, Question());
  ASSERT_OK(release);
  EXPECT_EQ(release->statistics.size(), 3u);
  EXPECT_EQ(release->header.readable_at_ms() - release->header.charged_at_ms(),
            AuditedWall::kReleaseIntervalMs);
  const auto again = wall_->alice().GetRelease(state->plan_id(), 1);
  ASSERT_OK(again);
  EXPECT_EQ(again->statistics, release->statistics);
  EXPECT_EQ(again->message_sizes, release->message_sizes);
  const auto events = wall_->ann().ReadLedger("notes");
  ASSERT_OK(events);
  EXPECT_TRUE(events->back().has_release_published());
}

TEST_F(AuditedWallTest, PrincipalsAreWhoTheyAreSupposedToBe) {
  auto plan = wall_->PlanOf("notes");
  ASSERT_OK(plan);
  plan->mutable_gaussian()->set_noise_multiplier(4);
  EXPECT_THAT(wall_->ann().Reserve(*plan), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(wall_->bob().Reserve(*plan), StatusIs(absl::StatusCode::kFailedPrecondition))
      << "beyond the cap";
  const auto state = wall_->alice().Reserve(*plan);
  ASSERT_OK(state);
  EXPECT_THAT(wall_->bob().GetPlan(state->plan_id()),
              StatusIs(absl::StatusCode::kPermissionDenied));
  const auto cancelled = wall_->alice().Cancel(state->plan_id());
  ASSERT_OK(cancelled);
  EXPECT_EQ(cancelled->state(), v1::PlanState::CANCELLED);
  EXPECT_EQ(wall_->ann().Budget("notes")->epsilon_spent(), 0);
  EXPECT_GT(wall_->alice().Price(*plan)->epsilon_alone(), 0);
}

TEST_F(AuditedWallTest, AHeldReleaseComesWhenItIsLet) {
  auto plan = wall_->PlanOf("notes");
  ASSERT_OK(plan);
  const auto state = wall_->alice().Reserve(*plan);
  ASSERT_OK(state);
  wall_->clock().HoldSleepers();
  auto waiting = std::async(std::launch::async, [&] {
    return wall_->alice().RunRelease(state->plan_id(), 1, Question());
  });
  ASSERT_TRUE(wall_->clock().WaitForSleeper());
  EXPECT_THAT(wall_->alice().GetRelease(state->plan_id(), 1),
              StatusIs(absl::StatusCode::kNotFound));
  wall_->clock().LetSleepersJump();
  EXPECT_OK(waiting.get());
}

TEST_F(AuditedWallTest, ActsAreAnsweredAtMultiplesOfTenMilliseconds) {
  const auto plan = wall_->PlanOf("notes");
  ASSERT_OK(plan);
  std::string plan_id;
  const auto expect_held = [&](const std::function<absl::Status()>& act) {
    wall_->clock().HoldSleepers();
    auto acting = std::async(std::launch::async, act);
    EXPECT_TRUE(wall_->clock().WaitForSleeper());
    const int64_t next = (wall_->clock().NowMs() / 10 + 1) * 10;
    wall_->clock().AdvanceTo(next - 1);
    EXPECT_EQ(acting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    wall_->clock().AdvanceTo(next);
    EXPECT_OK(acting.get());
    wall_->clock().LetSleepersJump();
  };
  expect_held([&] {
    const auto state = wall_->alice().Reserve(*plan);
    if (state.ok()) plan_id = state->plan_id();
    return state.status();
  });
  expect_held([&] { return wall_->alice().Cancel(plan_id).status(); });
  // What changes nothing, too.
  expect_held([&] {
    const absl::Status again = wall_->bob().Reserve(*plan).status();
    return again.ok() ? absl::InternalError("beyond bob's cap") : absl::OkStatus();
  });
}

// Nobody without a certificate of the audit's own authority is let in.
TEST_F(AuditedWallTest, AnotherAuthoritysCertificateIsRefused) {
  const auto other = ThrowawayAuthority::Create();
  ASSERT_OK(other);
  const auto pair = (*other)->IssueClient("spiffe://topicwall/audit/alice");
  ASSERT_OK(pair);
  const WallProbe stranger(wall_->address(), wall_->authority(), *pair);
  EXPECT_THAT(stranger.Describe("notes"), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::audit
