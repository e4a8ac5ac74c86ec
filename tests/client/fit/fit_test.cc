#include "client/fit/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/audit/budget_sum.h"
#include "client/audit/chain_replay.h"
#include "client/audit/takings.h"
#include "client/commands/audit/noted_prices.h"
#include "client/exit_code.h"
#include "client/fit/algorithms/mixture_fit.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/fit_planner.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/denoised_trainer.h"
#include "model/lda/reading/topic_quality.h"
#include "model/lda/topics/initial_topics.h"
#include "model/lda/topics/topic_model.h"
#include "proto/budget_refusal.h"
#include "proto/matrix_codec.h"
#include "proto/request_digest.h"
#include "tests/client/chain_builder.h"
#include "tests/client/local_wall.h"
#include "tests/client/small_model.h"
#include "tests/model/lda/top_terms.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace fit_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

FitSpec Spec() {
  FitSpec spec;
  spec.corpus = "notes";
  spec.algorithm = kPaper;
  spec.sampling_rate = 1;
  spec.num_topics = 2;
  spec.iterations = 4;
  spec.epsilon = 2;
  spec.seed = 7;
  return spec;
}

FitHooks Agreeing() {
  return {.agree = [](const FitQuote&) { return absl::OkStatus(); }, .on_progress = {}};
}

class FitTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/notes.model"; }

  // One run of the program: opens the folder, fits, closes it.
  absl::StatusOr<FitResult> RunFit(LocalWall& wall, const FitSpec& spec = Spec(),
                                   const FitHooks& hooks = Agreeing()) {
    auto directory = ModelDirectory::Open(Path());
    if (!directory.ok()) return directory.status();
    return Fit(wall, **directory, spec, hooks);
  }

  struct Undisturbed {
    FitSpec spec;
    LocalWall::Planted planted = {};
    int plans_reserved;
    int releases_paid;
  };
  // Lets the n-th call fail, before or behind its effect, throws all memory away, as a kill
  // would, and types the same command again: it ends with the same bits and pays once.
  void ExpectResumesFromCall(int first_call, const Undisturbed& fit) {
    LocalWall undisturbed(fit.planted);
    ASSERT_OK_AND_ASSIGN(const auto expected, RunFit(undisturbed, fit.spec));
    const int calls = undisturbed.calls();
    ASSERT_GE(calls, 9);
    for (int call = first_call; call < calls; ++call) {
      for (const bool answer_lost : {false, true}) {
        SCOPED_TRACE(absl::StrCat("call ", call, answer_lost ? ", answer lost" : ", not done"));
        std::filesystem::remove_all(Path());
        LocalWall wall(fit.planted);
        wall.Cut(call, !answer_lost);
        ASSERT_THAT(RunFit(wall, fit.spec), StatusIs(absl::StatusCode::kUnavailable));
        wall.ForgetFailures();
        ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, fit.spec));
        EXPECT_EQ(result.model.topic_parameters(), expected.model.topic_parameters());
        EXPECT_EQ(result.model.gaussian().SerializeAsString(),
                  expected.model.gaussian().SerializeAsString());
        EXPECT_THAT(result.model.document_topic_prior(),
                    ElementsAreArray(expected.model.document_topic_prior()));
        EXPECT_EQ(wall.plans_reserved(), fit.plans_reserved);
        EXPECT_EQ(wall.releases_paid(), fit.releases_paid);
      }
    }
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(FitTest, RecoversPlantedTopicsThroughTheWholeLoop) {
  LocalWall wall;
  ASSERT_OK_AND_ASSIGN(const FitResult result, RunFit(wall));
  ASSERT_OK_AND_ASSIGN(const auto model, ModelOf(result.model));
  // Six terms each: the top six of one topic are exactly the first six terms, of the other
  // the last six.
  std::vector<bool> first_six;
  for (int k = 0; k < 2; ++k) {
    const auto words = lda::testing::TopTerms(model, k, 6);
    const bool low = words.front() < 6;
    for (const uint32_t word : words) EXPECT_EQ(word < 6, low);
    first_six.push_back(low);
  }
  EXPECT_NE(first_six[0], first_six[1]);
  EXPECT_EQ(wall.releases_paid(), 4);
}

TEST_F(FitTest, TheModelSaysWhereItIsFromAndWhatItCost) {
  LocalWall wall;
  ASSERT_OK(RunFit(wall));
  ASSERT_OK_AND_ASSIGN(const auto model, ReadModel(Path()));
  EXPECT_EQ(model.corpus(), "notes");
  EXPECT_EQ(model.corpus_version(), std::string(16, 'v'));
  EXPECT_EQ(model.plan_id(), "plan-1");
  EXPECT_EQ(model.iterations(), 4);
  EXPECT_EQ(model.terms_size(), 12);
  EXPECT_EQ(model.algorithm(), "paper");
  EXPECT_LE(model.epsilon(), 2);
  EXPECT_GT(model.epsilon(), 1.999);
  EXPECT_EQ(model.delta(), 1e-6);
  EXPECT_FALSE(model.has_sum());
  EXPECT_FALSE(std::filesystem::exists(CheckpointPath(Path())));
}

TEST_F(FitTest, AfterAFailureAtAnyCallTheSameCommandEndsWithTheSameBitsAndPaysOnce) {
  ExpectResumesFromCall(0, {.spec = Spec(), .plans_reserved = 1, .releases_paid = 4});
}

TEST_F(FitTest, AFitThatFailsAtEveryCallInTurnStillPaysOnce) {
  LocalWall undisturbed;
  ASSERT_OK_AND_ASSIGN(const auto expected, RunFit(undisturbed));
  std::filesystem::remove_all(Path());
  LocalWall wall;
  absl::StatusOr<FitResult> result = absl::UnavailableError("not run");
  // Each run loses the answer of one call later than the run before.
  for (int run = 0; run < 40 && !result.ok(); ++run) {
    wall.ForgetFailures();
    wall.FailAfter(wall.calls() + run, absl::UnavailableError("cut"));
    result = RunFit(wall);
  }
  ASSERT_OK(result);
  EXPECT_EQ(result->model.topic_parameters(), expected.model.topic_parameters());
  EXPECT_EQ(wall.plans_reserved(), 1);
  EXPECT_EQ(wall.releases_paid(), 4);
}

TEST_F(FitTest, ThePapersAlgorithmResumesWithTheSameBitsToo) {
  FitSpec spec = Spec();
  spec.algorithm = kPaper;
  LocalWall undisturbed;
  ASSERT_OK_AND_ASSIGN(const auto expected, RunFit(undisturbed, spec));
  std::filesystem::remove_all(Path());
  LocalWall wall;
  wall.FailAfter(undisturbed.calls() - 2, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, spec).ok());
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
  EXPECT_EQ(result.model.topic_parameters(), expected.model.topic_parameters());
}

FitSpec Denoised() {
  FitSpec spec = Spec();
  spec.algorithm = kDenoised;
  return spec;
}
LocalWall::Planted ManyDocuments() { return {.documents_per_topic = 2000}; }

TEST_F(FitTest, ADenoisedModelSaysWhatItsNoiseIs) {
  LocalWall wall(ManyDocuments());
  ASSERT_OK_AND_ASSIGN(const FitResult result, RunFit(wall, Denoised()));
  const v1::ModelFile& model = result.model;
  EXPECT_EQ(model.algorithm(), "denoised");
  EXPECT_EQ(model.unigram_plan_id(), "plan-1");
  EXPECT_EQ(model.plan_id(), "plan-2");
  EXPECT_LE(model.epsilon(), 2);
  EXPECT_GT(model.epsilon(), 1.999);
  ASSERT_OK_AND_ASSIGN(const auto noise, NoiseOf(*ReadModel(Path())));
  ASSERT_TRUE(noise.has_value());
  for (const float deviation : noise->deviations) EXPECT_GT(deviation, 0);
  ASSERT_OK_AND_ASSIGN(
      const auto quality,
      lda::TopicQuality::Create(*ModelOf(model), noise->topics(2), noise->term_probabilities));
  EXPECT_EQ(quality.NumWeakTopics(), 0) << "the topics were planted";
}

TEST_F(FitTest, ADenoisedFitResumesAtAnyCallWithTheSameBitsAndPaysOnce) {
  FitSpec spec = Denoised();
  spec.iterations = 30;  // of which two are the warm-up
  ExpectResumesFromCall(
      4, {.spec = spec, .planted = ManyDocuments(), .plans_reserved = 2, .releases_paid = 31});
}

// Two topics of six words each were planted, and every document is of one: a component's words then
// are those of one topic, and its weight is a half. Catches a column of documents that is taken for
// a term, and weights that are of other components.
TEST_F(FitTest, AMixtureFindsThePlantedTopicsAndHowCommonTheyAre) {
  FitSpec spec = Denoised();
  spec.algorithm = kMixture;
  spec.iterations = 12;
  LocalWall wall(ManyDocuments());
  ASSERT_OK(RunFit(wall, spec));
  const v1::ModelFile model = *ReadModel(Path());
  ASSERT_EQ(model.component_weights_size(), 2);
  EXPECT_NEAR(model.component_weights(0), 0.5, 0.02);
  EXPECT_NEAR(model.component_weights(0) + model.component_weights(1), 1, 1e-12);
  ASSERT_OK_AND_ASSIGN(const auto topics, ModelOf(model));
  const std::vector<double> means = lda::MeanTopics(topics);
  const double first = std::accumulate(means.begin(), means.begin() + 6, 0.0);
  const double second = std::accumulate(means.begin() + 12, means.begin() + 18, 0.0);
  // A topic's prior is 12 % of its mass, half of which is the other's words.
  EXPECT_GT(std::max(first, second), 0.92);
  EXPECT_LT(std::min(first, second), 0.08);
}

TEST_F(FitTest, AMixtureResumesAtAnyCallWithTheSameBitsAndPaysOnce) {
  FitSpec spec = Denoised();
  spec.algorithm = kMixture;
  spec.iterations = 5;  // the first is the warm-up
  ExpectResumesFromCall(
      4, {.spec = spec, .planted = ManyDocuments(), .plans_reserved = 2, .releases_paid = 6});
}

// 900 vectors about each of two means, (0.6, 0.3, 0) and (−0.3, 0, 0.4), ± 0.1 in each number.
LocalWall::Planted TwoPlantedGaussians() {
  LocalWall::Planted planted;
  for (int i = 0; i < 1800; ++i) {
    const auto off = [i](int bit) { return (i >> bit) % 2 == 0 ? 0.1F : -0.1F; };
    const bool first = i % 2 == 0;
    planted.vectors.push_back({(first ? 0.6F : -0.3F) + off(1), (first ? 0.3F : 0) + off(2),
                               (first ? 0 : 0.4F) + off(3)});
  }
  return planted;
}

FitSpec OfGaussians() {
  FitSpec spec = Denoised();
  spec.algorithm = kGaussian;
  spec.iterations = 12;
  return spec;
}

TEST_F(FitTest, AMixtureOfGaussiansIsThreePlansAndFindsWhatWasPlanted) {
  LocalWall wall(TwoPlantedGaussians());
  const absl::StatusOr<FitResult> result = RunFit(wall, OfGaussians());
  ASSERT_OK(result);
  const v1::ModelFile model = *ReadModel(Path());
  ASSERT_TRUE(model.has_gaussian());
  EXPECT_EQ(model.gaussian().norm_bound(), 2.5);
  EXPECT_EQ(model.iterations(), 12);
  EXPECT_EQ(wall.plans_reserved(), 3);
  EXPECT_EQ(wall.releases_paid(), 13);
  EXPECT_GT(model.gaussian().count_deviation(), 0);
  // Counts have a noise of σ·C/½ each, averaged over releases: below 1e-9 to be so far off.
  EXPECT_NEAR(model.gaussian().vectors(), 1800,
              6.2 * std::sqrt(2) * model.spec().noise_multiplier() * 1.42 / 0.5);
  ASSERT_EQ(model.gaussian().stages_size(), 3);
  int releases = 0;
  for (const v1::ModelStage& stage : model.gaussian().stages()) releases += stage.releases();
  EXPECT_EQ(releases, 13);
  EXPECT_EQ(model.gaussian().stages(2).plan_id(), model.plan_id());
  EXPECT_THAT(ModelOf(model), StatusIs(absl::StatusCode::kFailedPrecondition));

  const gaussian::Components found = ComponentsOf(model);
  const size_t first = found.means[0] > found.means[3] ? 0 : 1, second = 1 - first;
  EXPECT_NEAR(found.weights[first], 0.5, 0.02);
  const std::vector<double> planted = {0.6, 0.3, 0, -0.3, 0, 0.4};
  for (size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(found.means[3 * first + j], planted[j], 0.03) << j;
    EXPECT_NEAR(found.means[3 * second + j], planted[3 + j], 0.03) << j;
  }
  for (const double variance : found.variances) EXPECT_NEAR(variance, 0.01, 0.005);
}

TEST_F(FitTest, AMixtureOfGaussiansResumesAtAnyCallWithTheSameBitsAndPaysOnce) {
  FitSpec spec = OfGaussians();
  spec.iterations = 4;
  ExpectResumesFromCall(
      4, {.spec = spec, .planted = TwoPlantedGaussians(), .plans_reserved = 3, .releases_paid = 5});
}

// The earlier components are kept until they are drawn from, and no longer.
TEST_F(FitTest, AMixtureOfGaussiansThatBeganWithAnEarlierOneResumesWithTheSameBitsAndPaysOnce) {
  LocalWall wall(TwoPlantedGaussians());
  FitSpec spec = OfGaussians();
  spec.iterations = 2;
  ASSERT_OK_AND_ASSIGN(const FitResult earlier, RunFit(wall, spec));
  spec.initial_model = std::make_shared<const v1::ModelFile>(earlier.model);
  std::filesystem::remove_all(Path());
  ExpectResumesFromCall(
      4, {.spec = spec, .planted = TwoPlantedGaussians(), .plans_reserved = 2, .releases_paid = 3});
}

// As many components as the earlier one has are its own: nothing is drawn, whatever the seed.
TEST_F(FitTest, AMixtureOfGaussiansBeginsWithAnEarlierOneOfTheSameVectors) {
  LocalWall wall(TwoPlantedGaussians());
  ASSERT_OK_AND_ASSIGN(const FitResult earlier, RunFit(wall, OfGaussians()));
  FitSpec spec = OfGaussians();
  spec.iterations = 1;
  spec.initial_model = std::make_shared<const v1::ModelFile>(earlier.model);
  std::vector<std::string> found;
  for (const uint64_t seed : {uint64_t{98}, uint64_t{99}}) {
    std::filesystem::remove_all(Path());
    LocalWall other(TwoPlantedGaussians());
    spec.seed = seed;
    ASSERT_OK_AND_ASSIGN(const FitResult result, RunFit(other, spec));
    found.push_back(result.model.gaussian().SerializeAsString());
  }
  EXPECT_EQ(found[0], found[1]);
  std::filesystem::remove_all(Path());
  LocalWall shorter(TwoPlantedGaussians());
  shorter.description().mutable_vectors()->set_norm_bound(1);
  EXPECT_THAT(RunFit(shorter, spec), StatusIs(absl::StatusCode::kInvalidArgument,
                                              HasSubstr("3 dimensions and norm bound 1")));
  LocalWall text;
  spec.algorithm = kDenoised;
  EXPECT_THAT(RunFit(text, spec), StatusIs(absl::StatusCode::kInvalidArgument,
                                           HasSubstr("must be of the corpus's kind")));
}

TEST_F(FitTest, AlgorithmsOfTheOtherKindOfCorpusAreRefusedBeforeAnythingIsAsked) {
  LocalWall vectors(TwoPlantedGaussians());
  for (const std::string algorithm : {kDenoised, kMixture, kPaper}) {
    FitSpec spec = OfGaussians();
    spec.algorithm = algorithm;
    EXPECT_THAT(RunFit(vectors, spec),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is for corpora of text")));
  }
  LocalWall text;
  EXPECT_THAT(RunFit(text, OfGaussians()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is for corpora of vectors")));
  EXPECT_EQ(vectors.plans_reserved() + text.plans_reserved(), 0);
}

// The wall, as a machine sees it whose arithmetic is another: every ℓ that it sends differs in the
// last bit from what the first machine would have sent.
class OtherArithmetic : public LocalWall {
 public:
  using LocalWall::LocalWall;
  bool is_other = false;

  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header,
                                     absl::Span<const float> log_topics,
                                     const ReleaseShape& shape) override {
    if (!is_other) return LocalWall::RunRelease(header, log_topics, shape);
    std::vector<float> other(log_topics.begin(), log_topics.end());
    for (float& l : other) l = std::nextafter(l, -std::numeric_limits<float>::infinity());
    v1::RunReleaseHeader sent = header;
    sent.set_request_digest(
        base::DigestBytes(proto::RequestDigest(header, spec(header.plan_id()), other)));
    absl::StatusOr<Release> release = LocalWall::RunRelease(sent, other, shape);
    if (release.ok()) release->header.set_request_digest(header.request_digest());
    ++(absl::IsAlreadyExists(release.status()) ? refused : answered);
    return release;
  }

  int refused = 0, answered = 0;  // E-steps of the other machine
};

// Nothing of what is paid rests on two machines computing the same bits.
TEST_F(FitTest, AFitGoesOnWithOtherArithmeticAtAnyCallAndPaysOnce) {
  for (const std::string algorithm : {kDenoised, kMixture, kPaper, kGaussian}) {
    const bool of_vectors = algorithm == kGaussian;
    const LocalWall::Planted planted = of_vectors ? TwoPlantedGaussians() : ManyDocuments();
    FitSpec spec = Denoised();
    spec.algorithm = algorithm;
    spec.iterations = 5;  // of `denoised` the first is the warm-up
    spec.sampling_rate = 1;
    const bool has_unigram = algorithm == kDenoised || algorithm == kMixture || of_vectors;
    const int plans = of_vectors ? 3 : has_unigram ? 2 : 1, releases = has_unigram ? 6 : 5;
    OtherArithmetic undisturbed(planted);
    ASSERT_OK(RunFit(undisturbed, spec));
    int refused = 0;
    for (int call = 4; call < undisturbed.calls(); ++call) {
      SCOPED_TRACE(absl::StrCat(algorithm, ", call ", call));
      std::filesystem::remove_all(Path());
      OtherArithmetic wall(planted);
      wall.FailAfter(call, absl::UnavailableError("cut"));
      ASSERT_THAT(RunFit(wall, spec), StatusIs(absl::StatusCode::kUnavailable));
      wall.ForgetFailures();
      wall.is_other = true;
      ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
      EXPECT_EQ(ModelOf(result.model).ok(), !of_vectors);
      EXPECT_EQ(result.model.iterations(), 5);
      EXPECT_EQ(wall.plans_reserved(), plans);
      EXPECT_EQ(wall.releases_paid(), releases);
      EXPECT_LE(wall.refused, 1) << "the one that was under way";
      refused += wall.refused;
    }
    EXPECT_EQ(refused, releases) << "each release was under way once";
    std::filesystem::remove_all(Path());
  }
}

// 12 terms in 2 topics: what is planned for is what the noise model says of such a corpus.
FitSpec Automatic() {
  FitSpec spec = Denoised();
  spec.iterations.reset();
  spec.is_planned = true;
  spec.planning.num_documents = 4000;
  spec.planning.words_per_unit = 14;
  return spec;
}

TEST_F(FitTest, AnAutomaticPlanIsTheProposedOne) {
  LocalWall wall(ManyDocuments());
  wall.description().mutable_limits()->set_max_iterations(6);
  const Account account = {.policy = wall.policy(), .spent = wall.policy().NothingSpent()};
  ASSERT_OK_AND_ASSIGN(const auto proposed, ProposeFit(account, wall.description(), Automatic()));
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, Automatic()));
  EXPECT_EQ(result.model.num_topics(), proposed.num_topics);
  EXPECT_EQ(result.model.iterations(), 5);
  EXPECT_EQ(proposed.iterations, 5);
  EXPECT_LE(result.model.epsilon(), 2);
  EXPECT_TRUE(RunFit(wall, Automatic())->was_finished);
}

// Between the runs the planner's world has changed: releases were used up, limits and the nominal
// size are others. The fit that was begun stays what it was.
TEST_F(FitTest, AnAutomaticFitIsResumedWithThePlanItBeganWithWhateverAPlannerWouldNowChoose) {
  LocalWall undisturbed(ManyDocuments());
  undisturbed.description().mutable_limits()->set_max_iterations(6);
  ASSERT_OK_AND_ASSIGN(const auto expected, RunFit(undisturbed, Automatic()));
  std::filesystem::remove_all(Path());
  LocalWall wall(ManyDocuments());
  wall.description().mutable_limits()->set_max_iterations(6);
  wall.FailAfter(undisturbed.calls() - 3, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, Automatic()).ok());
  wall.ForgetFailures();
  wall.description().mutable_limits()->set_max_iterations(3);
  wall.description().set_releases_left(2);
  wall.description().set_nominal_size(5);
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, Automatic()));
  EXPECT_EQ(result.model.topic_parameters(), expected.model.topic_parameters());
  EXPECT_EQ(wall.plans_reserved(), 2);
  EXPECT_EQ(wall.releases_paid(), 6);
}

TEST_F(FitTest, AnAutomaticFitIsNotResumedAsOneOfOtherTopics) {
  LocalWall wall(ManyDocuments());
  wall.FailBefore(10, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, Automatic()).ok());
  FitSpec other = Automatic();
  other.num_topics = 3;
  EXPECT_THAT(RunFit(wall, other),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topics 2")));
}

// A model of two topics over the wall's twelve terms: `own` for its first six, `others` for the
// last, and the other way round.
v1::ModelFile ModelOver(LocalWall& wall, float own, float others) {
  std::vector<float> topics;
  for (int k = 0; k < 2; ++k) {
    for (int v = 0; v < 12; ++v) topics.push_back((v < 6) == (k == 0) ? own : others);
  }
  return SmallModel(wall.terms(), topics);
}

std::shared_ptr<const v1::ModelFile> Shared(v1::ModelFile model) {
  return std::make_shared<const v1::ModelFile>(std::move(model));
}

// With an α for each topic.
v1::ModelFile TunedModelOver(LocalWall& wall) {
  v1::ModelFile model = ModelOver(wall, 50, 1);
  model.add_document_topic_prior(0.125);
  return model;
}

TEST_F(FitTest, AnInitialModelThatFitsDecidesWhichTopicComesFirst) {
  LocalWall wall(ManyDocuments());
  for (const std::string algorithm : {kDenoised, kMixture}) {
    for (const bool swapped : {false, true}) {
      SCOPED_TRACE(absl::StrCat(algorithm, swapped ? ", swapped" : ""));
      std::filesystem::remove_all(Path());
      FitSpec spec = Denoised();
      spec.algorithm = algorithm;
      spec.epsilon = 1;
      spec.initial_model = Shared(swapped ? ModelOver(wall, 1, 50) : ModelOver(wall, 50, 1));
      ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
      EXPECT_EQ(result.model.warm_start().outcome(), v1::WarmStart::OUTCOME_USED);
      EXPECT_LT(result.model.warm_start().divergence(), 0.3);
      EXPECT_EQ(result.model.warm_start().topics(), "") << "what it began with is no part of it";
      ASSERT_OK_AND_ASSIGN(const auto model, ModelOf(result.model));
      const auto words = lda::testing::TopTerms(model, 0, 6);
      for (const uint32_t word : words) EXPECT_EQ(word < 6, !swapped);
    }
  }
}

// RandomTopics at the recipe's gamma_shape, each times its term's share of p, which sums to 1.
TEST_F(FitTest, TopicsThatAnInitialModelHasNotAreDrawnAsWithoutIt) {
  for (const std::string algorithm : {kDenoised, kMixture}) {
    std::filesystem::remove_all(Path());
    LocalWall wall(ManyDocuments());
    FitSpec spec = Denoised();
    spec.algorithm = algorithm;
    spec.num_topics = 3;
    spec.initial_model = Shared(ModelOver(wall, 50, 1));
    wall.FailBefore(10, absl::UnavailableError("cut"));
    ASSERT_FALSE(RunFit(wall, spec).ok());
    ASSERT_OK_AND_ASSIGN(const auto checkpoint, ReadCheckpoint(Path()));
    ASSERT_TRUE(checkpoint.has_value());
    v1::MixtureState mixture;
    v1::DenoisedState state;
    const bool is_mixture = algorithm == kMixture;
    ASSERT_TRUE(!is_mixture || mixture.ParseFromString(checkpoint->state()));
    ASSERT_TRUE(state.ParseFromString(is_mixture ? mixture.topics() : checkpoint->state()));
    ASSERT_EQ(state.warm_start().outcome(), v1::WarmStart::OUTCOME_USED);
    ASSERT_OK_AND_ASSIGN(const auto first,
                         proto::FloatsFromLittleEndian(state.warm_start().topics()));
    const double shape = (is_mixture ? MixtureRecipe() : lda::DenoisedRecipe()).gamma_shape;
    ASSERT_OK_AND_ASSIGN(const auto draws, lda::RandomTopics(3, 12, spec.seed, shape));
    double sum = 0;
    for (size_t i = 24; i < 36; ++i) sum += first[i] / draws[i];
    EXPECT_NEAR(sum, 1, 1e-5) << algorithm;
  }
}

TEST_F(FitTest, AnAlphaForEachTopicOfTheInitialModelGoesThroughThePlanIntoTheNewModel) {
  LocalWall wall(ManyDocuments());
  FitSpec spec = Denoised();
  spec.epsilon = 1;
  spec.initial_model = Shared(TunedModelOver(wall));
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
  EXPECT_THAT(result.model.document_topic_prior(), ElementsAre(0.5, 0.125));
}

// All of its words are in one term: no mixture of it is this corpus.
TEST_F(FitTest, AnInitialModelOfOtherTextIsDroppedAndTheFitIsAsWithoutIt) {
  LocalWall plain(ManyDocuments());
  ASSERT_OK_AND_ASSIGN(const auto without, RunFit(plain, Denoised()));
  std::filesystem::remove_all(Path());
  LocalWall wall(ManyDocuments());
  FitSpec spec = Denoised();
  v1::ModelFile other = ModelOver(wall, 1, 1);
  std::vector<float> topics(24, 1e-3F);
  topics[0] = topics[12] = 100;
  other.set_topic_parameters(proto::FloatsToLittleEndian(topics));
  spec.initial_model = Shared(other);
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
  EXPECT_EQ(result.model.warm_start().outcome(), v1::WarmStart::OUTCOME_DROPPED);
  EXPECT_EQ(result.model.topic_parameters(), without.model.topic_parameters());
}

// Or it would be judged by units that its first topics were made of.
TEST_F(FitTest, AnInitialModelOfTheSameCorpusMustHaveLeftAsManyUnitsOut) {
  LocalWall wall(ManyDocuments());
  FitSpec spec = Denoised();
  spec.epsilon = 1;
  spec.held_out_share = 0.2;
  v1::ModelFile initial = ModelOver(wall, 50, 1);
  initial.set_corpus("notes");
  initial.set_held_out_share(0.1);
  spec.initial_model = Shared(initial);
  EXPECT_THAT(RunFit(wall, spec), StatusIs(absl::StatusCode::kInvalidArgument,
                                           HasSubstr("held-out-share must be at most")));
  EXPECT_EQ(wall.plans_reserved(), 0);
  initial.set_held_out_share(0.2);
  initial.set_corpus_version("an earlier one");
  initial.mutable_unit_naming()->set_privacy_unit(v1::PRIVACY_UNIT_DOCUMENT);
  initial.mutable_unit_naming()->set_unjoinable(true);  // and so held others out
  spec.initial_model = Shared(initial);
  EXPECT_THAT(RunFit(wall, spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("held-out-share must be 0")));
  EXPECT_EQ(wall.plans_reserved(), 0);
  initial.mutable_unit_naming()->set_unjoinable(false);
  spec.initial_model = Shared(initial);
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
  EXPECT_EQ(result.model.unit_naming().privacy_unit(), v1::PRIVACY_UNIT_DOCUMENT);
  std::filesystem::remove_all(Path());
  initial.set_corpus("letters");  // of which nobody is evaluated
  initial.set_held_out_share(0);
  spec.initial_model = Shared(initial);
  EXPECT_OK(RunFit(wall, spec));
}

TEST_F(FitTest, AWarmFitResumesAtAnyCallWithTheSameBitsAndPaysOnce) {
  FitSpec spec = Denoised();
  LocalWall wall(ManyDocuments());
  spec.initial_model = Shared(TunedModelOver(wall));
  // A mixture has no plan for its α to go into.
  for (const std::string algorithm : {kDenoised, kMixture}) {
    std::filesystem::remove_all(Path());
    spec.algorithm = algorithm;
    ExpectResumesFromCall(
        0, {.spec = spec, .planted = ManyDocuments(), .plans_reserved = 2, .releases_paid = 5});
  }
}

// One word of each planted topic, of which the first anchor is of the first or of the last six
// terms.
Anchors AnchorsOver(LocalWall& wall, bool swapped) {
  v1::Anchor one, other;
  one.set_name("one");
  one.add_words(wall.terms()[swapped ? 8 : 2]);
  other.set_name("other");
  other.add_words(wall.terms()[swapped ? 2 : 8]);
  return {one, other};
}

// Catches anchors that are of no effect, of another topic, or of one algorithm alone.
TEST_F(FitTest, AnAnchorDecidesWhichTopicHasItsWordAndTheWordsThatGoWithIt) {
  LocalWall wall(ManyDocuments());
  for (const std::string algorithm : {kDenoised, kMixture}) {
    for (const bool swapped : {false, true}) {
      SCOPED_TRACE(absl::StrCat(algorithm, swapped ? ", swapped" : ""));
      std::filesystem::remove_all(Path());
      FitSpec spec = Denoised();
      spec.algorithm = algorithm;
      spec.epsilon = 0.5;
      spec.anchors = AnchorsOver(wall, swapped);
      ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
      ASSERT_EQ(result.model.spec().anchors_size(), 2);
      EXPECT_EQ(result.model.spec().anchors(0).name(), "one");
      ASSERT_OK_AND_ASSIGN(const auto model, ModelOf(result.model));
      const auto words = lda::testing::TopTerms(model, 0, 6);
      for (const uint32_t word : words) EXPECT_EQ(word < 6, !swapped);
    }
  }
}

TEST_F(FitTest, AnAnchoredFitResumesAtAnyCallWithTheSameBitsAndPaysOnce) {
  FitSpec spec = Denoised();
  LocalWall wall(ManyDocuments());
  spec.anchors = AnchorsOver(wall, /*swapped=*/true);
  ExpectResumesFromCall(
      0, {.spec = spec, .planted = ManyDocuments(), .plans_reserved = 2, .releases_paid = 5});
}

TEST_F(FitTest, AnchorsMakeAFitAskTheWallForNothingTwice) {
  LocalWall plain(ManyDocuments());
  ASSERT_OK(RunFit(plain, Denoised()));
  std::filesystem::remove_all(Path());
  LocalWall wall(ManyDocuments());
  FitSpec spec = Denoised();
  spec.anchors = AnchorsOver(wall, false);
  ASSERT_OK(RunFit(wall, spec));
  EXPECT_EQ(wall.calls(), plain.calls());
}

TEST_F(FitTest, AFitIsNotResumedWithOtherAnchorsOrWithoutItsOwn) {
  LocalWall wall(ManyDocuments());
  FitSpec spec = Denoised();
  spec.anchors = AnchorsOver(wall, false);
  wall.FailBefore(10, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, spec).ok());
  FitSpec other = spec;
  other.anchors = AnchorsOver(wall, true);
  for (const char* state : {"begun", "finished"}) {
    SCOPED_TRACE(state);
    EXPECT_THAT(RunFit(wall, other),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("with anchors {\"one\"")));
    EXPECT_THAT(RunFit(wall, Denoised()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("says none")));
    ASSERT_OK(RunFit(wall, spec));
  }
}

TEST_F(FitTest, AnAnchorThatCannotBeIsRefusedBeforeAnythingIsAsked) {
  LocalWall wall(ManyDocuments());
  const auto refusal = [&wall, this](const FitSpec& spec) {
    bool asked = false;
    const FitHooks hooks = {.agree =
                                [&asked](const FitQuote&) {
                                  asked = true;
                                  return absl::OkStatus();
                                },
                            .on_progress = {}};
    const absl::Status status = RunFit(wall, spec, hooks).status();
    EXPECT_FALSE(asked);
    return status;
  };
  FitSpec unknown = Denoised();
  unknown.anchors = AnchorsOver(wall, false);
  unknown.anchors[1].add_words("valve");
  EXPECT_THAT(refusal(unknown),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"valve\" of anchor")));
  FitSpec both = Denoised();
  both.anchors = AnchorsOver(wall, false);
  both.initial_model = Shared(ModelOver(wall, 50, 1));
  EXPECT_THAT(refusal(both),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("without an initial model")));
  FitSpec paper = Denoised();
  paper.algorithm = kPaper;
  paper.anchors = AnchorsOver(wall, false);
  EXPECT_THAT(refusal(paper),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got algorithm paper")));
  EXPECT_EQ(wall.plans_reserved(), 0);
}

// Topics that were paid for by one list would be told in the words of another.
TEST_F(FitTest, AFitIsNotResumedWithAnotherWordListOfTheSameVersion) {
  LocalWall wall;
  wall.FailBefore(7, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall).ok());
  wall.ForgetFailures();
  const std::string digest = wall.description().vocabulary_sha256();
  std::swap(wall.terms()[0], wall.terms()[1]);
  wall.description().set_vocabulary_sha256(base::DigestBytes(VocabularyDigest(wall.terms())));
  EXPECT_THAT(RunFit(wall),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("calls them the same version")));
  std::swap(wall.terms()[0], wall.terms()[1]);
  wall.description().set_vocabulary_sha256(digest);
  ASSERT_OK(RunFit(wall));
}

TEST_F(FitTest, AFitIsNotResumedWithAnotherInitialModelOrWithoutItsOwn) {
  LocalWall wall(ManyDocuments());
  FitSpec spec = Denoised();
  spec.initial_model = Shared(ModelOver(wall, 50, 1));
  wall.FailBefore(10, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, spec).ok());
  FitSpec other = spec;
  other.initial_model = Shared(ModelOver(wall, 51, 1));
  EXPECT_THAT(RunFit(wall, other),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("with init a model of")));
  EXPECT_THAT(RunFit(wall, Denoised()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("says none")));
  ASSERT_OK(RunFit(wall, spec));
  EXPECT_THAT(RunFit(wall, other), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(FitTest, TheQuoteThatIsAgreedToSaysWhetherItMayBeBelowWordFrequencies) {
  LocalWall wall(ManyDocuments());
  wall.description().set_nominal_size(40);  // with 12 known words each
  FitSpec spec = Denoised();
  spec.epsilon = 0.05;
  FitHooks hooks = Agreeing();
  bool was_below = false;
  hooks.agree = [&was_below](const FitQuote& quote) {
    was_below = quote.expected.has_value() && quote.expected->MayBeBelowWordFrequencies();
    return absl::CancelledError("no");
  };
  EXPECT_THAT(RunFit(wall, spec, hooks), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_TRUE(was_below);
  EXPECT_EQ(wall.plans_reserved(), 0);
}

TEST_F(FitTest, NothingIsReservedWithoutConsentAndNothingIsWritten) {
  LocalWall wall;
  FitHooks hooks = Agreeing();
  hooks.agree = [](const FitQuote&) { return absl::CancelledError("no"); };
  EXPECT_THAT(RunFit(wall, Spec(), hooks), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(wall.plans_reserved(), 0);
  EXPECT_FALSE(std::filesystem::exists(CheckpointPath(Path())));
}

TEST_F(FitTest, AFitThatIsStoppedAtEachIterationInTurnEndsWithTheSameBitsAndPaysOnce) {
  LocalWall undisturbed;
  ASSERT_OK_AND_ASSIGN(const auto expected, RunFit(undisturbed));
  std::filesystem::remove_all(Path());
  LocalWall wall;
  // Before the first iteration of a run it goes on, before the second it stops.
  FitHooks hooks = Agreeing();
  for (int paid = 1; paid < *Spec().iterations; ++paid) {
    hooks.should_stop = [asked = 0]() mutable { return ++asked > 1; };
    EXPECT_THAT(RunFit(wall, Spec(), hooks),
                StatusIs(absl::StatusCode::kCancelled, HasSubstr("The same command goes on")));
    EXPECT_EQ(wall.releases_paid(), paid);
  }
  hooks.should_stop = {};
  ASSERT_OK_AND_ASSIGN(const auto last, RunFit(wall, Spec(), hooks));
  EXPECT_EQ(last.model.topic_parameters(), expected.model.topic_parameters());
  EXPECT_EQ(wall.releases_paid(), undisturbed.releases_paid());
  EXPECT_EQ(wall.plans_reserved(), 1);
}

TEST_F(FitTest, ConsentIsAskedOnceForAFitNotForEachRun) {
  LocalWall wall;
  int asked = 0;
  FitHooks hooks = Agreeing();
  hooks.agree = [&asked](const FitQuote& quote) {
    ++asked;
    EXPECT_LE(quote.price.epsilon_alone(), 2);
    return absl::OkStatus();
  };
  wall.FailBefore(7, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, Spec(), hooks).ok());
  ASSERT_OK(RunFit(wall, Spec(), hooks));
  EXPECT_EQ(asked, 1);
}

TEST_F(FitTest, APlanThatDoesNotFitIsRefusedBeforeAnythingIsAsked) {
  LocalWall wall;
  FitSpec spec = Spec();
  spec.epsilon = 3;  // of 2.44
  FitHooks hooks = Agreeing();
  hooks.agree = [](const FitQuote&) {
    ADD_FAILURE() << "asked";
    return absl::OkStatus();
  };
  EXPECT_THAT(RunFit(wall, spec, hooks), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_FALSE(std::filesystem::exists(CheckpointPath(Path())));
}

TEST_F(FitTest, ABadVocabularyStopsTheFitBeforeItPays) {
  LocalWall wall;
  wall.terms()[3] = "zz";
  EXPECT_THAT(RunFit(wall), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("digest")));
  EXPECT_EQ(wall.plans_reserved(), 0);
}

TEST_F(FitTest, AFinishedModelIsLeftAloneAndTheWallIsNotAsked) {
  LocalWall wall;
  ASSERT_OK(RunFit(wall));
  const int calls = wall.calls();
  ASSERT_OK_AND_ASSIGN(const auto again, RunFit(wall));
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(wall.calls(), calls);
}

TEST_F(FitTest, AModelRemembersTheSumOfBudgetsItWasMadeUnder) {
  LocalWall wall;
  v1::BudgetSum& sum = *wall.description().mutable_sum();
  sum.add_budgets()->set_budget_id("other");
  sum.set_epsilon(7.5);
  sum.set_delta(2e-6);
  ASSERT_OK(RunFit(wall));
  ASSERT_OK_AND_ASSIGN(const auto model, ReadModel(Path()));
  EXPECT_TRUE(IsSameSum(model.sum(), sum));
  EXPECT_EQ(model.sum().epsilon(), 7.5);
}

// Budgets may have been added to it since the fit was begun.
TEST_F(FitTest, AFitThatGoesOnRemembersTheSumOfBudgetsThatIsThereThen) {
  LocalWall wall;
  wall.FailBefore(7, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall).ok());
  v1::BudgetSum& sum = *wall.description().mutable_sum();
  sum.add_budgets()->set_budget_id("other");
  sum.set_epsilon(7.5);
  sum.set_delta(2e-6);
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall));
  EXPECT_TRUE(IsSameSum(result.model.sum(), sum));
}

// Tells the truth until `shown` is set, and then that.
class ChangedDescription : public LocalWall {
 public:
  using LocalWall::LocalWall;
  std::function<void(v1::CorpusDescription&)> shown;

  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override {
    absl::StatusOr<v1::CorpusDescription> description = LocalWall::DescribeCorpus(corpus);
    if (description.ok() && shown) shown(*description);
    return description;
  }
};

// What the model says that all budgets promise together would be less than was promised.
TEST_F(FitTest, AFitIsNotResumedWithAnotherSumThanTheLedgers) {
  ChangedDescription wall;
  v1::BudgetSum& sum = *wall.description().mutable_sum();
  sum.add_budgets()->set_budget_id("other");
  sum.set_epsilon(7.5);
  sum.set_delta(2e-6);
  wall.FailBefore(9, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall).ok());
  wall.ForgetFailures();
  ASSERT_GT(wall.plans_reserved(), 0);
  wall.shown = [](v1::CorpusDescription& description) { description.clear_sum(); };
  EXPECT_THAT(RunFit(wall),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another sum over budgets")));
  wall.shown = nullptr;
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall));
  EXPECT_TRUE(IsSameSum(result.model.sum(), sum));
}

// The custodian whose name is in the model, and the units that all of its numbers are told in.
TEST_F(FitTest, AFitIsNotResumedAsAnotherCustodiansOrInOtherUnits) {
  ChangedDescription wall(TwoPlantedGaussians());
  wall.FailBefore(11, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, OfGaussians()).ok());
  wall.ForgetFailures();
  ASSERT_GT(wall.plans_reserved(), 0);
  wall.shown = [](v1::CorpusDescription& description) {
    description.mutable_vectors()->set_norm_bound(25);
  };
  EXPECT_THAT(RunFit(wall, OfGaussians()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("shows another norm bound")));
  wall.shown = [](v1::CorpusDescription& description) {
    description.set_custodian_id("somebody else");
  };
  EXPECT_THAT(RunFit(wall, OfGaussians()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("shows another custodian")));
  wall.shown = nullptr;
  ASSERT_OK(RunFit(wall, OfGaussians()));
}

// Says of everything that it costs half of what it does.
class UnderstatingWall : public LocalWall {
 public:
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override {
    absl::StatusOr<v1::PlanPrice> price = LocalWall::PricePlan(plan);
    if (price.ok()) price->set_epsilon_alone(price->epsilon_alone() / 2);
    return price;
  }
};

TEST_F(FitTest, NothingIsReservedOfAWallThatSaysAnotherPriceThanItsPolicy) {
  UnderstatingWall wall;
  EXPECT_THAT(RunFit(wall), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("alone at epsilon")));
  EXPECT_EQ(wall.plans_reserved(), 0);
}

// Answers by the policy of a budget that its ledger never opened, and hides what that gives away.
class ForgingWall : public LocalWall {
 public:
  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override {
    auto budget = LocalWall::GetBudget(corpus);
    if (!budget.ok()) return budget;
    const ChainBuilder forged(*accountant::AdmissionPolicy::Create(
        *accountant::BudgetFilter::DefaultSpec({.epsilon = 10, .delta = 0.3})));
    const v1::BudgetStatus other = forged.Budget();
    *budget->mutable_filter() = other.filter();
    *budget->mutable_spent() = other.spent();
    budget->set_epsilon_total(10);
    budget->set_delta(0.3);
    return budget;
  }
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override {
    auto price = LocalWall::PricePlan(plan);
    if (price.ok()) price->set_delta(1e-12);
    return price;
  }
};

TEST_F(FitTest, NoiseIsNotChosenByAPolicyThatTheLedgerDoesNotKnow) {
  for (const auto& noise :
       std::vector<void (*)(FitSpec&)>{[](FitSpec& spec) { spec.spend = *ParseSpend("0.5"); },
                                       [](FitSpec& spec) { spec.epsilon = 0.5; },
                                       [](FitSpec& spec) { spec.noise_multiplier = 20; }}) {
    ForgingWall wall;
    FitSpec spec = Spec();
    spec.epsilon.reset();
    noise(spec);
    EXPECT_THAT(RunFit(wall, spec),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another policy")));
    EXPECT_EQ(wall.plans_reserved(), 0);
  }
}

// Reserves at another price than it said: its receipts are of a budget of another δ.
class DearReceiptsWall : public LocalWall {
 public:
  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) override {
    auto state = LocalWall::ReservePlan(request);
    if (!state.ok()) return state;
    v1::Receipt receipt;
    receipt.ParseFromString(state->reservation_receipt().receipt());
    receipt.set_delta(0.3);
    state->mutable_reservation_receipt()->set_receipt(receipt.SerializeAsString());
    return state;
  }
};

TEST_F(FitTest, OfAPlanWhoseReceiptSaysAnotherPriceNothingIsEverCharged) {
  DearReceiptsWall wall;
  for (int run = 0; run < 2; ++run) {
    EXPECT_THAT(RunFit(wall),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("of epsilon 2.44 at delta 0.3, and the quote was of one of 2.44 "
                                   "at 1e-06. Nothing of it is charged yet: `topicwall cancel "
                                   "plan-1`")));
  }
  EXPECT_EQ(wall.plans_reserved(), 1);
  EXPECT_EQ(wall.releases_paid(), 0);
}

TEST_F(FitTest, AModelOfAnyAlgorithmNotesWhatTheLedgerSaysOfItsPlans) {
  for (const char* algorithm : {kPaper, kDenoised, kMixture, kGaussian}) {
    SCOPED_TRACE(algorithm);
    std::filesystem::remove_all(Path());
    const bool of_vectors = algorithm == std::string(kGaussian);
    LocalWall wall(of_vectors ? LocalWall::Planted{.vectors = {{0.5F, 0.5F}, {0.1F, 0.2F}}}
                              : LocalWall::Planted());
    FitSpec spec = Spec();
    spec.algorithm = algorithm;
    ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
    ASSERT_OK_AND_ASSIGN(const auto entries, wall.ReadLedger("notes", 1));
    ChainReplay chain;
    for (const v1::LedgerEntry& entry : entries) ASSERT_OK(chain.Take(entry));
    NotedPrice noted = NotedPriceOf(result.model);
    EXPECT_EQ(DifferenceOf(noted, chain), "");
    EXPECT_TRUE(PriceFindings(Path(), entries)->empty()) << "what it took, too";
    noted.epsilon *= 0.99;
    EXPECT_NE(DifferenceOf(noted, chain), "");
  }
}

TEST_F(FitTest, AModelSaysWhatItCostByThisSidesSum) {
  LocalWall wall;
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall));
  EXPECT_GT(result.model.epsilon(), 1.999);
  EXPECT_LE(result.model.epsilon(), 2);
}

// Composition is not addition: after another fit, what one takes of the budget is not its own ε.
TEST_F(FitTest, AModelSaysWhatItTookOfTheBudgetBesideWhatItCostAlone) {
  LocalWall wall;
  const auto spent = [&wall] { return wall.GetBudget("notes")->epsilon_spent(); };
  FitSpec spec = Spec();
  spec.epsilon = 1;
  ASSERT_OK(RunFit(wall, spec));
  std::filesystem::remove_all(Path());
  const double before = spent();
  ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, spec));
  EXPECT_NEAR(result.model.epsilon_taken(), spent() - before, 1e-9);
  EXPECT_EQ(result.model.epsilon_before(), before);
  EXPECT_LT(result.model.epsilon_taken(), 0.9 * result.model.epsilon());
}

TEST_F(FitTest, AFinishedModelOfAnotherFitIsAnError) {
  LocalWall wall;
  ASSERT_OK(RunFit(wall));
  FitSpec other = Spec();
  other.num_topics = 3;
  EXPECT_THAT(RunFit(wall, other),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topics 2")));
}

TEST_F(FitTest, ACheckpointLeftBesideAFinishedModelMeansNothing) {
  LocalWall wall;
  ASSERT_OK(RunFit(wall));
  // The kill came between model.pb and the removal of checkpoint.pb.
  testing::WriteWholeFile(CheckpointPath(Path()), "left over");
  ASSERT_OK_AND_ASSIGN(const auto again, RunFit(wall));
  EXPECT_TRUE(again.was_finished);
  EXPECT_FALSE(std::filesystem::exists(CheckpointPath(Path())));
}

TEST_F(FitTest, AnotherVersionOfTheCorpusIsNotContinued) {
  LocalWall wall;
  wall.FailBefore(8, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall).ok());
  wall.description().set_corpus_version(std::string(16, 'w'));
  EXPECT_THAT(RunFit(wall),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another version")));
  FitSpec other = Spec();
  other.corpus = "own";
  EXPECT_THAT(RunFit(wall, other), StatusIs(absl::StatusCode::kInvalidArgument,
                                            HasSubstr("with corpus notes; this command says own")));
}

// As soon as the fit's first release is out, somebody else reserves a plan of one release for each
// of these, as far as there is room.
void Overtake(LocalWall& wall, const std::vector<double>& noise_multipliers) {
  wall.on_release = [&wall, noise_multipliers, is_first = true](Release&) mutable {
    if (!std::exchange(is_first, false)) return;
    v1::ReservePlanRequest others;
    others.mutable_plan()->set_sampling_rate(1);
    others.mutable_plan()->set_iterations(1);
    for (const double noise_multiplier : noise_multipliers) {
      others.set_request_id(absl::StrCat("others ", noise_multiplier));
      others.mutable_plan()->mutable_gaussian()->set_noise_multiplier(noise_multiplier);
      (void)wall.ReservePlan(others);
    }
  };
}

// Quoted as fitting, and refused behind its first stage.
struct OvertakenFit {
  FitSpec spec;
  LocalWall::Planted planted;
  std::vector<double> noise_of_others = {2.3};
};
OvertakenFit Overtaken(const std::string& algorithm) {
  OvertakenFit fit = {.spec = Denoised(), .planted = ManyDocuments()};
  fit.spec.algorithm = algorithm;
  fit.spec.iterations = 12;
  if (algorithm == kGaussian) fit.planted = TwoPlantedGaussians();
  return fit;
}

TEST_F(FitTest, AFitThatIsOvertakenSaysWhatItPaidAndGoesOnInItsFolderWithFewerIterations) {
  for (const char* algorithm : {kDenoised, kMixture, kGaussian}) {
    SCOPED_TRACE(algorithm);
    std::filesystem::remove_all(Path());
    OvertakenFit fit = Overtaken(algorithm);
    LocalWall wall(fit.planted);
    Overtake(wall, fit.noise_of_others);
    FitHooks hooks = Agreeing();
    hooks.agree = [](const FitQuote& quote) { return RefusalOf(quote); };
    const absl::Status refused = RunFit(wall, fit.spec, hooks).status();
    const auto detail = proto::BudgetExhaustedOf(refused);
    ASSERT_TRUE(detail.has_value()) << refused;
    const auto fewer = static_cast<int>(detail->most_iterations());
    ASSERT_GT(fewer, 3);
    ASSERT_LT(fewer, 12);
    const auto taken = TakingsOf(wall, *wall.GetBudget("notes"))->plans.at(0).taken.told;
    EXPECT_THAT(
        Explain(refused),
        AllOf(HasSubstr(absl::StrFormat("releases so far, %.4f of the budget, are paid", taken)),
              HasSubstr("not paid again"),
              HasSubstr(absl::StrCat("Of its 12 releases to come ", fewer, " still fit")),
              HasSubstr(absl::StrCat("--iterations ", fewer))));
    EXPECT_EQ(Explain(RunFit(wall, fit.spec).status()), Explain(refused)) << "again the same";
    EXPECT_EQ(wall.releases_paid(), 1);

    fit.spec.iterations = fewer;
    ASSERT_OK_AND_ASSIGN(const FitResult result, RunFit(wall, fit.spec));
    EXPECT_EQ(wall.releases_paid(), 1 + fewer);
    EXPECT_EQ(result.model.iterations(), fewer);
    EXPECT_LE(wall.GetBudget("notes")->epsilon_spent(), wall.policy().budget().epsilon);
    ASSERT_OK_AND_ASSIGN(const auto entries, wall.ReadLedger("notes", 1));
    ChainReplay chain;
    for (const v1::LedgerEntry& entry : entries) ASSERT_OK(chain.Take(entry));
    EXPECT_EQ(DifferenceOf(NotedPriceOf(result.model), chain), "");
    EXPECT_THAT(*PriceFindings(Path(), entries), ElementsAre()) << "what it took, too";
    EXPECT_TRUE(RunFit(wall, fit.spec)->was_finished);

    // What it is then it would have been with so few from the beginning.
    std::filesystem::remove_all(Path());
    fit.spec.noise_multiplier = result.model.spec().noise_multiplier();
    fit.spec.epsilon.reset();
    LocalWall undisturbed(fit.planted);
    ASSERT_OK_AND_ASSIGN(const FitResult expected, RunFit(undisturbed, fit.spec));
    EXPECT_EQ(result.model.topic_parameters(), expected.model.topic_parameters());
    EXPECT_EQ(result.model.epsilon(), expected.model.epsilon());
    EXPECT_THAT(result.model.gaussian().means(),
                ElementsAreArray(expected.model.gaussian().means()));
  }
}

// So few that they have no warm-up, which the clip norm of the first of them is by.
TEST_F(FitTest, AFitThatGoesOnWithThreeIterationsBeginsThemAsOneOfThree) {
  OvertakenFit fit = Overtaken(kDenoised);
  LocalWall wall(fit.planted);
  Overtake(wall, fit.noise_of_others);
  ASSERT_FALSE(RunFit(wall, fit.spec).ok());
  fit.spec.iterations = 3;
  ASSERT_OK_AND_ASSIGN(const FitResult result, RunFit(wall, fit.spec));
  std::filesystem::remove_all(Path());
  fit.spec.noise_multiplier = result.model.spec().noise_multiplier();
  fit.spec.epsilon.reset();
  LocalWall undisturbed(fit.planted);
  ASSERT_OK_AND_ASSIGN(const FitResult expected, RunFit(undisturbed, fit.spec));
  EXPECT_EQ(result.model.topic_parameters(), expected.model.topic_parameters());
}

TEST_F(FitTest, AFitWithFewerIterationsResumesAtAnyCallWithTheSameBitsAndPaysOnce) {
  LocalWall initial(ManyDocuments());
  std::vector<OvertakenFit> fits = {Overtaken(kMixture), Overtaken(kGaussian), Overtaken(kGaussian),
                                    Overtaken(kDenoised)};
  // Six of twelve are paid then, and one is left.
  fits[2].noise_of_others = {2.5};
  fits[3].spec.initial_model = Shared(TunedModelOver(initial));
  for (const OvertakenFit& fit : fits) {
    SCOPED_TRACE(absl::StrCat(fit.spec.algorithm, ", others' noise ", fit.noise_of_others[0]));
    FitSpec fewer = fit.spec;
    fewer.iterations = fit.noise_of_others[0] == 2.5 ? 7 : 4;
    std::string expected;
    // Until there is no such call any more, and nothing is cut.
    for (int call = 0;; ++call) {
      SCOPED_TRACE(call);
      std::filesystem::remove_all(Path());
      LocalWall wall(fit.planted);
      Overtake(wall, fit.noise_of_others);
      ASSERT_FALSE(RunFit(wall, fit.spec).ok());
      const int begun = wall.calls();
      // The first time undisturbed, then before and behind the effect of each call in turn.
      if (call > 0) wall.Cut(begun + (call - 1) / 2, /*before=*/call % 2 == 0);
      absl::StatusOr<FitResult> result = RunFit(wall, fewer);
      const bool was_cut = !result.ok();
      wall.ForgetFailures();
      if (was_cut) result = RunFit(wall, fewer);
      ASSERT_OK(result);
      if (call == 0) expected = result->model.SerializeAsString();
      v1::ModelFile want;
      want.ParseFromString(expected);
      EXPECT_EQ(result->model.topic_parameters(), want.topic_parameters());
      EXPECT_EQ(result->model.gaussian().SerializeAsString(), want.gaussian().SerializeAsString());
      EXPECT_EQ(result->model.epsilon_taken(), want.epsilon_taken());
      EXPECT_EQ(wall.releases_paid(), 1 + *fewer.iterations);
      EXPECT_EQ(wall.plans_reserved(), fit.spec.algorithm == kGaussian ? 4 : 3);
      if (call > 0 && !was_cut) break;
    }
  }
}

// The flag may have been mistyped, and what is reserved is what was agreed to.
TEST_F(FitTest, OfAFitWhosePlanIsReservedOrWhoseFirstStageIsNotDoneTheIterationsStay) {
  FitSpec fewer = Denoised();
  fewer.iterations = 3;
  LocalWall undisturbed(ManyDocuments());
  ASSERT_OK(RunFit(undisturbed, Denoised()));
  // Of its last calls four are the topics' releases, then back their reservation, and the unigram.
  for (const int back : {7, 6, 4, 3, 1}) {
    SCOPED_TRACE(back);
    std::filesystem::remove_all(Path());
    LocalWall wall(ManyDocuments());
    wall.FailBefore(undisturbed.calls() - back, absl::UnavailableError("cut"));
    ASSERT_FALSE(RunFit(wall, Denoised()).ok());
    EXPECT_THAT(RunFit(wall, fewer),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("iterations 4")));
    EXPECT_OK(RunFit(wall, Denoised()));
  }
}

TEST_F(FitTest, NoPlanIsLeftReservedWhereFewerIterationsAreAskedForAndThereIsRoomForAll) {
  FitSpec fewer = Denoised();
  fewer.iterations = 3;
  LocalWall undisturbed(ManyDocuments());
  ASSERT_OK(RunFit(undisturbed, Denoised()));
  for (const bool answer_lost : {false, true}) {
    std::filesystem::remove_all(Path());
    LocalWall wall(ManyDocuments());
    wall.Cut(undisturbed.calls() - 5, /*before=*/!answer_lost);
    ASSERT_FALSE(RunFit(wall, Denoised()).ok());
    EXPECT_THAT(RunFit(wall, fewer), StatusIs(absl::StatusCode::kFailedPrecondition,
                                              HasSubstr("plan-2 of 4 iterations is reserved")));
    ASSERT_OK_AND_ASSIGN(const auto result, RunFit(wall, Denoised()));
    EXPECT_EQ(result.model.iterations(), 4);
    EXPECT_EQ(wall.plans_reserved(), 2);
  }
}

TEST_F(FitTest, AFitOfWhichNothingMoreFitsSaysSo) {
  OvertakenFit fit = Overtaken(kDenoised);
  LocalWall wall(fit.planted);
  Overtake(wall, {2.3, 3, 4, 5.5, 8, 11});
  const absl::Status refused = RunFit(wall, fit.spec).status();
  EXPECT_THAT(Explain(refused),
              AllOf(HasSubstr("are paid"), HasSubstr("Of its 12 releases to come none fits"),
                    HasSubstr("once there is room again")));
  FitSpec none = fit.spec;
  none.iterations = 0;
  EXPECT_THAT(RunFit(wall, none),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least 1")));
}

}  // namespace fit_test
}  // namespace topicwall::client
