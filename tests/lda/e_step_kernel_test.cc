#include "lda/e_step_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/lda/synthetic_corpus.h"

namespace topicwall::lda {
namespace {

using ::topicwall::lda::testing::SyntheticCorpus;

constexpr int kTopics = 20;
constexpr int kPadded = 32;
constexpr int kTerms = 150;
constexpr KernelOptions kOptions = {.num_topics = kTopics,
                                    .padded_topics = kPadded,
                                    .document_topic_prior = 0.1,
                                    .max_iterations = 30,
                                    .mean_change_threshold = 0};

// V × kPadded weights in [0, 1], padded with zeros.
AlignedFloats Weights(double spread) {
  SyntheticCorpus corpus(1);
  AlignedFloats weights(size_t{kTerms} * kPadded, 0.0f);
  for (size_t v = 0; v < kTerms; ++v) {
    for (size_t k = 0; k < kTopics; ++k) {
      weights[v * kPadded + k] = static_cast<float>(std::exp(-spread * corpus.Uniform()));
    }
  }
  return weights;
}

void Gather(const AlignedFloats& weights, DocumentView document, KernelBuffers& buffers) {
  buffers.rows.clear();
  for (const TermCount& entry : document) {
    buffers.rows.push_back(weights.data() + size_t{entry.term} * kPadded);
  }
}

TEST(EStepKernelTest, BothSolversReachTheSamePoint) {
  const AlignedFloats weights = Weights(/*spread=*/8);
  SyntheticCorpus corpus(2);
  for (const int tokens : {1, 10, 31, 300, 3000}) {
    const std::vector<TermCount> document = corpus.Document(tokens, kTerms);
    KernelBuffers single, twofold;
    Gather(weights, document, single);
    Gather(weights, document, twofold);
    ASSERT_TRUE(SolveInSingle(document, kOptions, single));
    SolveInDouble(document, kOptions, twofold);
    EXPECT_EQ(single.iterations, twofold.iterations);
    double difference = 0;
    for (size_t i = 0; i < single.statistic.size(); ++i) {
      difference += std::fabs(single.statistic[i] - twofold.statistic[i]);
    }
    EXPECT_LE(difference / tokens, 1e-5) << tokens;
  }
}

TEST(EStepKernelTest, PaddingStaysOutOfEverything) {
  const AlignedFloats weights = Weights(/*spread=*/8);
  const std::vector<TermCount> document = SyntheticCorpus(3).Document(100, kTerms);
  KernelBuffers buffers;
  Gather(weights, document, buffers);
  ASSERT_TRUE(SolveInSingle(document, kOptions, buffers));
  for (size_t k = kTopics; k < kPadded; ++k) {
    EXPECT_EQ(buffers.gamma[k], 0.1f);
    for (size_t j = 0; j < document.size(); ++j) ASSERT_EQ(buffers.statistic[j * kPadded + k], 0);
  }
}

TEST(EStepKernelTest, TheFastSolverGivesUpInsteadOfTrustingATinyNormaliser) {
  // One word shared by 1000 equal topics: γ = 0.001, and exp(ψ(0.001)) is e^-1000.
  std::vector<float> row(1008, 0.0f);
  std::fill_n(row.begin(), 1000, 1.0f);
  KernelOptions options = kOptions;
  options.num_topics = 1000;
  options.padded_topics = 1008;
  options.document_topic_prior = 1e-6;
  KernelBuffers buffers;
  buffers.rows = {row.data()};
  EXPECT_FALSE(SolveInSingle({{0, 1}}, options, buffers));
  SolveInDouble({{0, 1}}, options, buffers);
  for (size_t k = 0; k < 1000; ++k) ASSERT_NEAR(buffers.statistic[k], 1e-3, 1e-9);
}

TEST(EStepKernelTest, NotANumberIsNeverTrusted) {
  AlignedFloats weights(kPadded, 0.0f);
  weights[3] = std::nanf("");
  KernelBuffers buffers;
  buffers.rows = {weights.data()};
  EXPECT_FALSE(SolveInSingle({{0, 1}}, kOptions, buffers));
}

}  // namespace
}  // namespace topicwall::lda
