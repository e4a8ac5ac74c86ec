// The whole room at once, without privacy: E-steps, their sum, M-steps, perplexity.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "model/lda/topics/e_step.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/initial_topics.h"
#include "model/lda/topics/m_step.h"
#include "model/lda/topics/sufficient_statistics.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/model/lda/top_terms.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace training_test {

using ::topicwall::lda::testing::SyntheticCorpus;

constexpr int kTopics = 5;
constexpr int kBlock = 8;  // terms of each planted topic
constexpr int kTerms = kTopics * kBlock;

DocumentList PlantedDocuments(int documents, uint64_t seed) {
  return SyntheticCorpus(seed).PlantedDocuments(documents, kBlock, kTopics);
}

std::vector<float> SumOfStatistics(const LogTopics& topics, const DocumentList& documents) {
  const auto e_step = EStep::Create(
      topics, {.document_topic_prior = 0.1, .max_iterations = 100, .mean_change_threshold = 1e-3});
  EXPECT_OK(e_step);
  EStep::Workspace workspace;
  UnitStatistic unit;
  model::SparseStatistic statistic;
  std::vector<float> sum(size_t{kTopics} * kTerms, 0.0f);
  for (size_t i = 0; i < documents.size(); ++i) {
    e_step->Infer(documents[i], workspace);
    unit.Reset({.num_topics = kTopics, .num_columns = kTerms}, &statistic);
    unit.Add(documents[i], workspace);
    for (size_t j = 0; j < statistic.columns.size(); ++j) {
      for (size_t a = 0; a < statistic.rows.size(); ++a) {
        sum[statistic.rows[a] * kTerms + statistic.columns[j]] +=
            statistic.values[j * statistic.rows.size() + a];
      }
    }
  }
  return sum;
}

MStepShape Shape() {
  return {.num_topics = kTopics,
          .vocabulary_size = kTerms,
          .document_topic_prior = 0.1,
          .topic_term_prior = 0.1,
          .sampling_rate = 1};
}

void Train(PaperMStep& m_step, const DocumentList& documents, int iterations) {
  for (int t = 0; t < iterations; ++t) {
    ASSERT_OK(m_step.Update(SumOfStatistics(m_step.NextLogTopics(), documents)));
  }
}

// Each planted block must be the top terms of exactly one topic.
void ExpectPlantedTopics(const TopicModel& model) {
  std::set<uint32_t> blocks;
  for (int k = 0; k < kTopics; ++k) {
    const std::vector<uint32_t> top = testing::TopTerms(model, k, kBlock);
    const uint32_t block = top.front() / kBlock;
    for (const uint32_t term : top) EXPECT_EQ(term / kBlock, block) << "topic " << k;
    blocks.insert(block);
  }
  EXPECT_EQ(blocks.size(), size_t{kTopics});
}

// A document of the planted model is nearly one topic of 8 equally likely terms (entropy of the
// 0.9/0.1 mixture: perplexity about 11); the unigram knows 40.
void ExpectGoodPerplexity(const TopicModel& model) {
  const HeldOutOptions options = {.max_iterations = 100, .mean_change_threshold = 1e-3};
  const DocumentList held_out = PlantedDocuments(100, /*seed=*/99);
  const TokenSplit split = SplitTokens(held_out, 1);
  const auto completion = DocumentCompletionPerplexity(model, split, options);
  const auto unigram = UnigramPerplexity(MarginalTermProbabilities(model), split.scored);
  const auto bound = ComputePerplexityBound(model, held_out, options);
  ASSERT_OK(completion);
  ASSERT_OK(unigram);
  ASSERT_OK(bound);
  EXPECT_NEAR(unigram->perplexity, 40, 1);
  EXPECT_LT(completion->perplexity, 13);
  EXPECT_LT(bound->perplexity, 15);
}

MStepState Start(uint64_t seed) { return InitialMStepState(*RandomTopics(kTopics, kTerms, seed)); }

TEST(TrainingTest, PaperFindsThePlantedTopics) {
  ASSERT_OK_AND_ASSIGN(auto m_step,
                       PaperMStep::Create({.shape = Shape(), .tau0 = 1, .kappa = 0.5}, Start(1)));
  Train(m_step, PlantedDocuments(300, /*seed=*/1), 30);
  ExpectPlantedTopics(m_step.Model());
  ExpectGoodPerplexity(m_step.Model());
}

TEST(TrainingTest, TheSumOfAllStatisticsIsTheNumberOfTokens) {
  const DocumentList documents = PlantedDocuments(50, /*seed=*/3);
  ASSERT_OK_AND_ASSIGN(const auto m_step,
                       PaperMStep::Create({.shape = Shape(), .tau0 = 1, .kappa = 0.5}, Start(2)));
  const std::vector<float> sum = SumOfStatistics(m_step.NextLogTopics(), documents);
  double total = 0;
  for (const float entry : sum) total += entry;
  EXPECT_NEAR(total, static_cast<double>(TokenCount(documents)), 1e-2);
}

TEST(TrainingTest, TheSameSeedGivesTheSameModel) {
  const DocumentList documents = PlantedDocuments(50, /*seed=*/3);
  std::vector<std::vector<float>> models;
  for (int run = 0; run < 2; ++run) {
    ASSERT_OK_AND_ASSIGN(auto m_step,
                         PaperMStep::Create({.shape = Shape(), .tau0 = 1, .kappa = 0.5}, Start(5)));
    Train(m_step, documents, 3);
    models.push_back(m_step.state().topics);
  }
  EXPECT_EQ(models[0], models[1]);
}

}  // namespace training_test
}  // namespace topicwall::lda
