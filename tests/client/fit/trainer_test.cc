#include "client/fit/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/fit/algorithms/denoised_fit.h"
#include "client/fit/checkpoint.h"
#include "client/fit/fit_algorithm.h"
#include "client/wall/paid_release.h"
#include "model/lda/denoise/private_unigram.h"
#include "proto/matrix_codec.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace trainer_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// As a quote completes it, with noise as if it had been asked for.
FitSpec Spec() {
  FitSpec spec;
  spec.corpus = "notes";
  spec.algorithm = kPaper;
  spec.num_topics = 2;
  spec.iterations = 3;
  spec.sampling_rate = 1;
  spec.noise_multiplier = 20;
  spec.clip_norm = 4;
  spec.max_words = 500;
  return spec;
}

class TrainerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(folder_.path() + "/model"));
    directory_ = std::move(directory);
  }

  absl::StatusOr<v1::CheckpointFile> Fresh() {
    TW_ASSIGN_OR_RETURN(const std::vector<v1::FitStage> stages,
                        StagesOf(spec_, wall_.description()));
    return NewCheckpoint(spec_, stages, *lda::Vocabulary::Create(wall_.terms()));
  }

  // One run of the program: with the checkpoint that is in the folder, or a new one.
  absl::StatusOr<TrainedFit> Run(std::function<void(const v1::FitStage&)> on_progress = {}) {
    TW_ASSIGN_OR_RETURN(std::optional<v1::CheckpointFile> checkpoint, directory_->Checkpoint());
    if (!checkpoint.has_value()) {
      TW_ASSIGN_OR_RETURN(checkpoint, Fresh());
    }
    return Train({.wall = wall_, .directory = *directory_, .on_progress = std::move(on_progress)},
                 *std::move(checkpoint));
  }
  // What is there must be readable.
  v1::CheckpointFile Stored() const { return **directory_->Checkpoint(); }

  explicit TrainerTest(const LocalWall::Planted& planted) : wall_(planted) {}
  TrainerTest() : TrainerTest(LocalWall::Planted()) {}

  testing::TemporaryDirectory folder_;
  LocalWall wall_;
  std::unique_ptr<ModelDirectory> directory_;
  FitSpec spec_ = Spec();
};

v1::MStepState StateIn(const v1::CheckpointFile& checkpoint) {
  v1::MStepState state;
  EXPECT_TRUE(state.ParseFromString(checkpoint.state()));
  return state;
}

TEST_F(TrainerTest, TheAlgorithmTakesTheReleaseAsItIs) {
  spec_.iterations = 1;
  Release released;
  wall_.on_release = [&released](Release& release) { released = release; };
  ASSERT_OK_AND_ASSIGN(const auto trained, Run());
  ASSERT_OK_AND_ASSIGN(auto algorithm, RestoreAlgorithm(*Fresh()));
  ASSERT_OK(algorithm->TakeIn(released));
  EXPECT_EQ(trained.checkpoint.state(), algorithm->State());
  EXPECT_EQ(trained.checkpoint.SerializeAsString(), Stored().SerializeAsString());
}

TEST_F(TrainerTest, TheRequestIdIsDurableBeforeTheWallHearsOfIt) {
  wall_.FailAfter(0, absl::UnavailableError("cut"));  // the wall has heard of it
  ASSERT_FALSE(Run().ok());
  const v1::FitPlan plan = Stored().stages(0).plan();
  EXPECT_EQ(plan.request_id().size(), kRequestIdSize);
  EXPECT_EQ(plan.plan_id(), "");
  ASSERT_OK_AND_ASSIGN(const auto trained, Run());
  EXPECT_EQ(trained.checkpoint.stages(0).plan().request_id(), plan.request_id());
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

TEST_F(TrainerTest, ProgressIsToldOncePerIterationAndAtTheStart) {
  std::vector<int> done;
  ASSERT_OK(Run([&done](const v1::FitStage& stage) { done.push_back(stage.iterations_done()); }));
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3));
}

TEST_F(TrainerTest, AfterARefusalOfTheBudgetNoCheckpointStays) {
  spec_.noise_multiplier = 0.5;
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK_AND_ASSIGN(const auto stored, directory_->Checkpoint());
  EXPECT_FALSE(stored.has_value());
}

// The wall may have set the plan aside before it came to think otherwise of it.
TEST_F(TrainerTest, ACheckpointWhoseRequestWasSentBeforeStaysWhateverTheWallThinksOfItNow) {
  const auto invalid = absl::InvalidArgumentError("max_tokens");
  wall_.FailAfter(0, absl::UnavailableError("cut"));
  ASSERT_FALSE(Run().ok());
  wall_.FailBefore(1, invalid);
  EXPECT_THAT(Run(), StatusIs(invalid.code()));
  ASSERT_TRUE((*directory_->Checkpoint()).has_value());
  ASSERT_OK(Run());
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

TEST_F(TrainerTest, AfterAnUnclearAnswerTheCheckpointStays) {
  for (const absl::Status& unclear :
       {absl::UnavailableError("x"), absl::InternalError("x"), absl::DeadlineExceededError("x"),
        absl::PermissionDeniedError("x"), absl::FailedPreconditionError("frozen")}) {
    wall_.ForgetFailures();
    wall_.FailAfter(wall_.calls(), unclear);
    EXPECT_THAT(Run(), StatusIs(unclear.code()));
    ASSERT_OK_AND_ASSIGN(const auto stored, directory_->Checkpoint());
    EXPECT_TRUE(stored.has_value()) << unclear;
  }
}

TEST_F(TrainerTest, AReleaseThatDoesNotCheckIsNotTakenIn) {
  wall_.on_release = [](Release& release) { release.statistics[0] += 1; };
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(Stored().stages(0).iterations_done(), 0);
}

TEST_F(TrainerTest, AnIterationThatWillNeverHaveAReleaseEndsTheFitAndIsPaidOnce) {
  wall_.voided = 2;
  for (int run = 0; run < 3; ++run) {
    EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                ::testing::AllOf(HasSubstr("iteration 2 of plan plan-1"),
                                                 HasSubstr("Paid are 2 of 3"),
                                                 HasSubstr("topicwall cancel plan-1"))));
    EXPECT_EQ(wall_.releases_paid(), 2);
    EXPECT_EQ(Stored().stages(0).iterations_done(), 1);
  }
}

// It is shown in a command that is there to be copied, by this run or by a later one.
TEST_F(TrainerTest, APlanWhoseIdAShellWouldObeyIsNone) {
  wall_.plan_name = "p; rm -r ~ #";
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kInternal, HasSubstr("without an id")));
  ASSERT_OK_AND_ASSIGN(auto stored, Fresh());
  v1::FitPlan& plan = *stored.mutable_stages(0)->mutable_plan();
  plan.set_request_id(std::string(kRequestIdSize, 'r'));
  plan.set_plan_id("p; rm -r ~ #1");
  EXPECT_THAT(Train({.wall = wall_, .directory = *directory_, .on_progress = {}}, stored),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("plan_id must be")));
}

TEST_F(TrainerTest, AFitWhosePlanWasCancelledEndsWithWhatToDo) {
  wall_.FailAfter(2, absl::UnavailableError("cut"));  // iteration 2 is paid
  ASSERT_FALSE(Run().ok());
  wall_.cancelled = true;
  for (int run = 0; run < 2; ++run) {
    EXPECT_THAT(Run(),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         ::testing::AllOf(HasSubstr("plan plan-1 was cancelled: 2 of its 3"),
                                          HasSubstr("topics` reads it if any of it is of topics"),
                                          HasSubstr("another --model"))));
  }
}

TEST_F(TrainerTest, TopicsThatDifferInTheLastBitOnAnotherMachineFindTheStoredRelease) {
  wall_.FailAfter(2, absl::UnavailableError("cut"));  // iteration 2 is paid
  ASSERT_FALSE(Run().ok());
  // Another machine: the same state, but ℓ differs in a last bit somewhere.
  v1::CheckpointFile checkpoint = Stored();
  v1::MStepState state = StateIn(checkpoint);
  ASSERT_OK_AND_ASSIGN(auto topics, proto::FloatsFromLittleEndian(state.topics()));
  topics[0] = std::nextafter(topics[0], 1e30f);
  topics[5] *= 1.000001f;
  state.set_topics(proto::FloatsToLittleEndian(topics));
  checkpoint.set_state(state.SerializeAsString());
  ASSERT_OK(directory_->WriteCheckpoint(checkpoint));
  wall_.FailBefore(wall_.calls() + 1, absl::NotFoundError("not readable yet"));
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kUnavailable));
  ASSERT_OK(Run());
  EXPECT_EQ(wall_.releases_paid(), 3);
}

TEST_F(TrainerTest, OtherContentUnderAnIterationOfThisRunIsAnError) {
  wall_.FailBefore(1, absl::AlreadyExistsError("somebody else was here"));
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("somebody")));
}

// Of a run that goes on, one release may have been asked for with other bits: the one that was
// under way.
TEST_F(TrainerTest, OtherContentUnderALaterIterationOfARunThatGoesOnIsAnError) {
  wall_.FailAfter(2, absl::UnavailableError("cut"));  // iteration 2 is paid
  ASSERT_FALSE(Run().ok());
  wall_.FailBefore(wall_.calls() + 1, absl::AlreadyExistsError("somebody else was here"));
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("somebody")));
  EXPECT_EQ(Stored().stages(0).iterations_done(), 2);
}

// Else the next run would not know its request_id, or begin again, and pay twice.
TEST_F(TrainerTest, NothingMoreIsAskedForOnceACheckpointCannotBeWritten) {
  const std::string partial = CheckpointPath(directory_->path()) + ".partial";
  std::filesystem::create_directory(partial);  // the name under which it is written is taken
  EXPECT_FALSE(Run().ok());
  EXPECT_EQ(wall_.plans_reserved(), 0);
  std::filesystem::remove(partial);
  wall_.on_release = [&partial](Release&) { std::filesystem::create_directory(partial); };
  EXPECT_FALSE(Run().ok());
  EXPECT_EQ(wall_.releases_paid(), 1);
  std::filesystem::remove(partial);
  wall_.on_release = {};
  ASSERT_OK(Run());
  EXPECT_EQ(wall_.plans_reserved(), 1);
  EXPECT_EQ(wall_.releases_paid(), 3);
}

class DenoisedTrainerTest : public TrainerTest {
 protected:
  DenoisedTrainerTest() : TrainerTest({.documents_per_topic = 2000}) {
    spec_.algorithm = kDenoised;
    spec_.noise_multiplier = 8;
  }
};

TEST_F(DenoisedTrainerTest, TheUnigramComesFirstAndWeighsTheTermsOfTheOtherPlan) {
  std::vector<v1::ReleaseHeader> releases;
  ASSERT_OK_AND_ASSIGN(auto unigram, lda::PrivateUnigram::Create(12, {}));
  wall_.on_release = [&](Release& release) {
    if (releases.empty()) {
      EXPECT_OK(unigram.Add({.noisy_counts = release.statistics,
                             .noise_deviation = release.header.noise_standard_deviation()}));
    }
    releases.push_back(release.header);
  };
  ASSERT_OK_AND_ASSIGN(const auto trained, Run());
  ASSERT_EQ(releases.size(), 4u);
  EXPECT_EQ(releases[0].plan_id(), "plan-1");
  EXPECT_EQ(releases[0].rows(), 1);
  EXPECT_EQ(releases[0].clip_norm(), kUnigramClipNorm);
  EXPECT_EQ(releases[3].plan_id(), "plan-2");
  EXPECT_EQ(releases[3].iteration(), 3);
  EXPECT_EQ(trained.checkpoint.stages(1).plan().plan().weights(),
            *TermWeightsOf(*unigram.Probabilities()));
}

TEST_F(DenoisedTrainerTest, EachPlanHasARequestOfItsOwnOnceItIsComplete) {
  wall_.FailBefore(1, absl::UnavailableError("cut"));  // the unigram's release
  ASSERT_FALSE(Run().ok());
  EXPECT_EQ(Stored().stages(0).plan().request_id().size(), kRequestIdSize);
  EXPECT_EQ(Stored().stages(1).plan().request_id(), "") << "it has no term weights yet";
  wall_.FailAfter(wall_.calls() + 1, absl::UnavailableError("cut"));  // the topics' reservation
  ASSERT_FALSE(Run().ok());
  const v1::CheckpointFile stored = Stored();
  const v1::FitPlan& topics = stored.stages(1).plan();
  EXPECT_EQ(topics.request_id().size(), kRequestIdSize);
  EXPECT_NE(topics.request_id(), stored.stages(0).plan().request_id());
  EXPECT_NE(topics.plan().weights(), "");
  // A machine that would now find other weights sends those that were sent, or it would be another
  // plan under the same request_id.
  v1::CheckpointFile elsewhere = stored;
  v1::DenoisedState state;
  ASSERT_TRUE(state.ParseFromString(stored.state()));
  state.set_unigram_sums(0, 1.5 * state.unigram_sums(0));
  elsewhere.set_state(state.SerializeAsString());
  ASSERT_OK(directory_->WriteCheckpoint(elsewhere));
  ASSERT_OK_AND_ASSIGN(const auto trained, Run());
  EXPECT_EQ(trained.checkpoint.stages(1).plan().plan().SerializeAsString(),
            topics.plan().SerializeAsString());
  EXPECT_EQ(wall_.plans_reserved(), 2);
}

TEST_F(DenoisedTrainerTest, BothStagesTellTheirProgress) {
  std::vector<std::string> told;
  ASSERT_OK(Run([&told](const v1::FitStage& stage) {
    told.push_back(absl::StrCat(stage.name(), " ", stage.iterations_done()));
  }));
  EXPECT_THAT(
      told, ElementsAre("unigram 0", "unigram 1", "topics 0", "topics 1", "topics 2", "topics 3"));
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

// The wall refuses a request whose digest does not cover r.
TEST_F(DenoisedTrainerTest, DocumentsThatTheHistogramShowsToBeLongAreAskedForWithNoiseAlongTopics) {
  std::vector<v1::ReleaseHeader> releases;
  wall_.on_release = [&releases](Release& release) { releases.push_back(release.header); };
  ASSERT_OK_AND_ASSIGN(const auto trained, Run());
  ASSERT_EQ(releases.size(), 4u);
  EXPECT_EQ(releases[0].direction_noise(), 0);
  EXPECT_EQ(releases[1].direction_noise(), 0) << "nobody knows yet";
  EXPECT_GE(releases[2].clip_norm(), 5);
  EXPECT_EQ(releases[2].direction_noise(), 5);
  EXPECT_EQ(releases[3].direction_noise(), 5);
  v1::ModelFile model;
  trained.algorithm->Annotate(trained.checkpoint, model);
  ASSERT_EQ(model.mass_deviations_size(), 2);
  EXPECT_GT(model.mass_deviations(0), 0);
}

TEST_F(DenoisedTrainerTest, AReleaseWithOtherNoiseAlongTopicsIsNotTakenIn) {
  int releases = 0;
  wall_.on_release = [&releases](Release& release) {
    if (++releases == 3) release.header.set_direction_noise(4);
  };
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("along the rows")));
  EXPECT_EQ(Stored().stages(1).iterations_done(), 1);
  ASSERT_OK(Run());
  EXPECT_EQ(wall_.releases_paid(), 4);
}

TEST_F(DenoisedTrainerTest, ComponentsHaveNoDirections) {
  spec_.algorithm = kMixture;
  int releases = 0;
  wall_.on_release = [&releases](Release& release) {
    ++releases;
    EXPECT_EQ(release.header.direction_noise(), 0) << releases;
  };
  ASSERT_OK(Run());
  EXPECT_EQ(releases, 4);
}

TEST_F(DenoisedTrainerTest, AUnigramThatWasPaidOutlivesARefusalOfTheTopicsPlan) {
  bool has_unigram = false;
  wall_.on_release = [&](Release&) {
    if (has_unigram) return;
    has_unigram = true;
    // Somebody else takes all the rest.
    v1::ReservePlanRequest others;
    others.mutable_plan()->set_sampling_rate(1);
    others.mutable_plan()->set_iterations(1);
    others.mutable_plan()->mutable_gaussian()->set_noise_multiplier(8);
    do others.set_request_id(absl::StrCat("others ", wall_.calls()));
    while (wall_.ReservePlan(others).ok());
  };
  EXPECT_THAT(Run(), StatusIs(absl::StatusCode::kFailedPrecondition));
  const v1::CheckpointFile stored = Stored();
  EXPECT_EQ(stored.stages(0).iterations_done(), 1);
  EXPECT_EQ(stored.stages(1).plan().plan_id(), "");
  v1::DenoisedState state;
  ASSERT_TRUE(state.ParseFromString(stored.state()));
  EXPECT_EQ(state.unigram_sums_size(), 12);
}

}  // namespace trainer_test
}  // namespace topicwall::client
