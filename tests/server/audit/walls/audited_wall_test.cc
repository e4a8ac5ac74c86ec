#include "server/audit/walls/audited_wall.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;

class AuditedWallTest : public ::testing::Test {
 protected:
  std::unique_ptr<AuditedWall> Start(int64_t interval_ms) {
    auto wall =
        AuditedWall::Start(parent_.path() + "/wall",
                           {.corpora = {{"notes",
                                         {.vocabulary_size = 3,
                                          .documents = {{.id = "d", .counts = {{0, 2}, {2, 1}}}}}}},
                            .epsilon = 10,
                            .bob_epsilon_cap = 0.5,
                            .interval_ms = interval_ms});
    EXPECT_OK(wall);
    return *std::move(wall);
  }
  static v1::ReleaseSpec PlanOf(const AuditedWall& wall) {
    v1::ReleaseSpec plan = wall.PlanOf("notes");
    plan.mutable_gaussian()->set_noise_multiplier(4);
    return plan;
  }

  const testing::TemporaryDirectory parent_;
};

TEST_F(AuditedWallTest, ReleasesAndReadsThemBack) {
  for (const int64_t interval_ms : {0, 500}) {
    const auto wall = Start(interval_ms);
    ASSERT_OK_AND_ASSIGN(const auto state, wall->alice().Reserve(PlanOf(*wall)));
    EXPECT_THAT(wall->alice().GetRelease(state.plan_id(), 1),
                StatusIs(absl::StatusCode::kNotFound));
    ASSERT_OK_AND_ASSIGN(const auto release,
                         wall->alice().RunRelease(
                             state, 1, {.parameters = std::vector<float>(3, -1), .clip_norm = 2}));
    EXPECT_EQ(release.statistics.size(), 3u);
    const int64_t waited = release.header.readable_at_ms() - release.header.charged_at_ms();
    if (interval_ms > 0) {
      EXPECT_EQ(waited % interval_ms, 0) << waited;
      EXPECT_GT(waited, 0);
    }
    ASSERT_OK_AND_ASSIGN(const auto again, wall->alice().GetRelease(state.plan_id(), 1));
    EXPECT_EQ(again, release);
    EXPECT_OK(wall->ann().ReadLedger("notes"));
    std::filesystem::remove_all(parent_.path() + "/wall");
  }
}

TEST_F(AuditedWallTest, PrincipalsAreWhoTheyAreSupposedToBe) {
  const auto wall = Start(0);
  const v1::ReleaseSpec plan = PlanOf(*wall);
  EXPECT_THAT(wall->ann().Reserve(plan), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(wall->bob().Reserve(plan), StatusIs(absl::StatusCode::kFailedPrecondition))
      << "beyond the cap";
  ASSERT_OK_AND_ASSIGN(const auto state, wall->alice().Reserve(plan));
  EXPECT_THAT(wall->bob().GetPlan(state.plan_id()), StatusIs(absl::StatusCode::kPermissionDenied));
  ASSERT_OK_AND_ASSIGN(const auto cancelled, wall->alice().Cancel(state.plan_id()));
  EXPECT_EQ(cancelled.state(), v1::PlanState::CANCELLED);
  EXPECT_EQ(wall->ann().Budget("notes")->epsilon_spent(), 0);
  EXPECT_GT(wall->alice().Price(plan)->epsilon_alone(), 0);
  EXPECT_FALSE(wall->alice().Reserve(wall->PlanOf("others")).ok());
}

}  // namespace
}  // namespace topicwall::audit
