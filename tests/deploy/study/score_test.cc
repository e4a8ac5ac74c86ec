#include "deploy/study/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace score_test {

lda::TopicModel Model() {
  std::mt19937_64 engine(3);
  std::vector<float> lambda;
  for (int i = 0; i < 5 * 40; ++i) lambda.push_back(0.1F + static_cast<float>(engine() % 50));
  return *lda::TopicModel::Create({.num_topics = 5,
                                   .vocabulary_size = 40,
                                   .document_topic_prior = 0.2,
                                   .topic_term_prior = 0.1,
                                   .topic_parameters = lambda});
}

lda::TokenSplit Split() {
  std::mt19937_64 engine(8);
  lda::DocumentList documents;
  for (int d = 0; d < 60; ++d) {
    std::vector<lda::TermCount> document;
    for (uint32_t v = d % 3; v < 40; v += 1 + static_cast<uint32_t>(engine() % 9)) {
      document.push_back({.term = v, .count = 1 + static_cast<uint32_t>(engine() % 3)});
    }
    documents.Append(document);
  }
  documents.Append({});
  return lda::SplitTokens(documents, 1);
}

TEST(ScoreTest, IsTheDocumentCompletionOfTheLibrary) {
  ASSERT_OK_AND_ASSIGN(
      const auto expected,
      lda::DocumentCompletionPerplexity(Model(), Split(),
                                        {.max_iterations = 100, .mean_change_threshold = 1e-3}));
  ASSERT_OK_AND_ASSIGN(const auto scores, ScoreModel(Model(), Split(), 2));
  EXPECT_NEAR(scores.perplexity / expected.perplexity, 1, 1e-5);
  EXPECT_NE(scores.document_perplexity, scores.perplexity);
}

TEST(ScoreTest, OfAUnigramIsThatOfTheLibraryAndByDocumentTheMeanOfMeans) {
  std::vector<double> p(40, 0.5 / 39);
  p[0] = 0.5;
  ASSERT_OK_AND_ASSIGN(const auto expected, lda::UnigramPerplexity(p, Split().scored));
  EXPECT_NEAR(ScoreUnigram(p, Split().scored).perplexity / expected.perplexity, 1, 1e-12);

  // One word of probability 1/2; three words of probability 1/78.
  lda::DocumentList two;
  two.Append({{.term = 0, .count = 1}});
  two.Append({{.term = 1, .count = 3}});
  const Scores scores = ScoreUnigram(p, two);
  EXPECT_NEAR(scores.perplexity, std::pow(2 * 78.0 * 78 * 78, 0.25), 1e-9);
  EXPECT_NEAR(scores.document_perplexity, std::sqrt(2 * 78.0), 1e-9);
}

TEST(ScoreTest, TheGapIsMeasuredInLogarithms) {
  EXPECT_NEAR(GapClosed(1000, 1000, 250), 0, 1e-12);
  EXPECT_NEAR(GapClosed(500, 1000, 250), 0.5, 1e-12);
  EXPECT_NEAR(GapClosed(250, 1000, 250), 1, 1e-12);
  EXPECT_LT(GapClosed(1100, 1000, 250), 0);
}

}  // namespace score_test
}  // namespace topicwall::study
