#include "model/completion/completion_score.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "model/completion/token_halves.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/mixture/component_weights.h"
#include "model/mixture/mixture_perplexity.h"
#include "model/mixture/responsibilities.h"
#include "server/mechanism/keyed_unit_bits.h"
#include "tests/support/status_matchers.h"

namespace topicwall::completion {
namespace {

constexpr int kTopics = 6;
constexpr int kTerms = 50;
constexpr double kPrior = 0.2;
constexpr int kIterations = 100;
constexpr double kThreshold = 1e-3;

lda::EStep EStepOf(std::vector<float> log_topics, int num_topics = kTopics) {
  const int terms = static_cast<int>(log_topics.size()) / num_topics;
  auto topics = lda::LogTopics::Create(num_topics, terms, std::move(log_topics));
  EXPECT_OK(topics);
  auto e_step = lda::EStep::Create(*topics, {.document_topic_prior = kPrior,
                                             .max_iterations = kIterations,
                                             .mean_change_threshold = kThreshold});
  EXPECT_OK(e_step);
  return *std::move(e_step);
}

// Every tenth term of a topic is frequent.
lda::TopicModel Model() {
  std::vector<float> parameters;
  for (int k = 0; k < kTopics; ++k) {
    for (int v = 0; v < kTerms; ++v) {
      parameters.push_back((v + k) % 10 == 0 ? 40.0F : 0.5F + static_cast<float>(v % 7) / 10);
    }
  }
  auto model = lda::TopicModel::Create({.num_topics = kTopics,
                                        .vocabulary_size = kTerms,
                                        .document_topic_prior = kPrior,
                                        .topic_term_prior = 0.5,
                                        .topic_parameters = std::move(parameters)});
  EXPECT_OK(model);
  return *std::move(model);
}

std::vector<float> LogTopicsOf(const lda::TopicModel& model) {
  const lda::LogTopics topics = lda::LogMeanTopics(model);
  return {topics.values().begin(), topics.values().end()};
}

std::vector<std::vector<lda::TermCount>> Documents() {
  std::vector<std::vector<lda::TermCount>> documents;
  for (uint32_t i = 0; i < 80; ++i) {
    documents.emplace_back();
    for (uint32_t v = i % 5; v < kTerms; v += 1 + i % 7) {
      documents.back().push_back({.term = v, .count = 1 + (i * v) % 5});
    }
  }
  documents.push_back({{.term = 3, .count = 1}});  // one of its sides is empty
  return documents;
}

struct Score {
  double nats;
  double words;
};

Score Of(const CompletionScore& score) {
  model::SparseStatistic statistic;
  score.Write(&statistic);
  EXPECT_EQ(statistic.columns, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(statistic.rows, (std::vector<uint32_t>{0}));
  return {double{statistic.values[0]}, double{statistic.values[1]}};
}

// Against another implementation, on the same split: the one for documents of one's own, which
// takes its means from the model in double.
TEST(CompletionScoreTest, IsTheDocumentCompletionOfTheModelWhoseTopicsAreSent) {
  const lda::TopicModel model = Model();
  const lda::EStep e_step = EStepOf(LogTopicsOf(model));
  CompletionScore score(&e_step);
  score.Reset();
  const random::SecretKey key(std::array<uint8_t, 32>{1});
  mechanism::KeyedUnitBits bits(&key);
  bits.StartUnit({7});
  TokenHalves halves;
  lda::TokenSplit split;
  for (const std::vector<lda::TermCount>& document : Documents()) {
    bits.StartDocument(static_cast<int>(split.observed.size()));
    halves.Split(document, bits);
    split.observed.Append(halves.observed());
    split.scored.Append(halves.scored());
    score.Add(halves.observed(), halves.scored());
  }
  ASSERT_OK_AND_ASSIGN(
      const auto expected,
      lda::DocumentCompletionPerplexity(
          model, split, {.max_iterations = kIterations, .mean_change_threshold = kThreshold}));
  const Score found = Of(score);
  EXPECT_EQ(found.words, static_cast<double>(expected.tokens));
  EXPECT_NEAR(std::exp(found.nats / found.words), expected.perplexity, 1e-5 * expected.perplexity);
}

TEST(CompletionScoreTest, ResetForgetsTheUnitBefore) {
  const lda::EStep e_step = EStepOf(LogTopicsOf(Model()));
  const std::vector<lda::TermCount> document = Documents()[3];
  CompletionScore fresh(&e_step);
  fresh.Reset();
  fresh.Add(document, document);
  CompletionScore used(&e_step);
  for (const std::vector<lda::TermCount>& other : Documents()) used.Add(other, other);
  used.Reset();
  used.Add(document, document);
  EXPECT_EQ(Of(used).nats, Of(fresh).nats);
  EXPECT_EQ(Of(used).words, Of(fresh).words);
}

// Of a mixture, against what scores documents of one's own in double. The components that a
// document is least of count: they alone have some of its words.
TEST(CompletionScoreTest, OfAMixtureIsTheCompletionOfDocumentsOfOnesOwn) {
  const lda::TopicModel model = Model();
  const std::vector<double> weights = {5, 1, 2, 0.05, 3, 1};
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> probabilities;
  for (const double weight : weights) probabilities.push_back(weight / sum);
  const std::vector<float> parameters = mixture::WithWeights(LogTopicsOf(model), probabilities);
  const lda::EStep words = EStepOf(parameters);
  const mixture::Responsibilities components(
      {.num_topics = kTopics, .vocabulary_size = kTerms + 1, .values = parameters},
      lda::ChosenKernel(), /*num_threads=*/1);
  CompletionScore score(&words, &components);
  score.Reset();
  const lda::TokenSplit split = lda::SplitTokens(
      [] {
        lda::DocumentList documents;
        for (const std::vector<lda::TermCount>& document : Documents()) documents.Append(document);
        return documents;
      }(),
      /*seed=*/3);
  for (size_t d = 0; d < split.scored.size(); ++d) score.Add(split.observed[d], split.scored[d]);
  ASSERT_OK_AND_ASSIGN(const auto fitted, mixture::FittedMixture::Create(model, weights));
  ASSERT_OK_AND_ASSIGN(const auto expected, fitted.Completion(split));
  const Score found = Of(score);
  EXPECT_EQ(found.words, static_cast<double>(expected.tokens));
  EXPECT_NEAR(std::exp(found.nats / found.words), expected.perplexity, 1e-5 * expected.perplexity);
}

// By hand. A word of the observed half makes component 0 a million times as likely, and component 1
// alone has the scored one: r_1 = 1/(1 + 10^6), of which nothing may be left out.
TEST(CompletionScoreTest, AComponentThatADocumentIsHardlyOfStillScores) {
  const float never = -1e9F;
  const std::vector<float> parameters = {std::log(0.5F),  never,          std::log(0.5F),  //
                                         std::log(5e-7F), std::log(0.5F), std::log(0.5F)};
  const lda::EStep words = EStepOf(parameters, 2);
  const mixture::Responsibilities components(
      {.num_topics = 2, .vocabulary_size = 3, .values = parameters}, lda::ChosenKernel(), 1);
  CompletionScore score(&words, &components);
  score.Reset();
  score.Add(std::vector<lda::TermCount>{{.term = 0, .count = 1}},
            std::vector<lda::TermCount>{{.term = 1, .count = 1}});
  EXPECT_NEAR(Of(score).nats, -std::log(0.5 / (1 + 1e6)), 1e-5);
  // With nothing observed it is π that decides.
  score.Reset();
  score.Add({}, std::vector<lda::TermCount>{{.term = 1, .count = 2}});
  EXPECT_NEAR(Of(score).nats, -2 * std::log(0.25), 1e-5);
  // The column of π is no word.
  score.Reset();
  score.Add({}, std::vector<lda::TermCount>{{.term = 2, .count = 1}});
  EXPECT_EQ(Of(score).words, 0);
}

// With nothing observed θ is flat, and p(w) the mean of the topics: (1/2 + 1/8)/2 for term 0.
TEST(CompletionScoreTest, NothingObservedIsScoredUnderFlatTopics) {
  const lda::EStep e_step = EStepOf({std::log(0.5F), std::log(0.5F),  //
                                     std::log(0.125F), std::log(0.875F)},
                                    /*num_topics=*/2);
  CompletionScore score(&e_step);
  score.Reset();
  score.Add({}, std::vector<lda::TermCount>{{.term = 0, .count = 3}});
  EXPECT_NEAR(Of(score).nats, -3 * std::log(0.3125), 1e-5);
  EXPECT_EQ(Of(score).words, 3);
}

TEST(CompletionScoreTest, NothingScoredIsNothing) {
  const lda::EStep e_step = EStepOf(LogTopicsOf(Model()));
  CompletionScore score(&e_step);
  score.Reset();
  score.Add(Documents()[0], {});
  EXPECT_EQ(Of(score).nats, 0);
  EXPECT_EQ(Of(score).words, 0);
}

// ℓ may be any numbers up to 0: a word that no topic can have costs what the floor says, and one
// that is certain costs nothing, and never less.
TEST(CompletionScoreTest, AWordCostsBetweenNothingAndTheFloor) {
  const lda::EStep e_step = EStepOf({0, -1e9F, -3e38F, -1, 0, -1e9F, -3e38F, -1}, 2);
  CompletionScore score(&e_step);
  for (const auto& [term, cost] :
       std::vector<std::pair<uint32_t, double>>{{0, 0},
                                                {1, -std::log(lda::kProbabilityFloor)},
                                                {2, -std::log(lda::kProbabilityFloor)},
                                                {3, 1}}) {
    score.Reset();
    const std::vector<lda::TermCount> word = {{.term = term, .count = 2}};
    score.Add(word, word);
    EXPECT_NEAR(Of(score).nats, 2 * cost, 1e-5) << term;
    EXPECT_GE(Of(score).nats, 0) << term;
    EXPECT_EQ(Of(score).words, 2) << term;
  }
}

TEST(CompletionScoreTest, ADocumentOutsideTheVocabularyTellsNothing) {
  const lda::EStep e_step = EStepOf(LogTopicsOf(Model()));
  CompletionScore score(&e_step);
  score.Reset();
  score.Add({}, std::vector<lda::TermCount>{{.term = kTerms, .count = 1}});
  score.Add({}, std::vector<lda::TermCount>{{.term = 2, .count = 1}, {.term = 2, .count = 1}});
  EXPECT_EQ(Of(score).words, 0);
}

}  // namespace
}  // namespace topicwall::completion
