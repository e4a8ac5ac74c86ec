#include "model/lda/topics/held_out_perplexity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/model/lda/reference_e_step.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace held_out_perplexity_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::lda::testing::ReferenceDigamma;
using ::topicwall::lda::testing::ReferenceEStep;
using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::testing::StatusIs;

constexpr int kTerms = 120;
constexpr HeldOutOptions kOptions = {.max_iterations = 200, .mean_change_threshold = 1e-4};

TopicModel Model(int num_topics, std::vector<float> parameters) {
  const int terms = static_cast<int>(parameters.size()) / num_topics;
  return *TopicModel::Create({.num_topics = num_topics,
                              .vocabulary_size = terms,
                              .document_topic_prior = 0.1,
                              .topic_term_prior = 0.05,
                              .topic_parameters = std::move(parameters)});
}

TopicModel SyntheticModel(int num_topics, uint64_t seed) {
  return Model(num_topics, SyntheticCorpus(seed).Parameters(num_topics, kTerms, 3));
}

TopicModel WithPrior(const TopicModel& model, std::vector<double> alphas) {
  return *TopicModel::Create(
      {.num_topics = model.num_topics(),
       .vocabulary_size = model.vocabulary_size(),
       .document_topic_prior = DocumentTopicPrior(std::move(alphas)),
       .topic_term_prior = model.topic_term_prior(),
       .topic_parameters = {model.topic_parameters().begin(), model.topic_parameters().end()}});
}

DocumentList TestDocuments() {
  DocumentList documents = SyntheticCorpus(5).Documents(30, 40, kTerms);
  documents.Append({});
  documents.Append({{7, 1}});
  documents.Append({{3, 500}, {90, 2}});
  return documents;
}

// γ of the reference at the model's prior, run far past the library's threshold.
std::vector<double> ReferenceGamma(const TopicModel& model, const LogTopics& topics,
                                   DocumentView document) {
  const EStepOptions options = {.document_topic_prior = model.document_topic_prior(),
                                .max_iterations = 2000,
                                .mean_change_threshold = 1e-7};
  return ReferenceEStep(topics, options).Infer(document).gamma;
}

// The bound on log p(document) written out term by term with q(z) explicit:
// Σ_w c_w Σ_k φ_kw (E log θ_k + E log β_kw − log φ_kw) + E log p(θ) − E log q(θ).
double ReferenceBound(const TopicModel& model, const LogTopics& topics, DocumentView document) {
  const std::vector<double> gamma = ReferenceGamma(model, topics, document);
  const auto num_topics = gamma.size();
  const double gamma_sum = std::accumulate(gamma.begin(), gamma.end(), 0.0);
  std::vector<double> log_theta;
  double alpha_sum = 0;
  double bound = -std::lgamma(gamma_sum);
  for (size_t k = 0; k < num_topics; ++k) {
    const double alpha = model.document_topic_prior().of(k);
    alpha_sum += alpha;
    log_theta.push_back(
        static_cast<double>(ReferenceDigamma(gamma[k]) - ReferenceDigamma(gamma_sum)));
    bound += std::lgamma(gamma[k]) - std::lgamma(alpha) + (alpha - gamma[k]) * log_theta.back();
  }
  bound += std::lgamma(alpha_sum);
  for (const TermCount& entry : document) {
    std::vector<double> phi(num_topics);
    double total = 0;
    for (size_t k = 0; k < num_topics; ++k) {
      total += phi[k] = std::exp(log_theta[k] + topics.values()[k * kTerms + entry.term]);
    }
    for (size_t k = 0; k < num_topics; ++k) {
      const double share = phi[k] / total;
      if (share == 0) continue;
      bound += entry.count * share *
               (log_theta[k] + topics.values()[k * kTerms + entry.term] - std::log(share));
    }
  }
  return bound;
}

TEST(PerplexityBoundTest, MatchesFloat64TermByTerm) {
  for (const TopicModel& model : {SyntheticModel(2, 1), SyntheticModel(10, 1),
                                  WithPrior(SyntheticModel(3, 1), {.5, .02, 3})}) {
    const LogTopics topics = ExpectedLogBeta(model);
    const DocumentList documents = TestDocuments();
    double bound = 0;
    for (size_t i = 0; i < documents.size(); ++i) {
      bound += ReferenceBound(model, topics, documents[i]);
    }
    ASSERT_OK_AND_ASSIGN(const auto result, ComputePerplexityBound(model, documents, kOptions));
    EXPECT_EQ(result.tokens, 30 * 40 + 1 + 502);
    const double expected = std::exp(-bound / static_cast<double>(result.tokens));
    EXPECT_NEAR(result.perplexity / expected, 1, 1e-5) << model.num_topics();
  }
}

TEST(PerplexityBoundTest, OneTopicIsAMultinomialByHand) {
  // K = 1: θ = 1, so that only Σ c_w E[log β_w] is left. ψ(2) − ψ(4) = −1/2 − 1/3.
  const TopicModel model = Model(1, {2, 1, 1});
  DocumentList documents;
  documents.Append({{0, 3}});
  ASSERT_OK_AND_ASSIGN(const auto result, ComputePerplexityBound(model, documents, kOptions));
  EXPECT_NEAR(result.perplexity, std::exp(0.5 + 1.0 / 3), 1e-6);
}

TEST(PerplexityBoundTest, AnUnfinishedEStepOnlyLoosensTheBound) {
  const TopicModel model = SyntheticModel(10, 1);
  const DocumentList documents = TestDocuments();
  const auto rough =
      ComputePerplexityBound(model, documents, {.max_iterations = 1, .mean_change_threshold = 0});
  const auto fine = ComputePerplexityBound(model, documents, kOptions);
  ASSERT_OK(rough);
  EXPECT_GT(rough->perplexity, fine->perplexity);
}

TEST(CompletionTest, MatchesFloat64) {
  for (const int num_topics : {2, 10}) {
    const TopicModel model = SyntheticModel(num_topics, 2);
    const LogTopics topics = LogMeanTopics(model);
    const std::vector<double> beta = MeanTopics(model);
    const TokenSplit split = SplitTokens(TestDocuments(), 3);
    double log_likelihood = 0;
    for (size_t i = 0; i < split.scored.size(); ++i) {
      const std::vector<double> gamma =
          split.observed[i].empty() ? std::vector<double>(static_cast<size_t>(num_topics), 1.0)
                                    : ReferenceGamma(model, topics, split.observed[i]);
      const double gamma_sum = std::accumulate(gamma.begin(), gamma.end(), 0.0);
      for (const TermCount& entry : split.scored[i]) {
        double probability = 0;
        for (size_t k = 0; k < gamma.size(); ++k) {
          probability += gamma[k] / gamma_sum * beta[k * kTerms + entry.term];
        }
        log_likelihood += entry.count * std::log(probability);
      }
    }
    ASSERT_OK_AND_ASSIGN(
        const auto result,
        DocumentCompletionPerplexity(model, split,
                                     {.max_iterations = 2000, .mean_change_threshold = 1e-6}));
    EXPECT_EQ(result.tokens, TokenCount(split.scored));
    const double expected = std::exp(-log_likelihood / static_cast<double>(result.tokens));
    EXPECT_NEAR(result.perplexity / expected, 1, 1e-5) << model.num_topics();
  }
}

TEST(CompletionTest, OneTopicIsTheUnigramOfItsMarginal) {
  const TopicModel model = SyntheticModel(1, 4);
  const TokenSplit split = SplitTokens(TestDocuments(), 1);
  ASSERT_OK_AND_ASSIGN(const auto completion, DocumentCompletionPerplexity(model, split, kOptions));
  ASSERT_OK_AND_ASSIGN(const auto unigram,
                       UnigramPerplexity(MarginalTermProbabilities(model), split.scored));
  EXPECT_NEAR(completion.perplexity, unigram.perplexity, 1e-9 * unigram.perplexity);
}

TEST(CompletionTest, WhatWasNotObservedIsScoredUnderFlatTopics) {
  // θ = (½, ½) and β_0 = (¾, ¼), (¼, ¾): each word has probability ½.
  TokenSplit split;
  split.observed.Append({});
  split.scored.Append({{0, 2}, {1, 1}});
  ASSERT_OK_AND_ASSIGN(const auto result,
                       DocumentCompletionPerplexity(Model(2, {3, 1, 1, 3}), split, kOptions));
  EXPECT_NEAR(result.perplexity, 2, 1e-9);
}

TEST(CompletionTest, WhereNothingWasObservedTopicsHaveThePriorsProportions) {
  TokenSplit split;
  split.observed.Append({});
  split.scored.Append({{0, 2}, {1, 1}});
  const TopicModel model = WithPrior(Model(2, {3, 1, 1, 3}), {3, 1});
  ASSERT_OK_AND_ASSIGN(const auto result, DocumentCompletionPerplexity(model, split, kOptions));
  // ¾·¾ + ¼·¼ of term 0, the rest of term 1.
  const double log_likelihood = 2 * std::log(0.625) + std::log(0.375);
  EXPECT_NEAR(result.perplexity, std::exp(-log_likelihood / 3), 1e-9);
}

TEST(HeldOutTest, ThreadsChangeNoBits) {
  const TopicModel model = SyntheticModel(10, 1);
  const DocumentList documents = SyntheticCorpus(6).Documents(700, 20, kTerms);  // three blocks
  const TokenSplit split = SplitTokens(documents, 1);
  HeldOutOptions options = kOptions;
  ASSERT_OK_AND_ASSIGN(const auto bound, ComputePerplexityBound(model, documents, options));
  ASSERT_OK_AND_ASSIGN(const auto completion, DocumentCompletionPerplexity(model, split, options));
  for (const int threads : {0, 2, 5}) {
    options.num_threads = threads;
    const auto again = ComputePerplexityBound(model, documents, options);
    EXPECT_EQ(again->perplexity, bound.perplexity);
    EXPECT_EQ(DocumentCompletionPerplexity(model, split, options)->perplexity,
              completion.perplexity);
  }
}

TEST(SplitTest, EveryTokenGoesToExactlyOneSide) {
  const DocumentList documents = TestDocuments();
  const TokenSplit split = SplitTokens(documents, 1);
  ASSERT_EQ(split.observed.size(), documents.size());
  ASSERT_EQ(split.scored.size(), documents.size());
  for (size_t i = 0; i < documents.size(); ++i) {
    EXPECT_TRUE(IsCanonical(split.observed[i], kTerms));
    EXPECT_TRUE(IsCanonical(split.scored[i], kTerms));
    std::vector<int64_t> left(kTerms, 0);
    for (const TermCount& entry : documents[i]) left[entry.term] += entry.count;
    for (const TermCount& entry : split.observed[i]) left[entry.term] -= entry.count;
    for (const TermCount& entry : split.scored[i]) left[entry.term] -= entry.count;
    EXPECT_THAT(left, ::testing::Each(0));
  }
}

TEST(SplitTest, TheSameSeedGivesTheSameSplitAndAnotherAnother) {
  const DocumentList documents = TestDocuments();
  EXPECT_EQ(SplitTokens(documents, 1).scored.entries, SplitTokens(documents, 1).scored.entries);
  EXPECT_NE(SplitTokens(documents, 1).scored.entries, SplitTokens(documents, 2).scored.entries);
}

TEST(SplitTest, TheCoinIsFairForSingleTokensAndForLargeCounts) {
  // Fixed seed. 10^5 + 37 tokens as counts of 1 and as one count: heads have standard deviation
  // √n/2 = 158, and 6 of these are allowed: a coin of 0.51 (1000 heads off) is caught.
  DocumentList documents;
  for (int i = 0; i < 100037; ++i) documents.Append({{0, 1}});
  documents.Append({{1, 100037}});
  int64_t singles = 0, bulk = 0;
  for (const TermCount& entry : SplitTokens(documents, 11).observed.entries) {
    (entry.term == 0 ? singles : bulk) += entry.count;
  }
  EXPECT_NEAR(static_cast<double>(singles), 50018.5, 6 * 158);
  EXPECT_NEAR(static_cast<double>(bulk), 50018.5, 6 * 158);
}

TEST(UnigramTest, FlatProbabilitiesGiveTheVocabularySize) {
  DocumentList documents;
  documents.Append({{0, 3}, {2, 2}});
  ASSERT_OK_AND_ASSIGN(const auto result, UnigramPerplexity({0.25, 0.25, 0.25, 0.25}, documents));
  EXPECT_NEAR(result.perplexity, 4, 1e-12);
  EXPECT_EQ(result.tokens, 5);
}

TEST(UnigramTest, AnImpossibleTermCostsTheFloor) {
  DocumentList documents;
  documents.Append({{0, 1}, {1, 1}});
  ASSERT_OK_AND_ASSIGN(const auto result, UnigramPerplexity({1.0, 0.0}, documents));
  EXPECT_NEAR(result.perplexity, 1 / std::sqrt(kProbabilityFloor), 1e-3);
}

TEST(UnigramTest, RefusesWhatIsNoDistribution) {
  DocumentList documents;
  documents.Append({{0, 1}});
  for (const std::vector<double>& bad :
       {std::vector<double>{0.5, 0.4}, {1.5, -0.5}, {NAN, 1.0}, {HUGE_VAL, 0.0}, {}}) {
    EXPECT_THAT(UnigramPerplexity(bad, documents),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("probabilities")));
  }
}

TEST(UnigramTest, MarginalAddsTopicsByTheirWeight) {
  EXPECT_THAT(MarginalTermProbabilities(Model(2, {1, 2, 5, 4, 3, 1})),
              ElementsAre(5.0 / 16, 5.0 / 16, 6.0 / 16));
}

TEST(UnigramTest, SmoothingCountsEveryTermAtLeastALittle) {
  DocumentList documents;
  documents.Append({{0, 3}});
  documents.Append({{0, 1}, {2, 2}});
  ASSERT_OK_AND_ASSIGN(const auto probabilities, SmoothedTermProbabilities(documents, 4, 0.5));
  EXPECT_THAT(probabilities, ElementsAre(4.5 / 8, 0.5 / 8, 2.5 / 8, 0.5 / 8));
  for (const double bad : {0.0, -1.0, HUGE_VAL}) {
    EXPECT_THAT(SmoothedTermProbabilities(documents, 4, bad),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("pseudo_count")));
  }
  EXPECT_THAT(SmoothedTermProbabilities(documents, 2, 0.5),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("document 2")));
}

TEST(HeldOutTest, DocumentsOverAnotherVocabularyAreRefusedByNumber) {
  const TopicModel model = Model(2, {3, 1, 1, 3});
  DocumentList documents;
  documents.Append({{0, 1}});
  documents.Append({{2, 1}});
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument,
                                AllOf(HasSubstr("document 2"), HasSubstr("below 2")));
  EXPECT_THAT(ComputePerplexityBound(model, documents, kOptions), refused);
  EXPECT_THAT(UnigramPerplexity({0.5, 0.5}, documents), refused);
  EXPECT_THAT(
      DocumentCompletionPerplexity(model, {.observed = documents, .scored = documents}, kOptions),
      refused);
}

TEST(HeldOutTest, NothingToScoreIsAnError) {
  const TopicModel model = Model(2, {3, 1, 1, 3});
  DocumentList empty;
  empty.Append({});
  const auto nothing = StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("token"));
  EXPECT_THAT(ComputePerplexityBound(model, empty, kOptions), nothing);
  EXPECT_THAT(ComputePerplexityBound(model, DocumentList(), kOptions), nothing);
  EXPECT_THAT(UnigramPerplexity({0.5, 0.5}, empty), nothing);
  EXPECT_THAT(DocumentCompletionPerplexity(model, {.observed = empty, .scored = empty}, kOptions),
              nothing);
}

TEST(HeldOutTest, SidesOfASplitMustMatch) {
  TokenSplit split = SplitTokens(TestDocuments(), 1);
  split.observed.Append({});
  EXPECT_THAT(DocumentCompletionPerplexity(SyntheticModel(2, 1), split, kOptions),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("same number")));
}

TEST(HeldOutTest, BadOptionsAreRefused) {
  const TopicModel model = SyntheticModel(2, 1);
  const HeldOutOptions bad = {.max_iterations = 0, .mean_change_threshold = 1e-3};
  EXPECT_THAT(ComputePerplexityBound(model, TestDocuments(), bad),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("max_iterations")));
}

}  // namespace held_out_perplexity_test
}  // namespace topicwall::lda
