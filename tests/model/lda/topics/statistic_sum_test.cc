#include "model/lda/topics/statistic_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "model/lda/topics/log_topics.h"
#include "tests/model/lda/synthetic_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace statistic_sum_test {

using ::testing::Each;
using ::topicwall::lda::testing::SyntheticCorpus;

constexpr int kTopics = 7;
constexpr int kTerms = 150;

EStep SomeEStep() {
  return *EStep::Create(
      *LogTopics::Create(kTopics, kTerms, SyntheticCorpus(1).LogTopicValues(kTopics, kTerms, 5)),
      {.document_topic_prior = 0.1, .max_iterations = 100, .mean_change_threshold = 1e-3});
}

// More than is inferred at once and than a fold, and no multiple of what a thread takes at a time.
DocumentList ManyDocuments() {
  return SyntheticCorpus(2).Documents(StatisticSum::kDocumentsPerFold + 1100, 6, kTerms);
}

std::vector<DocumentView> ViewsOf(const DocumentList& documents) {
  std::vector<DocumentView> views;
  for (size_t i = 0; i < documents.size(); ++i) views.push_back(documents[i]);
  return views;
}

TEST(StatisticSumTest, AddsUpWhatTheEStepGivesForEachDocument) {
  const EStep e_step = SomeEStep();
  const DocumentList documents = ManyDocuments();
  std::vector<double> folded(size_t{kTopics} * kTerms, 0.0);
  std::vector<float> rest(folded.size(), 0.0f);
  EStep::Workspace workspace;
  for (size_t i = 0; i < documents.size(); ++i) {
    e_step.Infer(documents[i], workspace);
    for (size_t j = 0; j < workspace.num_rows(); ++j) {
      for (size_t a = 0; a < workspace.topics().size(); ++a) {
        rest[workspace.topics()[a] * kTerms + documents[i][j].term] += workspace.row(j)[a];
      }
    }
    if (i + 1 != StatisticSum::kDocumentsPerFold) continue;
    folded.assign(rest.begin(), rest.end());
    rest.assign(rest.size(), 0.0f);
  }
  StatisticSum sum(kTopics, kTerms);
  sum.Add(e_step, ViewsOf(documents), 1);
  const std::vector<float> scaled = sum.Scaled(2.5, 1);
  ASSERT_EQ(scaled.size(), folded.size());
  double total = 0;
  for (size_t i = 0; i < folded.size(); ++i) {
    ASSERT_EQ(scaled[i], static_cast<float>(2.5 * (folded[i] + double{rest[i]}))) << i;
    total += double{scaled[i]};
  }
  // Expected counts add up to the tokens.
  const auto tokens = static_cast<double>(TokenCount(documents));
  EXPECT_NEAR(total / 2.5, tokens, 1e-5 * tokens);
}

TEST(StatisticSumTest, NeitherThreadsNorCutsChangeBits) {
  const EStep e_step = SomeEStep();
  const DocumentList documents = ManyDocuments();
  const std::vector<DocumentView> views = ViewsOf(documents);
  StatisticSum whole(kTopics, kTerms);
  whole.Add(e_step, views, 1);
  const std::vector<float> expected = whole.Scaled(1, 1);
  for (const int threads : {1, 2, 5}) {
    for (const size_t cut :
         {size_t{1}, StatisticSum::kDocumentsAtOnce + 77, StatisticSum::kDocumentsPerFold}) {
      StatisticSum parts(kTopics, kTerms);
      parts.Add(e_step, absl::MakeConstSpan(views).subspan(0, cut), threads);
      parts.Add(e_step, absl::MakeConstSpan(views).subspan(cut), threads);
      EXPECT_EQ(parts.Scaled(1, threads), expected) << threads << " threads, cut at " << cut;
    }
  }
}

TEST(StatisticSumTest, DocumentsThatAreNoneAddNothing) {
  const EStep e_step = SomeEStep();
  DocumentList documents;
  documents.Append({});
  documents.Append({{3, 1}, {3, 1}});         // a term twice
  documents.Append({{uint32_t{kTerms}, 1}});  // beyond the vocabulary
  StatisticSum sum(kTopics, kTerms);
  sum.Add(e_step, ViewsOf(documents), 2);
  sum.Add(e_step, {}, 2);
  EXPECT_THAT(sum.Scaled(1, 2), Each(0.0f));
}

TEST(StatisticSumTest, ResetBeginsAnew) {
  const EStep e_step = SomeEStep();
  const DocumentList documents = SyntheticCorpus(3).Documents(20, 30, kTerms);
  StatisticSum sum(kTopics, kTerms);
  sum.Add(e_step, ViewsOf(documents), 1);
  const std::vector<float> once = sum.Scaled(1, 1);
  sum.Reset();
  EXPECT_THAT(sum.Scaled(1, 1), Each(0.0f));
  sum.Add(e_step, ViewsOf(documents), 1);
  EXPECT_EQ(sum.Scaled(1, 1), once);
}

}  // namespace statistic_sum_test
}  // namespace topicwall::lda
