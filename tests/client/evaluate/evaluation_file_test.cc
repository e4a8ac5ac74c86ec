#include "client/evaluate/evaluation_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/durable_file.h"
#include "client/evaluate/paid_plan.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/topic_plans.h"

namespace topicwall::client {
namespace evaluation_file_test {

using ::topicwall::testing::StatusIs;

// Two releases of weights (1/20, 1/10) and σ = 3, so of deviations 60 nats and 30 words each.
v1::EvaluationFile File() {
  v1::EvaluationFile file;
  file.set_format_version(kEvaluationFormatVersion);
  file.mutable_plan()->set_request_id(std::string(16, 'r'));
  file.mutable_plan()->set_plan_id("plan");
  v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
  plan.set_iterations(2);
  testing::AskTopics(&plan, "document_completion", 2, {0.5});
  plan.set_weights(proto::FloatsToLittleEndian({0.05F, 0.1F}));
  file.set_noise_standard_deviation(3);
  for (const double nats : {6100.0, 5900.0}) file.add_negative_log_likelihoods(nats);
  for (const double words : {1020.0, 980.0}) file.add_words(words);
  return file;
}

// Means 6000 and 1000, so exp(6); deviations of a mean are 60/√2 and 30/√2, and that of the ratio
// √(60² + 36·30²)/√2/1000 = 0.134164.
TEST(EvaluationFileTest, TheEstimateIsThatOfAllReleasesWithTheirNoise) {
  const PerplexityEstimate estimate = EstimateOf(File());
  EXPECT_DOUBLE_EQ(estimate.words, 1000);
  EXPECT_NEAR(estimate.words_deviation, std::hypot(30 / std::sqrt(2.0), std::sqrt(1000 / 2 / 2.0)),
              1e-5)
      << "of the noise, and of the coins of two splits";
  ASSERT_TRUE(estimate.perplexity.has_value());
  EXPECT_NEAR(*estimate.perplexity, std::exp(6.0), 1e-9);
  EXPECT_NEAR(estimate.standard_error / *estimate.perplexity, 0.134164, 1e-6);
}

// Σ A = −300 of Σn = 1000, with 14 nats taken off each: a log density of 0.3 − 14; deviations 60/√2
// and 30/√2 make √(60² + 0.09·30²)/√2/1000 = 0.042901 of it.
TEST(EvaluationFileTest, ALogLikelihoodHasBackWhatWasTakenOff) {
  v1::EvaluationFile file = File();
  EXPECT_FALSE(IsOfVectors(file));
  file.mutable_plan()->mutable_plan()->set_model("gaussian_likelihood");
  file.set_negative_log_likelihoods(0, -200);
  file.set_negative_log_likelihoods(1, -400);
  file.set_nats_taken_off(14);
  EXPECT_TRUE(IsOfVectors(file));
  const LogLikelihoodEstimate estimate = LogLikelihoodOf(file);
  EXPECT_DOUBLE_EQ(estimate.vectors, 1000);
  EXPECT_NEAR(estimate.vectors_deviation, 30 / std::sqrt(2.0), 1e-5);
  ASSERT_TRUE(estimate.log_likelihood.has_value());
  EXPECT_NEAR(*estimate.log_likelihood, -13.7, 1e-12);
  EXPECT_DOUBLE_EQ(estimate.expected, -14);
  EXPECT_NEAR(estimate.standard_error, 0.042901, 1e-6);
  file.set_words(0, 80);
  file.set_words(1, 80);
  EXPECT_FALSE(LogLikelihoodOf(file).log_likelihood.has_value()) << "noise is a quarter of them";
}

// Noise is drawn 20,000 times; the spread of the estimates must be the stated one within 5 % (ten
// standard deviations of a spread of so many).
TEST(EvaluationFileTest, TheStandardErrorIsTheSpreadThatNoiseMakes) {
  v1::EvaluationFile file = File();
  file.mutable_plan()->mutable_plan()->set_iterations(1);
  uint64_t state = 1;
  const auto uniform = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (static_cast<double>(state >> 11) + 0.5) * 0x1p-53;
  };
  const auto normal = [&uniform] {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform());
  };
  double sum = 0, squares = 0;
  constexpr int kDraws = 20000;
  file.set_noise_standard_deviation(0.3);  // small, for the first order to be enough
  for (int i = 0; i < kDraws; ++i) {
    file.clear_words();
    file.clear_negative_log_likelihoods();
    file.add_negative_log_likelihoods(6000 + 6 * normal());
    file.add_words(1000 + 3 * normal());
    const double perplexity = EstimateOf(file).perplexity.value();
    sum += perplexity;
    squares += perplexity * perplexity;
  }
  const double spread = std::sqrt(squares / kDraws - sum / kDraws * sum / kDraws);
  EXPECT_NEAR(spread, EstimateOf(file).standard_error, 0.05 * spread);
}

// 2,000 words, of each of which a coin says whether it is scored, a thousand times: a spread of so
// many is within 10 % of itself but for 4.5 of its deviations. Without noise.
TEST(EvaluationFileTest, TheDeviationOfTheWordsIsTheSpreadThatTheirSplitMakes) {
  v1::EvaluationFile file = File();
  file.mutable_plan()->mutable_plan()->set_iterations(1);
  file.set_noise_standard_deviation(0);
  std::mt19937_64 generator(1);
  std::binomial_distribution<int> heads(2000, 0.5);
  double sum = 0, squares = 0;
  constexpr int kSplits = 1000;
  for (int i = 0; i < kSplits; ++i) {
    const double words = heads(generator);
    sum += words;
    squares += words * words;
  }
  file.clear_words();
  file.clear_negative_log_likelihoods();
  file.add_words(sum / kSplits);
  file.add_negative_log_likelihoods(6 * sum / kSplits);
  const double spread = std::sqrt(squares / kSplits - sum / kSplits * sum / kSplits);
  EXPECT_NEAR(EstimateOf(file).words_deviation, spread, 0.1 * spread);
  EXPECT_EQ(EstimateOf(file).standard_error, 0) << "of it the noise is told alone";
  // Noise may make a count negative, which has no split.
  file.set_words(0, -500);
  EXPECT_EQ(EstimateOf(file).words_deviation, 0);
}

TEST(EvaluationFileTest, WhereNoiseDrownsTheWordsThereIsNoPerplexity) {
  for (const double words : {80.0, 0.0, -500.0}) {
    v1::EvaluationFile file = File();
    for (double& each : *file.mutable_words()) each = words;
    EXPECT_FALSE(EstimateOf(file).perplexity.has_value()) << words;
    EXPECT_EQ(EstimateOf(file).words, words);
  }
  EXPECT_FALSE(EstimateOf({}).perplexity.has_value());
}

// As where all words of a corpus are the same, which costs nothing to foretell.
TEST(EvaluationFileTest, APerplexityThatNoiseTookBelowOneIsOne) {
  v1::EvaluationFile negative = File();
  for (double& each : *negative.mutable_negative_log_likelihoods()) each = -1;
  const PerplexityEstimate estimate = EstimateOf(negative);
  EXPECT_EQ(estimate.perplexity, 1);
  EXPECT_GT(estimate.standard_error, 0);
}

// 1000 ± 200 words are known to a fifth; a perplexity of exp(7), of which the noise makes
// √(400² + 49·200²)/1000 = 1.456 of itself, is not known at all.
TEST(EvaluationFileTest, WhereNoiseDrownsThePerplexityItselfThereIsNone) {
  v1::EvaluationFile file = File();
  file.set_noise_standard_deviation(20 * std::sqrt(2.0));
  for (double& nats : *file.mutable_negative_log_likelihoods()) nats = 7000;
  EXPECT_NEAR(EstimateOf(file).words_deviation, std::hypot(200, std::sqrt(1000 / 2 / 2.0)), 1e-4);
  EXPECT_FALSE(EstimateOf(file).perplexity.has_value());
  EXPECT_EQ(EstimateOf(file).standard_error, 0);
  // √(60² + 36·30²)/√2/1000 of it for a deviation of 3: half of it is reached at 11.18.
  file = File();
  file.set_noise_standard_deviation(11.1);
  EXPECT_TRUE(EstimateOf(file).perplexity.has_value());
  file.set_noise_standard_deviation(11.3);
  EXPECT_FALSE(EstimateOf(file).perplexity.has_value());
}

TEST(EvaluationFileTest, IsReadAsItWasWritten) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/evaluation.pb";
  ASSERT_OK_AND_ASSIGN(auto none, ReadEvaluation(path));
  EXPECT_FALSE(none.has_value());
  ASSERT_OK(WritePaid(File(), path));
  ASSERT_OK_AND_ASSIGN(const auto read, ReadEvaluation(path));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->SerializeAsString(), File().SerializeAsString());
  EXPECT_TRUE(IsFinished(*read));
}

TEST(EvaluationFileTest, ADamagedFileIsAnErrorAndNeverNothing) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/evaluation.pb";
  const auto refuses = [&path](auto change) {
    v1::EvaluationFile file = File();
    change(file);
    EXPECT_OK(WritePaid(file, path));
    EXPECT_THAT(ReadEvaluation(path), StatusIs(absl::StatusCode::kInvalidArgument));
  };
  refuses([](auto& file) { file.set_format_version(1); });
  refuses([](auto& file) { file.set_format_version(3); });
  refuses([](auto& file) { file.set_epsilon(NAN); });
  refuses([](auto& file) { file.set_words(0, NAN); });
  refuses([](auto& file) { file.add_words(1); });
  refuses([](auto& file) {
    file.add_words(1);  // three releases of two
    file.add_negative_log_likelihoods(1);
  });
  refuses([](auto& file) {
    file.mutable_plan()->mutable_plan()->set_iterations(0);  // it would be finished
    file.clear_words();
    file.clear_negative_log_likelihoods();
  });
  refuses([](auto& file) { file.mutable_plan()->clear_plan_id(); });
  refuses([](auto& file) { file.mutable_plan()->set_request_id("short"); });
  refuses([](auto& file) { file.mutable_plan()->mutable_plan()->clear_weights(); });
  refuses([](auto& file) { file.mutable_plan()->mutable_plan()->set_model("lda"); });
  ASSERT_OK(base::ReplaceFileDurably(path, "\xff"));
  EXPECT_THAT(ReadEvaluation(path), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace evaluation_file_test
}  // namespace topicwall::client
