#include "model/lda/denoise/denoised_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "model/lda/denoise/annealing.h"
#include "model/lda/denoise/clip_choice.h"
#include "model/lda/topics/step_size.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace denoised_trainer_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr int kTopics = 4;
constexpr int kTerms = 200;
constexpr double kNoise = 100;  // σC, in words

// p falls like 1/v; topic k has half of its words in its own quarter of the terms.
std::vector<double> Unigram() {
  std::vector<double> p(kTerms);
  double sum = 0;
  for (int v = 0; v < kTerms; ++v) sum += p[static_cast<size_t>(v)] = 1.0 / (v + 3);
  for (double& x : p) x /= sum;
  return p;
}

std::vector<double> Truth() {
  const std::vector<double> p = Unigram();
  std::vector<double> sums;
  for (int k = 0; k < kTopics; ++k) {
    for (int v = 0; v < kTerms; ++v) {
      const bool own = v % kTopics == k;
      sums.push_back(20000 * p[static_cast<size_t>(v)] * (own ? 2.5 : 0.5));
    }
  }
  return sums;
}

// The truth with noise; the seed is fixed, so no test here can flake.
std::vector<float> NoisySum(unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise(0, kNoise);
  std::vector<float> sum;
  for (const double x : Truth()) sum.push_back(static_cast<float>(x + noise(engine)));
  return sum;
}

// All 1,000 units in one bin.
std::vector<float> Histogram(int bin) {
  std::vector<float> counts(kClipHistogramBins, 0.0F);
  counts[static_cast<size_t>(bin)] = 1000;
  return counts;
}

std::vector<float> Counts() {
  std::vector<float> counts;
  for (const double p : Unigram()) counts.push_back(static_cast<float>(80000 * p));
  return counts;
}

// What the plan with K = 1 said, with a noise of 50 words.
PrivateUnigramState FirstReading() {
  absl::StatusOr<PrivateUnigram> unigram = PrivateUnigram::Create(kTerms, {});
  EXPECT_OK(unigram->Add({.noisy_counts = Counts(), .noise_deviation = 50}));
  return unigram->state();
}

DenoisedTrainerState Beginning(double clip_norm = 2) {
  return {.updates = 0, .unigram = FirstReading(), .average = {}, .clip_norm = clip_norm};
}

DenoisedTrainerParams Params() {
  return {.num_topics = kTopics,
          .vocabulary_size = kTerms,
          .num_iterations = 10,
          .document_topic_prior = 0.25,
          .sampling_rate = 1,
          .first_clip_norm = 4,
          .term_weights = {},
          .seed = 1,
          .num_threads = 1};
}

DenoisedTrainer Fresh(DenoisedTrainerState state = Beginning(),
                      const DenoisedTrainerParams& params = Params()) {
  absl::StatusOr<DenoisedTrainer> trainer = DenoisedTrainer::Create(params, std::move(state));
  EXPECT_OK(trainer);
  return *std::move(trainer);
}

// A quarter of the words in each topic.
std::vector<float> WarmUpSum() {
  std::vector<float> sum;
  for (int k = 0; k < kTopics; ++k) {
    for (const float count : Counts()) sum.push_back(count / kTopics);
  }
  return sum;
}

DenoisedTrainer::Release ReleaseOf(const std::vector<float>& sum,
                                   const std::vector<float>& counts) {
  return {.noisy_sum = sum,
          .noise_deviation = kNoise,
          .norm_histogram = counts,
          .histogram_noise_deviation = 2};
}

// After the one iteration of ten that is flat, which here tells nothing new: mere noise.
DenoisedTrainer Trainer(const DenoisedTrainerParams& params = Params()) {
  DenoisedTrainer trainer = Fresh(Beginning(), params);
  const std::vector<float> nothing(size_t{kTopics} * kTerms, 1.0F);
  EXPECT_OK(trainer.Update(ReleaseOf(nothing, {})));
  return trainer;
}

double DistanceToTruth(absl::Span<const float> lambda) {
  const std::vector<double> truth = Truth();
  double distance = 0;
  for (size_t i = 0; i < truth.size(); ++i) distance += std::abs(lambda[i] - truth[i]);
  return distance;
}

TEST(WarmUpIterationsTest, AreATwentiethAndLeaveMostToTheTopics) {
  const std::vector<std::pair<int64_t, int64_t>> flat = {
      {0, 0}, {1, 0}, {3, 0}, {4, 1}, {20, 1}, {29, 1}, {30, 2}, {40, 2}, {49, 2}, {100, 5}};
  for (const auto& [iterations, expected] : flat) {
    EXPECT_EQ(WarmUpIterations(iterations), expected) << iterations;
  }
  EXPECT_GT(WarmUpIterations(std::numeric_limits<int64_t>::max()), 0);
  EXPECT_EQ(WarmUpIterations(40, 0), 0);
  EXPECT_EQ(WarmUpIterations(40, 0.5), 20);
}

TEST(DenoisedTrainerTest, FirstAsksWithTopicsThatAreAllAlikeAndCountsWords) {
  DenoisedTrainer trainer = Fresh(Beginning(FirstClipNorm(kTopics, WarmUpIterations(10), 4)));
  EXPECT_EQ(trainer.clip_norm(), 3.5 / 2) << "a document's norm in one of four topics";
  EXPECT_THAT(trainer.NextLogTopics().values(), ::testing::Each(0.0F));
  const double before = trainer.state().unigram.precisions[0];
  const std::vector<float> sum = WarmUpSum(), histogram = Histogram(12);
  ASSERT_OK(trainer.Update(ReleaseOf(sum, histogram)));
  // M²/s² of 80,000 words with √4 times the noise.
  EXPECT_NEAR((trainer.state().unigram.precisions[0] - before) / (4e2 * 4e2), 1, 1e-4);
  EXPECT_EQ(trainer.state().updates, 1);
  EXPECT_EQ(trainer.state().average.updates, 0) << "these are no topics";
  EXPECT_EQ(trainer.clip_norm(), 4) << "the histogram is not of topics";
  EXPECT_EQ(trainer.NextLogTopics().values(),
            Flattened(LogMeanTopics(trainer.Model()), 0.2).values());
}

TEST(DenoisedTrainerTest, WithFewIterationsOrWithoutAShareNoneIsFlat) {
  EXPECT_EQ(FirstClipNorm(kTopics, WarmUpIterations(3), 4), 4);
  DenoisedTrainerParams few = Params(), none = Params();
  few.num_iterations = 3;
  none.recipe.warm_up_share = 0;
  for (const DenoisedTrainerParams& params : {few, none}) {
    DenoisedTrainer trainer = Fresh(Beginning(4), params);
    const std::vector<float> sum = NoisySum(1);
    ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
    EXPECT_EQ(trainer.state().average.updates, 1);
  }
}

TEST(DenoisedTrainerTest, StartsNearTheUnigramWithTopicsThatDiffer) {
  const DenoisedTrainer trainer = Trainer();
  const std::vector<double> p = Unigram();
  const std::vector<double> topics = MeanTopics(trainer.Model());
  for (size_t i = 0; i < topics.size(); ++i) {
    EXPECT_GT(topics[i] / p[i % kTerms], 0.05);  // Gamma(10)/10 has deviation 0.32
    EXPECT_LT(topics[i] / p[i % kTerms], 3);
  }
  EXPECT_NE(topics[0], topics[kTerms]);
  EXPECT_EQ(trainer.clip_norm(), 4);
}

// Catches a denoiser that is left out: thresholding alone leaves half of the noise of every drowned
// entry, 0.4·100 words in each.
TEST(DenoisedTrainerTest, TakesMoreNoiseOutThanAThreshold) {
  DenoisedTrainer trainer = Trainer();
  const std::vector<float> sum = NoisySum(1);
  ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
  std::vector<float> clamped = sum;
  for (float& x : clamped) x = std::max(x, 0.0F);
  EXPECT_LT(DistanceToTruth(trainer.Model().topic_parameters()), 0.7 * DistanceToTruth(clamped));
}

TEST(DenoisedTrainerTest, MoreReleasesComeCloser) {
  DenoisedTrainer trainer = Trainer();
  const std::vector<float> first = NoisySum(1);
  ASSERT_OK(trainer.Update(ReleaseOf(first, {})));
  const double after_one = DistanceToTruth(trainer.Model().topic_parameters());
  for (unsigned seed = 2; seed <= 10; ++seed) {
    const std::vector<float> sum = NoisySum(seed);
    ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
  }
  EXPECT_LT(DistanceToTruth(trainer.Model().topic_parameters()), 0.8 * after_one);
}

TEST(DenoisedTrainerTest, TheNextClipNormIsTheQuantileOfTheLastHistogram) {
  DenoisedTrainer trainer = Trainer();
  const std::vector<float> sum = NoisySum(1);
  const std::vector<float> counts = Histogram(12);  // norms in (1.78, 2]
  ASSERT_OK(trainer.Update(ReleaseOf(sum, counts)));
  EXPECT_GT(trainer.clip_norm(), 1.78);
  EXPECT_LE(trainer.clip_norm(), 2);
  const double chosen = trainer.clip_norm();
  const std::vector<float> nothing(kClipHistogramBins, 0.0F);
  ASSERT_OK(trainer.Update(ReleaseOf(sum, nothing)));
  EXPECT_EQ(trainer.clip_norm(), chosen) << "a histogram of noise says nothing";
  ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
  EXPECT_EQ(trainer.clip_norm(), chosen) << "none was paid for";
}

// Norms of bin 12 are in (1.78, 2], of 18 in (3.56, 4], of 19 up to 4.49, of 21 in (5.04, 5.66].
TEST(DenoisedTrainerTest, AsksForNoiseAlongTopicsWhileDocumentsAreLong) {
  DenoisedTrainer trainer = Trainer();
  EXPECT_EQ(trainer.direction_noise(), 0);
  const std::vector<float> sum = NoisySum(1);
  const std::vector<float> nothing(kClipHistogramBins, 0.0F);
  const auto after = [&](const std::vector<float>& histogram) {
    EXPECT_OK(trainer.Update(ReleaseOf(sum, histogram)));
    EXPECT_EQ(Fresh(trainer.state()).direction_noise(), trainer.direction_noise());
    return trainer.direction_noise();
  };
  EXPECT_EQ(after(Histogram(19)), 0) << "not yet long";
  EXPECT_EQ(after(Histogram(21)), 5);
  EXPECT_EQ(after(Histogram(19)), 5) << "still";
  EXPECT_EQ(after(nothing), 5) << "a histogram of noise says nothing";
  EXPECT_EQ(after(Histogram(18)), 5) << "still: without it they would be longer";
  EXPECT_EQ(after(Histogram(12)), 0);
  EXPECT_EQ(after(Histogram(19)), 0);
}

TEST(DenoisedTrainerTest, AsksForNoNoiseAlongTopicsInTheWarmUpNorWithoutAHistogramNorIfToldSo) {
  DenoisedTrainerParams params = Params();
  params.first_clip_norm = 9;
  DenoisedTrainer trainer = Fresh(Beginning(9), params);
  const std::vector<float> flat = WarmUpSum(), sum = NoisySum(1), long_ones = Histogram(30);
  ASSERT_OK(trainer.Update(ReleaseOf(flat, long_ones)));
  EXPECT_EQ(trainer.direction_noise(), 0) << "these are counts of words";
  ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
  EXPECT_EQ(trainer.clip_norm(), 9);
  EXPECT_EQ(trainer.direction_noise(), 0) << "nobody has said how long they are";
  ASSERT_OK(trainer.Update(ReleaseOf(sum, long_ones)));
  EXPECT_EQ(trainer.direction_noise(), 5);
  params.recipe.direction_noise = 0;
  trainer = Fresh(trainer.state(), params);
  ASSERT_OK(trainer.Update(ReleaseOf(sum, long_ones)));
  EXPECT_EQ(trainer.direction_noise(), 0);
}

// Against the definition in doubles: r·σC/(ν·|w·β_k|), of the topics that were asked.
TEST(DenoisedTrainerTest, NoiseAlongTopicsIsInTheirMassesAndGoesOnWithTheSameBits) {
  DenoisedTrainerParams params = Params();
  params.sampling_rate = 0.5;
  for (int v = 0; v < kTerms; ++v)
    params.term_weights.push_back(0.5F + 0.01F * static_cast<float>(v % 50));
  DenoisedTrainer whole = Trainer(params);
  const std::vector<float> sum = NoisySum(1), counts = Histogram(21);
  ASSERT_OK(whole.Update(ReleaseOf(sum, counts)));
  EXPECT_TRUE(whole.noisy_topics().mass_deviations.empty());
  const LogTopics asked = whole.NextLogTopics();
  // A checkpoint of before there were masses has none, as this one.
  DenoisedTrainer resumed = Fresh(whole.state(), params);
  DenoisedTrainer::Release release = ReleaseOf(sum, counts);
  release.direction_noise = whole.direction_noise();
  ASSERT_EQ(release.direction_noise, 5);
  ASSERT_OK(whole.Update(release));
  ASSERT_OK(resumed.Update(release));
  const double rho = PolynomialStepSize(params.recipe.step_power, 2);
  ASSERT_EQ(whole.state().average.mass_variances.size(), size_t{kTopics});
  for (size_t k = 0; k < kTopics; ++k) {
    double mass = 0, squares = 0;
    for (size_t v = 0; v < kTerms; ++v) {
      const double share = std::exp(double{asked.values()[k * kTerms + v]});
      mass += share;
      squares += share * share * params.term_weights[v] * params.term_weights[v];
    }
    const double expected = rho * 5 * kNoise / (0.5 * std::sqrt(squares) / mass);
    EXPECT_NEAR(whole.noisy_topics().mass_deviations[k] / expected, 1, 1e-6) << k;
  }
  resumed = Fresh(resumed.state(), params);
  ASSERT_OK(whole.Update(release));
  ASSERT_OK(resumed.Update(release));
  EXPECT_EQ(resumed.state().average.mass_variances, whole.state().average.mass_variances);
  EXPECT_EQ(resumed.NextLogTopics().values(), whole.NextLogTopics().values());
  release.direction_noise = 17;
  EXPECT_THAT(whole.Update(release),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("direction_noise")));
}

TEST(DenoisedTrainerTest, AKnownUnigramIsRefinedByNoSum) {
  DenoisedTrainerParams params = Params();
  params.recipe.warm_up_share = 0;
  params.recipe.knows_unigram = true;
  DenoisedTrainer trainer = Fresh(Beginning(), params);
  const std::vector<double> known(trainer.term_probabilities().begin(),
                                  trainer.term_probabilities().end());
  ASSERT_OK(trainer.Update(ReleaseOf(NoisySum(1), Histogram(15))));
  EXPECT_EQ(trainer.term_probabilities(), absl::MakeConstSpan(known));
  // The same, found anew.
  EXPECT_EQ(Fresh(trainer.state(), params).NextLogTopics().values(),
            trainer.NextLogTopics().values());
}

TEST(DenoisedTrainerTest, GoesOnFromASavedStateWithTheSameBits) {
  DenoisedTrainer whole = Trainer();
  const std::vector<float> first = NoisySum(1);
  const std::vector<float> second = NoisySum(2);
  const std::vector<float> counts = Histogram(15);
  ASSERT_OK(whole.Update(ReleaseOf(first, counts)));
  DenoisedTrainer resumed = Fresh(whole.state());
  EXPECT_EQ(resumed.NextLogTopics().values(), whole.NextLogTopics().values());
  EXPECT_EQ(resumed.clip_norm(), whole.clip_norm());
  ASSERT_OK(whole.Update(ReleaseOf(second, counts)));
  ASSERT_OK(resumed.Update(ReleaseOf(second, counts)));
  EXPECT_EQ(resumed.NextLogTopics().values(), whole.NextLogTopics().values());
}

TEST(DenoisedTrainerTest, GoesOnBeforeAndAfterTheFlatOneWithTheSameBits) {
  DenoisedTrainer whole = Fresh();
  const std::vector<float> flat = WarmUpSum(), sum = NoisySum(1), counts = Histogram(15);
  DenoisedTrainer resumed = Fresh(whole.state());
  for (const std::vector<float>* release : {&flat, &sum}) {
    ASSERT_OK(whole.Update(ReleaseOf(*release, counts)));
    ASSERT_OK(resumed.Update(ReleaseOf(*release, counts)));
    resumed = Fresh(resumed.state());
    EXPECT_EQ(resumed.NextLogTopics().values(), whole.NextLogTopics().values());
    EXPECT_EQ(resumed.clip_norm(), whole.clip_norm());
  }
}

TEST(DenoisedTrainerTest, AsksWithBlurredTopicsAtFirstAndWithItsOwnInTheEnd) {
  DenoisedTrainer trainer = Trainer();
  EXPECT_EQ(trainer.NextLogTopics().values(),
            Flattened(LogMeanTopics(trainer.Model()), 0.2).values());
  for (unsigned seed = 1; seed <= 9; ++seed) {
    const std::vector<float> sum = NoisySum(seed);
    ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
  }
  EXPECT_EQ(trainer.NextLogTopics().values(), LogMeanTopics(trainer.Model()).values());
}

TEST(DenoisedTrainerTest, ABadReleaseIsRefusedAndChangesNothing) {
  DenoisedTrainer trainer = Trainer();
  std::vector<float> sum = NoisySum(1);
  ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
  const DenoisedTrainerState before = trainer.state();
  const std::vector<float> counts = Histogram(12);
  sum[7] = std::nanf("");
  EXPECT_THAT(trainer.Update(ReleaseOf(sum, counts)), StatusIs(absl::StatusCode::kInvalidArgument));
  sum.pop_back();
  EXPECT_THAT(trainer.Update(ReleaseOf(sum, counts)), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(trainer.state().average.values, before.average.values);
  EXPECT_EQ(trainer.state().average.updates, 1);
  EXPECT_EQ(trainer.state().updates, 2);
  EXPECT_EQ(trainer.state().unigram.sums, before.unigram.sums);
  EXPECT_EQ(trainer.clip_norm(), before.clip_norm);
}

// Releases of which nothing is left but noise, as an ε far too small gives: what was paid for is
// taken in to the end.
TEST(DenoisedTrainerTest, SumsThatAreNoiseAndNoMoreDoNotStopAFitThatHasAUnigram) {
  DenoisedTrainer trainer = Fresh();
  std::mt19937_64 engine(5);
  std::normal_distribution<double> noise(0, 1e5);
  for (int t = 1; t <= 10; ++t) {
    std::vector<float> sum(kTopics * kTerms);
    for (float& x : sum) x = static_cast<float>(noise(engine));
    ASSERT_OK(trainer.Update({.noisy_sum = sum,
                              .noise_deviation = 1e5,
                              .norm_histogram = {},
                              .histogram_noise_deviation = 0}))
        << t;
  }
  const std::vector<double> p = Unigram();
  for (size_t v = 0; v < p.size(); ++v) {
    EXPECT_NEAR(trainer.term_probabilities()[v] / p[v], 1, 0.5) << "of the counts alone";
  }
}

std::vector<float> OwnTopics() {
  std::vector<float> topics;
  for (const double x : Truth()) topics.push_back(static_cast<float>(x));
  return topics;
}

TEST(DenoisedTrainerTest, AsksWithTheInitialTopicsFirstAndLessBlurred) {
  DenoisedTrainerParams params = Params();
  params.initial_topics = OwnTopics();
  DenoisedTrainer trainer = Trainer(params);
  EXPECT_EQ(trainer.Model().topic_parameters(), absl::MakeConstSpan(OwnTopics()));
  EXPECT_EQ(trainer.NextLogTopics().values(),
            Flattened(LogMeanTopics(trainer.Model()), 0.6).values());
  // What is learned afterwards comes from the releases; only the blur is another.
  DenoisedTrainer drawn = Trainer();
  const std::vector<float> sum = NoisySum(1);
  ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
  ASSERT_OK(drawn.Update(ReleaseOf(sum, {})));
  EXPECT_EQ(trainer.Model().topic_parameters(), drawn.Model().topic_parameters());
  EXPECT_NE(trainer.NextLogTopics().values(), drawn.NextLogTopics().values());
}

TEST(DenoisedTrainerTest, AWarmFitGoesOnFromASavedStateWithTheSameBits) {
  DenoisedTrainerParams params = Params();
  params.initial_topics = OwnTopics();
  DenoisedTrainer whole = Trainer(params);
  const std::vector<float> sum = NoisySum(1);
  ASSERT_OK(whole.Update(ReleaseOf(sum, {})));
  ASSERT_OK_AND_ASSIGN(const auto resumed, DenoisedTrainer::Create(params, whole.state()));
  EXPECT_EQ(resumed.NextLogTopics().values(), whole.NextLogTopics().values());
}

TEST(DenoisedTrainerTest, AnchorsAreOfTheFirstTopicsAndOfNothingAfterThem) {
  DenoisedTrainerParams params = Params();
  params.anchors = {{7}, {8, 9}};
  DenoisedTrainer trainer = Trainer(params);
  DenoisedTrainer drawn = Trainer();
  const absl::Span<const float> anchored = trainer.Model().topic_parameters();
  const absl::Span<const float> plain = drawn.Model().topic_parameters();
  for (size_t i = 0; i < plain.size(); ++i) {
    const size_t k = i / kTerms, v = i % kTerms;
    EXPECT_EQ(anchored[i] != plain[i], k < 2 || (v >= 7 && v <= 9)) << i;
  }
  EXPECT_EQ(trainer.NextLogTopics().values(),
            Flattened(LogMeanTopics(trainer.Model()), 0.2).values());
  const std::vector<float> sum = NoisySum(1);
  ASSERT_OK(trainer.Update(ReleaseOf(sum, {})));
  ASSERT_OK(drawn.Update(ReleaseOf(sum, {})));
  EXPECT_EQ(trainer.Model().topic_parameters(), drawn.Model().topic_parameters());
}

TEST(DenoisedTrainerTest, AnnealsAsLongAndAsFarAsTheRecipeSays) {
  DenoisedTrainerParams params = Params();
  params.recipe.first_exponent = 0.5;
  params.recipe.last_exponent = 0.5;
  const DenoisedTrainer blurred = Trainer(params);
  params.recipe.first_exponent = 1;
  params.recipe.last_exponent = 1;
  const DenoisedTrainer sharp = Trainer(params);
  const LogTopics half = blurred.NextLogTopics(), whole = sharp.NextLogTopics();
  for (size_t i = 0; i < whole.values().size(); ++i) {
    EXPECT_FLOAT_EQ(half.values()[i], 0.5F * whole.values()[i]) << i;
  }
}

TEST(DenoisedTrainerTest, ParametersOutOfTheirDomainAreNamed) {
  const auto create = [](auto change, double clip_norm) {
    DenoisedTrainerParams params = Params();
    change(params);
    return DenoisedTrainer::Create(std::move(params), Beginning(clip_norm)).status();
  };
  const auto nothing = [](DenoisedTrainerParams&) {};
  EXPECT_OK(create(nothing, 4));
  EXPECT_THAT(create(nothing, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("clip_norm")));
  EXPECT_THAT(create([](auto& params) { params.recipe.warm_up_share = 0.6; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("warm_up_share")));
  EXPECT_THAT(create([](auto& params) { params.recipe.clip_quantile = 1; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("clip_quantile")));
  EXPECT_THAT(create([](auto& params) { params.recipe.step_power = -1; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("step_power")));
  EXPECT_THAT(create([](auto& params) { params.recipe.first_exponent = 0; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("first annealing exponent")));
  EXPECT_THAT(create([](auto& params) { params.recipe.last_exponent = 0.1; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("last annealing exponent")));
  EXPECT_THAT(create([](auto& params) { params.recipe.anneal_until = 0; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("annealed share")));
  EXPECT_THAT(create([](auto& params) { params.recipe.prior_share = 0; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("prior_share")));
  EXPECT_THAT(create(
                  [](auto& params) {
                    params.initial_topics = {1, 2};
                  },
                  4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("initial_topics")));
  EXPECT_THAT(create([](auto& params) { params.initial_topics.assign(kTopics * kTerms, 0); }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create([](auto& params) { params.anchors = {{kTerms}}; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("anchor")));
  EXPECT_THAT(create(
                  [](auto& params) {
                    params.initial_topics = OwnTopics();
                    params.anchors = {{1}};
                  },
                  4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("must not both be given")));
  EXPECT_THAT(create([](auto& params) { params.recipe.direction_noise = 20; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("direction_noise")));
  EXPECT_THAT(create([](auto& params) { params.recipe.long_documents = 0; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("long_documents")));
  EXPECT_THAT(create([](auto& params) { params.first_clip_norm = -1; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("first_clip_norm")));
  EXPECT_THAT(create([](auto& params) { params.sampling_rate = 0; }, 4),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(DenoisedTrainerTest, AStateThatContradictsItselfIsRefused) {
  DenoisedTrainerState state = Beginning();
  state.updates = 2;  // one of them in an average that has none
  EXPECT_THAT(DenoisedTrainer::Create(Params(), state),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("updates")));
  state = Beginning();
  state.direction_noise = -1;
  EXPECT_THAT(DenoisedTrainer::Create(Params(), state),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("direction_noise")));
  state = Beginning();
  state.unigram.sums.pop_back();
  EXPECT_THAT(DenoisedTrainer::Create(Params(), state),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("unigram")));
  state.unigram = {};
  EXPECT_THAT(DenoisedTrainer::Create(Params(), state),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no counts")));
}

}  // namespace denoised_trainer_test
}  // namespace topicwall::lda
