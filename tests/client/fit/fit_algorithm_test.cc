#include "client/fit/fit_algorithm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "client/fit/checkpoint.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::client {
namespace fit_algorithm_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

FitSpec Spec(const std::string& algorithm) {
  FitSpec spec;
  spec.algorithm = algorithm;
  spec.num_topics = 4;
  spec.iterations = 3;
  spec.noise_multiplier = 6;
  spec.max_words = 500;
  return *WithDefaults(spec);
}

v1::CorpusDescription Description() {
  v1::CorpusDescription description;
  description.mutable_limits()->set_max_model_iterations(50);
  return description;
}

v1::CheckpointFile Begun(const std::string& algorithm) {
  v1::CheckpointFile checkpoint =
      *NewCheckpoint(Spec(algorithm), *StagesOf(Spec(algorithm), Description()),
                     *lda::Vocabulary::Create({"apple", "fig", "pear"}));
  checkpoint.mutable_stages(0)->mutable_plan()->set_request_id(std::string(16, 'r'));
  return checkpoint;
}

TEST(FindMethodTest, UnknownNamesAreRefusedWithTheKnownOnes) {
  EXPECT_OK(FindMethod("denoised"));
  EXPECT_OK(FindMethod("paper"));
  EXPECT_OK(FindMethod("mixture"));
  EXPECT_OK(FindMethod("gaussian"));
  EXPECT_THAT(FindMethod("m-step"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("denoised, paper, mixture or gaussian; got \"m-step\"")));
}

TEST(StagesOfTest, AllReleasesAreCountedAndPricedAsThoseOfOnePlan) {
  for (const auto& [algorithm, releases] : std::vector<std::pair<std::string, int>>{
           {kDenoised, 4}, {kMixture, 4}, {kGaussian, 4}, {kPaper, 3}}) {
    ASSERT_OK_AND_ASSIGN(const auto stages, StagesOf(Spec(algorithm), Description()));
    EXPECT_EQ(*NumReleases(Spec(algorithm)), releases);
    const v1::ReleaseSpec all = PricedAs(stages);
    EXPECT_EQ(all.iterations(), releases);
    EXPECT_EQ(NumTopics(all), 4);
    EXPECT_EQ(all.model(), stages.back().plan().plan().model());
    EXPECT_EQ(all.gaussian().noise_multiplier(), 6);
  }
}

TEST(StagesOfTest, AMixtureOfGaussiansBeginsWithAsManyComponentsAsTheWallAllows) {
  v1::CorpusDescription description = Description();
  description.set_vocabulary_size(3);
  FitSpec spec = Spec(kGaussian);
  const auto components = [&] {
    std::vector<int> of_stages;
    const auto stages = StagesOf(spec, description);
    for (const v1::FitStage& stage : *stages) of_stages.push_back(NumTopics(stage.plan().plan()));
    return of_stages;
  };
  const int k = *spec.num_topics;
  description.mutable_limits()->set_max_parameters_per_term(1000);
  EXPECT_THAT(components(), ::testing::ElementsAre(1, 3 * k, k));
  // Each has 2d + 1 parameters, of which the wall allows so many for each of d dimensions.
  const int64_t d = description.vocabulary_size();
  description.mutable_limits()->set_max_parameters_per_term(
      static_cast<int32_t>(((2 * d + 1) * (k + 1) + d - 1) / d));
  EXPECT_THAT(components(), ::testing::ElementsAre(1, k + 1, k));
  spec.iterations = 1;
  EXPECT_THAT(components(), ::testing::ElementsAre(1, k));
}

TEST(RestoreAlgorithmTest, BytesThatAreNoStateOfTheAlgorithmAreRefused) {
  for (const std::string algorithm : {kDenoised, kMixture, kPaper, kGaussian}) {
    v1::CheckpointFile checkpoint = Begun(algorithm);
    ASSERT_OK(RestoreAlgorithm(checkpoint));
    checkpoint.set_state("\x0a\xff");
    EXPECT_THAT(RestoreAlgorithm(checkpoint),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(algorithm)));
    checkpoint = Begun(algorithm);
    *checkpoint.add_stages() = checkpoint.stages(0);
    EXPECT_THAT(RestoreAlgorithm(checkpoint), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(RestoreAlgorithmTest, AStateOfAnotherShapeIsRefused) {
  v1::CheckpointFile checkpoint = Begun(kPaper);
  v1::MStepState state;
  ASSERT_TRUE(state.ParseFromString(checkpoint.state()));
  state.mutable_topics()->resize(state.topics().size() - sizeof(float));
  checkpoint.set_state(state.SerializeAsString());
  EXPECT_THAT(RestoreAlgorithm(checkpoint), StatusIs(absl::StatusCode::kInvalidArgument));
  state.mutable_topics()->pop_back();  // no longer whole numbers
  checkpoint.set_state(state.SerializeAsString());
  EXPECT_THAT(RestoreAlgorithm(checkpoint), StatusIs(absl::StatusCode::kInvalidArgument));
}

// A newer version may begin with others; a fit that was begun goes on with its own.
TEST(RestoreAlgorithmTest, TheConstantsOfAFitStandInItsState) {
  v1::CheckpointFile checkpoint = Begun(kPaper);
  v1::MStepState state;
  ASSERT_TRUE(state.ParseFromString(checkpoint.state()));
  EXPECT_EQ(state.topic_word_prior(), 0.25);
  EXPECT_EQ(state.step_offset(), 1024);
  EXPECT_EQ(state.step_decay(), 0.7);
  state.set_step_decay(0);  // ρ = 1: of two releases the last is left
  checkpoint.set_state(state.SerializeAsString());
  ASSERT_OK_AND_ASSIGN(const auto algorithm, RestoreAlgorithm(checkpoint));
  Release release;
  release.statistics.assign(12, 5);
  ASSERT_OK(algorithm->TakeIn(release));
  release.statistics.assign(12, 8);
  ASSERT_OK(algorithm->TakeIn(release));
  ASSERT_TRUE(state.ParseFromString(algorithm->State()));
  EXPECT_EQ(state.step_decay(), 0);
  EXPECT_EQ(state.topics(), proto::FloatsToLittleEndian(std::vector<float>(12, 160.25)))
      << "η + 8/ν";
}

}  // namespace fit_algorithm_test
}  // namespace topicwall::client
