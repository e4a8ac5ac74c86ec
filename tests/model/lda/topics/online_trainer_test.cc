#include "model/lda/topics/online_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/initial_topics.h"
#include "tests/model/lda/reference_e_step.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace online_trainer_test {

using ::testing::HasSubstr;
using ::topicwall::lda::testing::ReferenceDigamma;
using ::topicwall::lda::testing::ReferenceEStep;
using ::topicwall::lda::testing::ReferenceResult;
using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

constexpr int kTopics = 5;
constexpr int kBlock = 8;  // terms of each planted topic
constexpr int kTerms = kTopics * kBlock;

DocumentList PlantedDocuments(int documents, uint64_t seed) {
  return SyntheticCorpus(seed).PlantedDocuments(documents, kBlock, kTopics);
}

OnlineTrainerParams Params(int64_t corpus_size) {
  return {
      .num_topics = kTopics,
      .vocabulary_size = kTerms,
      .topic_term_prior = 0.1,
      .corpus_size = corpus_size,
      .tau0 = 1,
      .kappa = 0.5,
      .e_step = {.document_topic_prior = 0.1, .max_iterations = 100, .mean_change_threshold = 1e-3},
      .num_threads = 1};
}

MStepState Start(uint64_t seed) { return InitialMStepState(*RandomTopics(kTopics, kTerms, seed)); }

OnlineTrainer Trainer(const OnlineTrainerParams& params, MStepState state) {
  return *OnlineTrainer::Create(params, std::move(state));
}

// One step of Algorithm 1 in float64, from λ (K×V) with update number t.
std::vector<double> ReferenceStep(const std::vector<double>& lambda, const DocumentList& documents,
                                  size_t begin, size_t end, const OnlineTrainerParams& params,
                                  int t) {
  std::vector<float> log_topics;
  for (size_t k = 0; k < kTopics; ++k) {
    double total = 0;
    for (size_t v = 0; v < kTerms; ++v) total += lambda[k * kTerms + v];
    for (size_t v = 0; v < kTerms; ++v) {
      log_topics.push_back(
          static_cast<float>(ReferenceDigamma(lambda[k * kTerms + v]) - ReferenceDigamma(total)));
    }
  }
  const LogTopics topics = *LogTopics::Create(kTopics, kTerms, log_topics);
  const ReferenceEStep e_step(topics, params.e_step);
  std::vector<double> sum(lambda.size(), 0.0);
  for (size_t d = begin; d < end; ++d) {
    const ReferenceResult result = e_step.Infer(documents[d]);
    for (size_t j = 0; j < documents[d].size(); ++j) {
      for (size_t k = 0; k < kTopics; ++k) {
        sum[k * kTerms + documents[d][j].term] += result.statistic[j][k];
      }
    }
  }
  const double rho = std::pow(params.tau0 + t, -params.kappa);
  const double scale = static_cast<double>(params.corpus_size) / static_cast<double>(end - begin);
  std::vector<double> next;
  for (size_t i = 0; i < lambda.size(); ++i) {
    next.push_back((1 - rho) * lambda[i] + rho * (params.topic_term_prior + scale * sum[i]));
  }
  return next;
}

TEST(OnlineTrainerTest, FollowsAlgorithm1InFloat64) {
  // Batches of 40, 40 and 20: the last is scaled by its own size.
  const DocumentList documents = PlantedDocuments(100, 1);
  const OnlineTrainerParams params = Params(1000);
  OnlineTrainer trainer = Trainer(params, Start(1));
  std::vector<double> expected(trainer.state().topics.begin(), trainer.state().topics.end());
  expected = ReferenceStep(expected, documents, 0, 40, params, 1);
  expected = ReferenceStep(expected, documents, 40, 80, params, 2);
  expected = ReferenceStep(expected, documents, 80, 100, params, 3);
  ASSERT_OK(trainer.Pass(documents, 40));
  EXPECT_EQ(trainer.state().updates, 3);
  double error = 0, total = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += std::fabs(double{trainer.state().topics[i]} - expected[i]);
    total += expected[i];
  }
  EXPECT_LT(error / total, 1e-4);  // the E-step's own 1e-5, carried through three steps
}

TEST(OnlineTrainerTest, FindsThePlantedTopics) {
  const DocumentList documents = PlantedDocuments(600, 1);
  OnlineTrainer trainer = Trainer(Params(600), Start(1));
  for (int pass = 0; pass < 5; ++pass) ASSERT_OK(trainer.Pass(documents, 100));
  const TopicModel model = trainer.Model();
  std::set<uint32_t> blocks;
  for (int k = 0; k < kTopics; ++k) {
    const auto top = TopTerms(model, k, kBlock);
    ASSERT_OK(top);
    for (const TermProbability& term : *top) {
      EXPECT_EQ(term.term / kBlock, top->front().term / kBlock);
    }
    blocks.insert(top->front().term / kBlock);
  }
  EXPECT_EQ(blocks.size(), size_t{kTopics});
  // The truth is about 11 (training_test.cc), the unigram 40.
  const auto held_out =
      DocumentCompletionPerplexity(model, SplitTokens(PlantedDocuments(100, 99), 1),
                                   {.max_iterations = 100, .mean_change_threshold = 1e-3});
  ASSERT_OK(held_out);
  EXPECT_LT(held_out->perplexity, 13);
}

TEST(OnlineTrainerTest, ThreadsChangeNoBits) {
  const DocumentList documents = PlantedDocuments(1500, 2);
  std::vector<float> expected;
  for (const int threads : {1, 2, 5}) {
    OnlineTrainerParams params = Params(1500);
    params.num_threads = threads;
    OnlineTrainer trainer = Trainer(params, Start(2));
    ASSERT_OK(trainer.Pass(documents, 1200));
    if (threads == 1) expected = trainer.state().topics;
    EXPECT_EQ(trainer.state().topics, expected) << threads;
  }
}

TEST(OnlineTrainerTest, ASavedStateGoesOnWithTheSameBits) {
  const DocumentList documents = PlantedDocuments(200, 3);
  OnlineTrainer whole = Trainer(Params(400), Start(3));
  ASSERT_OK(whole.Pass(documents, 50));
  OnlineTrainer resumed = Trainer(Params(400), whole.state());
  ASSERT_OK(whole.Pass(documents, 70));
  ASSERT_OK(resumed.Pass(documents, 70));
  EXPECT_EQ(resumed.state().topics, whole.state().topics);
  EXPECT_EQ(resumed.state().updates, 7);
}

TEST(OnlineTrainerTest, ABadBatchIsRefusedAndChangesNothing) {
  OnlineTrainer trainer = Trainer(Params(10), Start(1));
  const std::vector<float> before = trainer.state().topics;
  EXPECT_THAT(trainer.Take({}), StatusIs(kInvalid, HasSubstr("at least one document")));
  EXPECT_THAT(trainer.Pass(PlantedDocuments(3, 1), 0), StatusIs(kInvalid, HasSubstr("batch_size")));
  EXPECT_EQ(trainer.state().topics, before);
  EXPECT_EQ(trainer.state().updates, 0);
}

TEST(OnlineTrainerTest, EmptyDocumentsCountInTheBatchAndAddNothing) {
  DocumentList documents;
  documents.Append({});
  documents.Append({});
  OnlineTrainer trainer = Trainer(Params(10), InitialMStepState(std::vector<float>(40 * 5, 1.1f)));
  ASSERT_OK(trainer.Pass(documents, 2));
  // λ = (1 − ρ)·1.1 + ρ·0.1 with ρ = 2^−½.
  for (const float entry : trainer.state().topics) EXPECT_NEAR(entry, 1.1 - std::sqrt(0.5), 1e-6);
}

TEST(OnlineTrainerTest, RefusesParametersOutOfRangeByName) {
  const auto refuse = [](const char* name, auto change) {
    OnlineTrainerParams params = Params(10);
    change(params);
    EXPECT_THAT(OnlineTrainer::Create(params, Start(1)), StatusIs(kInvalid, HasSubstr(name)));
  };
  refuse("num_topics", [](OnlineTrainerParams& p) { p.num_topics = 0; });
  refuse("topic_term_prior", [](OnlineTrainerParams& p) { p.topic_term_prior = 0; });
  refuse("corpus_size", [](OnlineTrainerParams& p) { p.corpus_size = 0; });
  refuse("tau0", [](OnlineTrainerParams& p) { p.tau0 = -1; });
  refuse("kappa", [](OnlineTrainerParams& p) { p.kappa = std::nan(""); });
  refuse("num_threads", [](OnlineTrainerParams& p) { p.num_threads = 0; });
  refuse("document_topic_prior", [](OnlineTrainerParams& p) { p.e_step.document_topic_prior = 0; });
  refuse("max_iterations", [](OnlineTrainerParams& p) { p.e_step.max_iterations = 0; });
  refuse("entries", [](OnlineTrainerParams& p) { p.vocabulary_size = kTerms + 1; });
}

}  // namespace online_trainer_test
}  // namespace topicwall::lda
