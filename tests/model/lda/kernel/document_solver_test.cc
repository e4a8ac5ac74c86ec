#include "model/lda/kernel/document_solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/lda/math/simd/simd_portable.h"
#include "model/lda/topics/double_precision_solver.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/model/lda/task_for_tests.h"

namespace topicwall::lda {
namespace document_solver_test {

using ::testing::Each;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::lda::testing::TaskForTests;

using Solver = DocumentSolver<SimdPortable>;
using Rows = std::vector<std::vector<float>>;

// Words with entries of e^-spread to 1 in each topic.
Rows RandomRows(size_t words, size_t topics, double spread, uint64_t seed = 1) {
  SyntheticCorpus corpus(seed);
  Rows rows(words, std::vector<float>(topics));
  for (std::vector<float>& row : rows) {
    for (float& entry : row) entry = static_cast<float>(std::exp(-spread * corpus.Uniform()));
    row[corpus.Below(topics)] = 1;
  }
  return rows;
}

std::vector<float> Counts(size_t words) {
  std::vector<float> counts;
  for (size_t j = 0; j < words; ++j) counts.push_back(static_cast<float>(1 + j % 3));
  return counts;
}

double Distance(const std::vector<float>& a, const std::vector<float>& b) {
  double distance = 0;
  for (size_t i = 0; i < a.size(); ++i) distance += std::fabs(a[i] - b[i]);
  return distance;
}

// α from 0.01 to 1.
DocumentTopicPrior Spread(size_t num_topics) {
  std::vector<double> alphas;
  for (size_t k = 0; k < num_topics; ++k) {
    alphas.push_back(std::pow(0.01, static_cast<double>(k) / static_cast<double>(num_topics - 1)));
  }
  return DocumentTopicPrior(std::move(alphas));
}

TEST(DocumentSolverTest, ActiveTopicsReachTheSamePointAsAll) {
  // Tiles and blocks of one to several, the last of every width.
  for (const size_t words : {1, 3, 4, 5, 31, 32, 33, 64, 65, 130, 400}) {
    const Rows rows = RandomRows(words, 40, /*spread=*/10);
    TaskForTests active(rows, Counts(words), 0.02), all(rows, Counts(words), 0.02);
    all.task.most_active = 0;
    active.task.drop_limit = 0.022f;  // where e is 1e-20
    ASSERT_TRUE(Solver(active.task).Solve()) << words;
    ASSERT_TRUE(Solver(all.task).Solve()) << words;
    EXPECT_EQ(active.Topics(), all.Topics()) << words;
    EXPECT_LT(active.task.num_listed, 40u) << words;
    EXPECT_EQ(active.task.iterations, all.task.iterations);
    const auto tokens = static_cast<double>(2 * words);
    EXPECT_LE(Distance(active.Gamma(), all.Gamma()), 2e-5 * tokens) << words;
    EXPECT_LE(Distance(active.Statistic(), all.Statistic()), 2e-5 * tokens) << words;
  }
}

TEST(DocumentSolverTest, ATopicThatMightComeBackMakesItStartAgainWithAll) {
  const Rows rows = RandomRows(30, 40, /*spread=*/10);
  TaskForTests wary(rows, Counts(30), 0.02), all(rows, Counts(30), 0.02);
  wary.task.weight_of_dropped = 1;  // as if a dropped topic kept much weight
  all.task.most_active = 0;
  ASSERT_TRUE(Solver(wary.task).Solve());
  ASSERT_TRUE(Solver(all.task).Solve());
  EXPECT_THAT(wary.Gamma(), ElementsAreArray(all.Gamma()));
  EXPECT_THAT(wary.Statistic(), ElementsAreArray(all.Statistic()));
}

TEST(DocumentSolverTest, WordsOfDroppedTopicsCountAsAChange) {
  // The rule ends after a few iterations, while topics are being dropped with words in them.
  for (const float most_change : {8.0f, 4.0f, 2.0f, 1.0f, 0.5f}) {
    for (const size_t words : {5, 20, 100}) {
      const Rows rows = RandomRows(words, 40, /*spread=*/10);
      TaskForTests active(rows, Counts(words), 0.02), all(rows, Counts(words), 0.02);
      active.task.drop_limit = 0.022f;
      all.task.most_active = 0;
      active.task.most_change = all.task.most_change = most_change;
      ASSERT_TRUE(Solver(active.task).Solve());
      ASSERT_TRUE(Solver(all.task).Solve());
      EXPECT_EQ(active.task.iterations, all.task.iterations) << most_change << " " << words;
      EXPECT_LE(Distance(active.Gamma(), all.Gamma()), 4e-5 * static_cast<double>(words));
    }
  }
}

TEST(DocumentSolverTest, NoTopicAboveTheLimitMeansAllTopics) {
  // 40 equal topics share one word and stay below the limit: dropping them would leave nothing.
  TaskForTests wary({std::vector<float>(40, 1.0f)}, {1}, 0.02);
  wary.task.drop_limit = 0.1f;
  ASSERT_TRUE(Solver(wary.task).Solve());
  for (const float gamma : wary.Gamma()) EXPECT_NEAR(gamma, 0.02 + 1.0 / 40, 1e-6);
}

TEST(DocumentSolverTest, WhereTheQuickBoundIsTooCoarseTheTopicsOwnSumsDecide) {
  // Words that only topic 0 has: the dropped topics' sums are 0 though the ratios' is not.
  Rows rows(20, std::vector<float>(8, 0.0f));
  for (std::vector<float>& row : rows) row[0] = 1;
  TaskForTests task(rows, Counts(20), 0.02);
  task.task.weight_of_dropped = 1;
  ASSERT_TRUE(Solver(task.task).Solve());
  EXPECT_THAT(task.Topics(), ElementsAreArray({0u}));
  EXPECT_THAT(task.Statistic(), ElementsAreArray(Counts(20)));
}

TEST(DocumentSolverTest, ATopicIsListedOnlyIfItHoldsMoreThanTheLimit) {
  Rows rows(3, std::vector<float>(5, 0.0f));
  for (std::vector<float>& row : rows) row = {1, 0, 1e-3f, 0, 1};
  for (const size_t most_active : {0, 5}) {
    TaskForTests task(rows, {1, 1, 1}, /*prior=*/2);  // nothing dies out
    task.task.most_active = most_active;
    task.task.list_limit = 0.01f;
    task.task.drop_limit = 2.01f;
    ASSERT_TRUE(Solver(task.task).Solve());
    EXPECT_THAT(task.Topics(), ElementsAreArray({0u, 4u}));
    EXPECT_EQ(task.Gamma()[1], 2.0f) << "the prior and nothing else";
  }
}

TEST(DocumentSolverTest, BothSolversReachTheSamePoint) {
  for (const size_t words : {1, 10, 90, 400}) {
    const Rows rows = RandomRows(words, 20, /*spread=*/8);
    const DocumentTopicPrior prior = Spread(20);
    TaskForTests single(rows, Counts(words), prior), twofold(rows, Counts(words), prior);
    DoubleScratch scratch;
    ASSERT_TRUE(Solver(single.task).Solve());
    SolveInDouble(twofold.task, scratch);
    EXPECT_EQ(single.Topics(), twofold.Topics());
    EXPECT_EQ(single.task.iterations, twofold.task.iterations);
    const auto tokens = static_cast<double>(2 * words);
    EXPECT_LE(Distance(single.Statistic(), twofold.Statistic()), 1e-5 * tokens) << words;
  }
}

TEST(DocumentSolverTest, FirstIterationIsThatOfEqualWeights) {
  const Rows rows = {{1, 0.5f}, {0, 1}};
  TaskForTests task(rows, {3, 2}, 0.1);
  task.task.max_iterations = 1;
  ASSERT_TRUE(Solver(task.task).Solve());
  EXPECT_EQ(task.task.iterations, 1);
  EXPECT_FLOAT_EQ(task.Gamma()[0], 0.1f + 2);
  EXPECT_FLOAT_EQ(task.Gamma()[1], 0.1f + 3);
}

TEST(DocumentSolverTest, GivesUpInsteadOfTrustingATinyNormaliser) {
  // One word shared by 1000 equal topics: γ = 0.001, and exp(ψ(0.001)) is e^-1000.
  TaskForTests task({std::vector<float>(1000, 1.0f)}, {1}, 1e-6);
  EXPECT_FALSE(Solver(task.task).Solve());
  DoubleScratch scratch;
  task.task.list_limit = 1e-9f;
  SolveInDouble(task.task, scratch);
  EXPECT_EQ(task.task.num_listed, 1000u);
  for (const float x : task.Statistic()) ASSERT_NEAR(x, 1e-3, 1e-9);
}

TEST(DocumentSolverTest, NotANumberIsNeverTrustedAndEndsTheLoop) {
  for (const size_t most_active : {0, 4}) {
    TaskForTests task({{1, 0.5f, std::nanf(""), 0}, {1, 1, 1, 1}}, {1, 1}, 0.1);
    task.task.most_active = most_active;
    task.task.max_iterations = 1 << 30;
    EXPECT_FALSE(Solver(task.task).Solve());
  }
}

TEST(DocumentSolverTest, PaddingStaysOutOfEverything) {
  const Rows rows = RandomRows(10, 17, /*spread=*/8);
  TaskForTests task(rows, Counts(10), 0.1);
  ASSERT_TRUE(Solver(task.task).Solve());
  EXPECT_THAT(std::vector<float>(task.task.gamma + 17, task.task.gamma + 32), Each(0.1f));
  for (const uint32_t topic : task.Topics()) EXPECT_LT(topic, 17u);
}

}  // namespace document_solver_test
}  // namespace topicwall::lda
