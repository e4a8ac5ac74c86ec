#include "client/fit/trainer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "client/fit/checkpoint.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
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
    plan.mutable_lda()->add_document_topic_prior(0.5);
    const auto checkpoint =
        NewCheckpoint({.algorithm = kSignedAverage, .topics = plan, .unigram = {}},
                      wall_.description(), {.clip_norm = 4, .seed = 1});
    ASSERT_OK(checkpoint);
    checkpoint_ = *checkpoint;
  }

  absl::StatusOr<std::unique_ptr<FitAlgorithm>> Run(
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
  checkpoint_.mutable_topics()->mutable_plan()->set_iterations(1);
  std::vector<float> released;
  wall_.on_release = [&released](Release& release) { released = release.statistics; };
  ASSERT_OK(Run());
  // signed-average begins with ρ = 1, and ν is 1.
  EXPECT_EQ(checkpoint_.state(), proto::FloatsToLittleEndian(released));
}

TEST_F(TrainerTest, TheRequestIdIsDurableBeforeTheWallHearsOfIt) {
  const std::string request_id = checkpoint_.topics().request_id();
  wall_.FailBefore(0, absl::UnavailableError("cut"));
  ASSERT_FALSE(Run().ok());
  const auto stored = directory_->Checkpoint();
  ASSERT_OK(stored);
  ASSERT_TRUE(stored->has_value());
  EXPECT_EQ((*stored)->topics().request_id(), request_id);
  EXPECT_EQ((*stored)->topics().plan_id(), "");
}

TEST_F(TrainerTest, ProgressIsToldOncePerIterationAndAtTheStart) {
  std::vector<int> done;
  ASSERT_OK(Run([&done](const v1::CheckpointFile& checkpoint) {
    done.push_back(checkpoint.iterations_done());
  }));
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3));
}

TEST_F(TrainerTest, AfterARefusalOfTheBudgetNoCheckpointStays) {
  checkpoint_.mutable_topics()->mutable_plan()->set_noise_multiplier(0.5);
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

TEST_F(TrainerTest, AnIterationThatWillNeverHaveAReleaseEndsTheFitAndIsPaidOnce) {
  wall_.voided = 2;
  for (int run = 0; run < 3; ++run) {
    EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                ::testing::AllOf(HasSubstr("iteration 2 of plan plan-1"),
                                                 HasSubstr("Paid are 2 of 3"),
                                                 HasSubstr("topicwall cancel plan-1"))));
    EXPECT_EQ(wall_.releases_paid(), 2);
    EXPECT_EQ(checkpoint_.iterations_done(), 1);
  }
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

class DenoisedTrainerTest : public TrainerTest {
 protected:
  DenoisedTrainerTest() : wall_({.documents_per_topic = 2000}) {}

  void SetUp() override {
    TrainerTest::SetUp();
    const auto plans = PlanDenoised(checkpoint_.topics().plan(), 8);
    ASSERT_OK(plans);
    const auto checkpoint =
        NewCheckpoint({.algorithm = kDenoised, .topics = plans->topics, .unigram = plans->unigram},
                      wall_.description(), {.clip_norm = 4, .seed = 1});
    ASSERT_OK(checkpoint);
    checkpoint_ = *checkpoint;
  }

  absl::StatusOr<std::unique_ptr<FitAlgorithm>> Run() {
    return Train({.wall = wall_, .directory = *directory_, .on_progress = {}}, checkpoint_);
  }

  LocalWall wall_;
};

TEST_F(DenoisedTrainerTest, TheUnigramComesFirstAndWeighsTheTermsOfTheOtherPlan) {
  std::vector<v1::ReleaseHeader> releases;
  v1::CheckpointFile before = checkpoint_;
  wall_.on_release = [&](Release& release) {
    if (releases.empty()) {
      EXPECT_OK(BeginUnigram(release, before));
    }
    releases.push_back(release.header);
  };
  ASSERT_OK(Run());
  ASSERT_EQ(releases.size(), 4u);
  EXPECT_EQ(releases[0].plan_id(), "plan-1");
  EXPECT_EQ(releases[0].num_topics(), 1);
  EXPECT_EQ(releases[0].clip_norm(), kUnigramClipNorm);
  EXPECT_EQ(releases[3].plan_id(), "plan-2");
  EXPECT_EQ(releases[3].iteration(), 3);
  const auto unigram = UnigramOf(before);
  ASSERT_OK(unigram);
  EXPECT_EQ(checkpoint_.topics().plan().term_weights(), *TermWeightsOf(*unigram));
}

// Every document has norm √(2·5² + 4) = 7.3 if it is all in one topic, 5.2 if it is in both.
TEST_F(DenoisedTrainerTest, TheClipNormFollowsTheHistogram) {
  std::vector<double> clip_norms;
  wall_.on_release = [&clip_norms](Release& release) {
    clip_norms.push_back(release.header.clip_norm());
  };
  ASSERT_OK(Run());
  ASSERT_EQ(clip_norms.size(), 4u);
  EXPECT_EQ(clip_norms[1], 4);
  EXPECT_GT(clip_norms[3], 4.4);
  EXPECT_LT(clip_norms[3], 8.1);
}

TEST_F(DenoisedTrainerTest, AUnigramThatWasPaidOutlivesARefusalOfTheTopicsPlan) {
  checkpoint_.mutable_topics()->mutable_plan()->set_noise_multiplier(0.5);
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto stored = directory_->Checkpoint();
  ASSERT_OK(stored);
  ASSERT_TRUE(stored->has_value());
  EXPECT_EQ((*stored)->unigram_sums_size(), 12);
}

}  // namespace
}  // namespace topicwall::client
