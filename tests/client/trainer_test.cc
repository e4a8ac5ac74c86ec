#include "client/trainer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "client/checkpoint.h"
#include "proto/matrix_codec.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class TrainerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto directory = ModelDirectory::Open(folder_.path() + "/model");
    ASSERT_OK(directory);
    directory_ = *std::move(directory);
    v1::PlanSpec plan;
    plan.set_corpus("notes");
    plan.set_sampling_rate(1);
    plan.set_noise_multiplier(20);
    plan.set_iterations(3);
    plan.mutable_lda()->set_num_topics(2);
    plan.mutable_lda()->set_document_topic_prior(0.5);
    const auto checkpoint = NewCheckpoint(plan, wall_.description(),
                                          {.clip_norm = 4, .m_step = kSignedAverage, .seed = 1});
    ASSERT_OK(checkpoint);
    checkpoint_ = *checkpoint;
  }

  absl::StatusOr<std::unique_ptr<lda::MStep>> Run(
      std::function<void(const v1::CheckpointFile&)> on_progress = {}) {
    return Train({.wall = wall_, .directory = *directory_, .on_progress = std::move(on_progress)},
                 checkpoint_);
  }

  testing::TemporaryDirectory folder_;
  LocalWall wall_;
  std::unique_ptr<ModelDirectory> directory_;
  v1::CheckpointFile checkpoint_;
};

TEST_F(TrainerTest, TheFirstUpdateTakesTheReleaseAsItIs) {
  checkpoint_.mutable_plan()->set_iterations(1);
  std::vector<float> released;
  wall_.on_release = [&released](Release& release) { released = release.statistics; };
  const auto m_step = Run();
  ASSERT_OK(m_step);
  // signed-average begins with ρ = 1, and ν is 1.
  EXPECT_EQ((*m_step)->state().topics, released);
}

TEST_F(TrainerTest, TheRequestIdIsDurableBeforeTheWallHearsOfIt) {
  const std::string request_id = checkpoint_.request_id();
  wall_.FailBefore(0, absl::UnavailableError("cut"));
  ASSERT_FALSE(Run().ok());
  const auto stored = directory_->Checkpoint();
  ASSERT_OK(stored);
  ASSERT_TRUE(stored->has_value());
  EXPECT_EQ((*stored)->request_id(), request_id);
  EXPECT_EQ((*stored)->plan_id(), "");
}

TEST_F(TrainerTest, ProgressIsToldOncePerIterationAndAtTheStart) {
  std::vector<int> done;
  ASSERT_OK(Run([&done](const v1::CheckpointFile& checkpoint) {
    done.push_back(checkpoint.iterations_done());
  }));
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3));
}

TEST_F(TrainerTest, AfterARefusalOfTheBudgetNoCheckpointStays) {
  checkpoint_.mutable_plan()->set_noise_multiplier(0.5);
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto stored = directory_->Checkpoint();
  ASSERT_OK(stored);
  EXPECT_FALSE(stored->has_value());
}

TEST_F(TrainerTest, AfterAnUnclearAnswerTheCheckpointStays) {
  for (const absl::Status& unclear :
       {absl::UnavailableError("x"), absl::InternalError("x"), absl::DeadlineExceededError("x"),
        absl::PermissionDeniedError("x"), absl::FailedPreconditionError("frozen")}) {
    wall_.ForgetFailures();
    wall_.FailAfter(wall_.calls(), unclear);
    EXPECT_THAT(Run(), StatusIs(unclear.code()));
    const auto stored = directory_->Checkpoint();
    ASSERT_OK(stored);
    EXPECT_TRUE(stored->has_value()) << unclear;
  }
}

TEST_F(TrainerTest, AReleaseThatDoesNotCheckIsNotTakenIn) {
  wall_.on_release = [](Release& release) { release.statistics[0] += 1; };
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(checkpoint_.iterations_done(), 0);
}

TEST_F(TrainerTest, TopicsThatDifferInTheLastBitOnAnotherMachineFindTheStoredRelease) {
  wall_.FailAfter(2, absl::UnavailableError("cut"));  // iteration 2 is paid
  ASSERT_FALSE(Run().ok());
  // Another machine: the same state, but ℓ differs in a last bit somewhere.
  auto state = proto::FloatsFromLittleEndian(checkpoint_.state());
  ASSERT_OK(state);
  (*state)[0] = std::nextafter((*state)[0], 1e30f);
  (*state)[5] *= 1.000001f;
  checkpoint_.set_state(proto::FloatsToLittleEndian(*state));
  wall_.FailBefore(wall_.calls() + 1, absl::NotFoundError("not readable yet"));
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kUnavailable));
  ASSERT_OK(Run());
  EXPECT_EQ(wall_.releases_paid(), 3);
}

TEST_F(TrainerTest, OtherContentUnderAnIterationOfThisRunIsAnError) {
  wall_.FailBefore(1, absl::AlreadyExistsError("somebody else was here"));
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("somebody")));
}

}  // namespace
}  // namespace topicwall::client
