#include "client/fit/algorithms/denoised_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/audit/enforced_price.h"
#include "client/fit/checkpoint.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::client {
namespace denoised_fit_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::ReleaseSpec Topics() {
  v1::ReleaseSpec plan;
  plan.set_corpus("notes");
  plan.set_sampling_rate(1);
  plan.set_iterations(20);
  testing::AskTopics(&plan, "lda", 50, {0.02});
  return plan;
}

// The whole fit is priced as J + 1 releases of the unigram's noise: none may have less.
TEST(PlanDenoisedTest, EveryReleaseHasAtLeastTheNoiseThatIsPricedAndHardlyMore) {
  for (const double noise : {0.5, 6.30621, 12345.6}) {
    ASSERT_OK_AND_ASSIGN(const auto plans, PlanDenoised(Topics(), noise));
    EXPECT_EQ(plans.unigram.gaussian().noise_multiplier(), noise);
    EXPECT_FALSE(plans.unigram.gaussian().has_histogram_noise_multiplier());
    ASSERT_TRUE(plans.topics.gaussian().has_histogram_noise_multiplier());
    ASSERT_OK_AND_ASSIGN(const auto event, EventOf(plans.topics));
    EXPECT_GE(event.release.noise_multiplier(), noise);
    EXPECT_LT(event.release.noise_multiplier(), noise * (1 + 2e-5));
  }
}

TEST(PlanDenoisedTest, TheUnigramIsOfOneTopicAndTheRestIsAsAsked) {
  ASSERT_OK_AND_ASSIGN(const auto plans, PlanDenoised(Topics(), 6));
  EXPECT_EQ(plans.unigram.iterations(), 1);
  EXPECT_EQ(testing::OptionsOf(plans.unigram).num_topics(), 1);
  EXPECT_EQ(plans.unigram.corpus(), "notes");
  EXPECT_EQ(plans.topics.iterations(), 20);
  EXPECT_EQ(testing::OptionsOf(plans.topics).num_topics(), 50);
}

TEST(PlanDenoisedTest, TheUnigramIsOneReleaseMoreHoweverManyThereAre) {
  for (const int iterations : {1, 40, 2147483647}) {
    v1::ReleaseSpec topics = Topics();
    topics.set_iterations(iterations);
    ASSERT_OK_AND_ASSIGN(const auto plans, PlanDenoised(topics, 6));
    EXPECT_EQ(plans.unigram.iterations(), 1) << iterations;
    EXPECT_EQ(DenoisedReleases(iterations), int64_t{iterations} + 1);
  }
}

// K·(V + 1) parameters of a mixture are within a limit of 20·V.
TEST(MostRowsTest, OfAMixtureNoMoreAreAskedForThanTheLimitHasRoomFor) {
  v1::CorpusDescription description;
  description.mutable_limits()->set_max_parameters_per_term(20);
  for (const int terms : {1, 19, 20, 8000}) {
    description.set_vocabulary_size(terms);
    EXPECT_EQ(MostRows(description, false), 20);
    const int most = MostRows(description, true);
    EXPECT_LE(most * (terms + 1), 20 * terms);
    EXPECT_GT((most + 1) * (terms + 1), 20 * terms);
  }
}

TEST(PlanDenoisedTest, NoiseThatIsNoneIsRefused) {
  EXPECT_THAT(PlanDenoised(Topics(), 0), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(PlanDenoised(Topics(), -1), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(TermWeightsOfTest, RareTermsWeighMore) {
  ASSERT_OK_AND_ASSIGN(const auto bytes, TermWeightsOf(std::vector<double>{0.9, 0.09, 0.01}));
  ASSERT_OK_AND_ASSIGN(const auto weights, proto::FloatsFromLittleEndian(bytes));
  ASSERT_EQ(weights.size(), 3u);
  EXPECT_LT(weights[0], weights[1]);
  EXPECT_LT(weights[1], weights[2] + 1e-6);
  EXPECT_THAT(TermWeightsOf(std::vector<double>{0.5, 0.1}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

// Too few iterations for a warm-up.
v1::CheckpointFile Begun(double noise_multiplier = 2,
                         std::vector<std::string> words = {"apple", "fig", "pear"}) {
  FitSpec spec;
  spec.num_topics = 2;
  spec.iterations = 3;
  spec.noise_multiplier = noise_multiplier;
  spec.clip_norm = 2;
  spec.max_words = 500;
  spec = *WithDefaults(spec);
  v1::CorpusDescription description;
  description.mutable_limits()->set_max_model_iterations(50);
  v1::CheckpointFile checkpoint = *NewCheckpoint(spec, *StagesOf(spec, description),
                                                 *lda::Vocabulary::Create(std::move(words)));
  checkpoint.mutable_stages(0)->mutable_plan()->set_request_id(std::string(16, 'u'));
  return checkpoint;
}

// σC = 10 for each of three counts: their sum has deviation 17.
Release CountsOf(float words) {
  Release release;
  release.statistics = {words, words, words};
  release.header.set_noise_standard_deviation(10);
  return release;
}

// Of two topics, with σC = 7.
Release TopicsOf2700Words() {
  Release release;
  release.statistics = {900, 500, 100, 300, 700, 200};
  release.header.set_noise_standard_deviation(7);
  return release;
}

v1::DenoisedState StateOf(const FitAlgorithm& algorithm) {
  v1::DenoisedState state;
  EXPECT_TRUE(state.ParseFromString(algorithm.State()));
  return state;
}

// After the unigram, at the beginning of the topics.
std::unique_ptr<FitAlgorithm> AtTheTopics(v1::CheckpointFile& checkpoint) {
  std::unique_ptr<FitAlgorithm> algorithm = *RestoreAlgorithm(checkpoint);
  EXPECT_OK(algorithm->TakeIn(CountsOf(2000)));
  checkpoint.mutable_stages(0)->mutable_plan()->set_plan_id("u");
  checkpoint.mutable_stages(0)->set_iterations_done(1);
  v1::FitPlan& topics = *checkpoint.mutable_stages(1)->mutable_plan();
  *topics.mutable_plan() = *algorithm->BeginStage(1, topics.plan());
  topics.set_request_id(std::string(16, 't'));
  checkpoint.set_state(algorithm->State());
  return algorithm;
}

TEST(DenoisedFitTest, TheUnigramIsAskedForWithOneUniformTopic) {
  ASSERT_OK_AND_ASSIGN(const auto algorithm, RestoreAlgorithm(Begun()));
  ASSERT_OK_AND_ASSIGN(const auto log_topics, algorithm->NextParameters());
  EXPECT_THAT(log_topics, ElementsAre(0, 0, 0));
  EXPECT_EQ(algorithm->clip_norm(), kUnigramClipNorm);
}

TEST(DenoisedFitTest, CountsThatAreNoiseStopAFit) {
  ASSERT_OK_AND_ASSIGN(const auto algorithm, RestoreAlgorithm(Begun()));
  const v1::ReleaseSpec plan = Begun().stages(1).plan().plan();
  EXPECT_THAT(algorithm->BeginStage(1, plan), StatusIs(absl::StatusCode::kFailedPrecondition))
      << "not before the unigram is there";
  const std::string before = algorithm->State();
  EXPECT_THAT(algorithm->TakeIn(CountsOf(20)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("noise")));
  EXPECT_EQ(algorithm->State(), before);
  EXPECT_OK(algorithm->TakeIn(CountsOf(2000)));
  EXPECT_OK(algorithm->BeginStage(1, plan));
}

TEST(DenoisedFitTest, TheTopicsBeginWithTheClipNormThatWasAskedFor) {
  v1::CheckpointFile checkpoint = Begun();
  EXPECT_EQ(AtTheTopics(checkpoint)->clip_norm(), 2);
}

// What a crash between two releases must not lose: the counts of those of the warm-up.
TEST(DenoisedFitTest, EveryReleaseOfTheTopicsRefinesTheUnigramThatIsSaved) {
  v1::CheckpointFile checkpoint = Begun();
  const std::unique_ptr<FitAlgorithm> algorithm = AtTheTopics(checkpoint);
  const double after_one = StateOf(*algorithm).unigram_precisions(0);
  ASSERT_OK(algorithm->TakeIn(TopicsOf2700Words()));
  // M²/s² of 2,700 words in two topics, w = 1.
  EXPECT_NEAR(StateOf(*algorithm).unigram_precisions(0) - after_one, 2700.0 * 2700 / (2 * 7 * 7),
              0.1);
}

TEST(DenoisedFitTest, AModelIsAnnotatedWithNoiseUnigramAndItsPlan) {
  v1::CheckpointFile checkpoint = Begun();
  const std::unique_ptr<FitAlgorithm> algorithm = AtTheTopics(checkpoint);
  ASSERT_OK(algorithm->TakeIn(TopicsOf2700Words()));
  v1::ModelFile model;
  algorithm->Annotate(checkpoint, model);
  EXPECT_EQ(model.unigram_plan_id(), "u");
  ASSERT_EQ(model.noise_deviations_size(), 3);
  EXPECT_NEAR(model.noise_deviations(1), 7, 1e-5) << "one release, no weights";
  EXPECT_NEAR(
      model.term_probabilities(0) + model.term_probabilities(1) + model.term_probabilities(2), 1,
      1e-9);
  EXPECT_EQ(model.noisy_statistics().size(), 24u);
  EXPECT_FALSE(model.has_warm_start());
}

// m = r·σC/|w·β| of the topics that were asked, of which the length is between √(Σ w²)/V and the
// largest weight.
TEST(DenoisedFitTest, NoiseAlongTopicsIsKeptWithTheStateAndSaidInTheModel) {
  v1::CheckpointFile checkpoint = Begun();
  std::unique_ptr<FitAlgorithm> algorithm = AtTheTopics(checkpoint);
  Release release = TopicsOf2700Words();
  release.header.set_direction_noise(5);
  ASSERT_OK(algorithm->TakeIn(release));
  ASSERT_EQ(StateOf(*algorithm).mass_variances_size(), 2);
  v1::ModelFile model;
  algorithm->Annotate(checkpoint, model);
  ASSERT_EQ(model.mass_deviations_size(), 2);
  const std::vector<float> weights =
      *proto::FloatsFromLittleEndian(checkpoint.stages(1).plan().plan().weights());
  double squares = 0, largest = 0;
  for (const float w : weights) {
    squares += double{w} * w;
    largest = std::max(largest, double{w});
  }
  EXPECT_GT(model.mass_deviations(0), 5 * 7 / largest);
  EXPECT_LT(model.mass_deviations(0), 5 * 7 * 3 / std::sqrt(squares) * (1 + 1e-6));

  v1::DenoisedState state = StateOf(*algorithm);
  state.set_direction_noise(5);
  checkpoint.mutable_stages(1)->set_iterations_done(1);
  checkpoint.set_state(state.SerializeAsString());
  algorithm = *RestoreAlgorithm(checkpoint);
  EXPECT_EQ(algorithm->direction_noise(), 5);
  EXPECT_EQ(algorithm->State(), checkpoint.state());
}

// Which is what a wall takes: a fit that asked it for more would have paid and could not go on.
TEST(DenoisedFitTest, WithANoiseMultiplierBelowTwoNoNoiseAlongTopicsIsAskedFor) {
  for (const auto& [noise_multiplier, direction_noise] : {std::pair(2.0, 5), {1.9, 0}}) {
    v1::CheckpointFile checkpoint = Begun(noise_multiplier);
    const std::unique_ptr<FitAlgorithm> algorithm = AtTheTopics(checkpoint);
    Release of_long_documents = TopicsOf2700Words();
    v1::ReleaseHeader& header = of_long_documents.header;
    header.mutable_norm_histogram()->Resize(48, 0);
    header.set_norm_histogram(40, 1000);
    header.set_histogram_noise_standard_deviation(1);
    ASSERT_OK(algorithm->TakeIn(of_long_documents));
    EXPECT_GE(algorithm->clip_norm(), 5);
    EXPECT_EQ(algorithm->direction_noise(), direction_noise) << noise_multiplier;
  }
}

// As of the versions before there was noise along topics.
TEST(DenoisedFitTest, ACheckpointThatSaysNothingOfNoiseAlongTopicsGoesOn) {
  v1::CheckpointFile checkpoint = Begun();
  std::unique_ptr<FitAlgorithm> algorithm = AtTheTopics(checkpoint);
  ASSERT_OK(algorithm->TakeIn(TopicsOf2700Words()));
  v1::DenoisedState state = StateOf(*algorithm);
  EXPECT_EQ(state.mass_variances_size(), 0);
  EXPECT_EQ(state.direction_noise(), 0);
  checkpoint.mutable_stages(1)->set_iterations_done(1);
  checkpoint.set_state(state.SerializeAsString());
  algorithm = *RestoreAlgorithm(checkpoint);
  EXPECT_EQ(algorithm->direction_noise(), 0);
  Release release = TopicsOf2700Words();
  release.header.set_direction_noise(5);
  ASSERT_OK(algorithm->TakeIn(release));
  EXPECT_EQ(StateOf(*algorithm).mass_variances_size(), 2);
}

TEST(DenoisedFitTest, FormsOfAWordAreFoundAtTheBeginningAndKept) {
  v1::CheckpointFile checkpoint =
      Begun(2, {"filter", "filters", "printer", "printers", "reader", "readers"});
  std::unique_ptr<FitAlgorithm> algorithm = *RestoreAlgorithm(checkpoint);
  const auto of_long_stems = ElementsAre(0, 1, 7, 2, 3, 7, 4, 5, 7);
  EXPECT_THAT(StateOf(*algorithm).related_terms(), of_long_stems);
  Release counts = CountsOf(2000);
  counts.statistics.resize(6, 2000);
  ASSERT_OK(algorithm->TakeIn(counts));
  checkpoint.mutable_stages(0)->mutable_plan()->set_plan_id("u");
  checkpoint.mutable_stages(0)->set_iterations_done(1);
  v1::FitPlan& topics = *checkpoint.mutable_stages(1)->mutable_plan();
  *topics.mutable_plan() = *algorithm->BeginStage(1, topics.plan());
  topics.set_request_id(std::string(16, 't'));
  checkpoint.set_state(algorithm->State());
  algorithm = *RestoreAlgorithm(checkpoint);
  EXPECT_THAT(StateOf(*algorithm).related_terms(), of_long_stems);
}

TEST(DenoisedFitTest, AStateThatContradictsItsStagesIsRefused) {
  v1::CheckpointFile good = Begun();
  AtTheTopics(good);
  ASSERT_OK(RestoreAlgorithm(good));
  const auto refuse = [&good](auto spoil) {
    v1::CheckpointFile checkpoint = good;
    v1::DenoisedState state;
    ASSERT_TRUE(state.ParseFromString(checkpoint.state()));
    spoil(checkpoint, state);
    checkpoint.set_state(state.SerializeAsString());
    EXPECT_THAT(RestoreAlgorithm(checkpoint), StatusIs(absl::StatusCode::kInvalidArgument));
  };
  refuse([](auto& c, auto&) { c.mutable_stages(0)->set_iterations_done(0); });
  refuse([](auto&, auto& state) { state.clear_unigram_sums(); });
  refuse([](auto&, auto& state) { state.clear_unigram_precisions(); });
  refuse([](auto&, auto& state) {  // of another vocabulary
    state.add_unigram_sums(1);
    state.add_unigram_precisions(1);
  });
  refuse([](auto& c, auto&) { c.mutable_stages(1)->set_iterations_done(1); });  // without a sum
  refuse([](auto&, auto& state) { state.set_average(std::string(24, 0)); });    // before the first
  refuse([](auto&, auto& state) { state.set_clip_norm(0); });
  refuse([](auto&, auto& state) { state.set_direction_noise(-1); });
  refuse([](auto&, auto& state) { state.add_mass_variances(1); });  // before the first
  refuse([](auto&, auto& state) { state.mutable_warm_start(); });   // undecided
  refuse([](auto&, auto& state) { state.add_related_terms(0); });   // of nothing
  refuse([](auto&, auto& state) {                                   // beyond the vocabulary
    for (const int number : {0, 3, 0}) state.add_related_terms(number);
  });
}

}  // namespace denoised_fit_test
}  // namespace topicwall::client
