#include "client/fit/plain_fit.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr int kTerms = 40;

// Two topics of twenty terms each; a document has three quarters of the words of one of them.
// Sorted by topic, as files often are.
lda::DocumentList Sorted() {
  lda::DocumentList documents;
  for (uint32_t topic = 0; topic < 2; ++topic) {
    for (uint32_t d = 0; d < 1000; ++d) {
      std::vector<lda::TermCount> document;
      for (uint32_t i = 0; i < 20; ++i) {
        if ((7 * d + 3 * i) % 4 != 0) document.push_back({.term = 20 * topic + i, .count = 1});
      }
      documents.Append(document);
    }
  }
  return documents;
}

TEST(PlainFitTest, FindsPlantedTopicsThoughTheFileIsSorted) {
  const lda::DocumentList documents = Sorted();
  const auto model = FitPlainly({.documents = documents, .vocabulary_size = kTerms},
                                {.num_topics = 2, .passes = 2, .seed = 1});
  ASSERT_OK(model);
  for (int k = 0; k < 2; ++k) {
    const auto words = lda::TopTerms(model->model, k, 20);
    ASSERT_OK(words);
    const bool low = words->front().term < 20;
    for (const lda::TermProbability& word : *words) EXPECT_EQ(word.term < 20, low) << k;
  }
}

TEST(PlainFitTest, AnchorsDecideWhichTopicIsWhich) {
  const lda::DocumentList documents = Sorted();
  for (const uint32_t term : {5U, 25U}) {
    const auto fit = FitPlainly({.documents = documents, .vocabulary_size = kTerms},
                                {.num_topics = 2, .passes = 2, .seed = 1, .anchors = {{term}}});
    ASSERT_OK(fit);
    const auto words = lda::TopTerms(fit->model, 0, 20);
    ASSERT_OK(words);
    for (const lda::TermProbability& word : *words) EXPECT_EQ(word.term < 20, term < 20) << term;
  }
}

TEST(PlainFitTest, TheSeedDecidesEverything) {
  const lda::DocumentList documents = Sorted();
  const auto fit = [&documents](uint64_t seed) {
    return FitPlainly({.documents = documents, .vocabulary_size = kTerms},
                      {.num_topics = 3, .passes = 1, .seed = seed});
  };
  const auto first = fit(1);
  const auto again = fit(1);
  const auto other = fit(2);
  ASSERT_OK(first);
  ASSERT_OK(again);
  ASSERT_OK(other);
  EXPECT_EQ(first->model.topic_parameters(), again->model.topic_parameters());
  EXPECT_NE(first->model.topic_parameters(), other->model.topic_parameters());
}

TEST(PlainFitTest, TellsOfEveryPass) {
  const lda::DocumentList documents = Sorted();
  std::vector<int> passes;
  ASSERT_OK(FitPlainly({.documents = documents, .vocabulary_size = kTerms},
                       {.num_topics = 2, .passes = 3, .seed = 1, .on_progress = [&](int done) {
                          passes.push_back(done);
                        }}));
  EXPECT_THAT(passes, ElementsAre(1, 2, 3));
}

TEST(PlainFitTest, ThreadsChangeNoBitsAndTheLearnedPriorNoTopics) {
  const lda::DocumentList documents = Sorted();
  const auto fit = [&documents](int num_threads, bool learns_prior) {
    return FitPlainly({.documents = documents, .vocabulary_size = kTerms},
                      {.num_topics = 2,
                       .passes = 2,
                       .seed = 1,
                       .num_threads = num_threads,
                       .learns_prior = learns_prior});
  };
  const auto one = fit(1, true), three = fit(3, true), without = fit(1, false);
  ASSERT_OK(one);
  ASSERT_OK(three);
  ASSERT_OK(without);
  EXPECT_EQ(three->model.topic_parameters(), one->model.topic_parameters());
  EXPECT_EQ(three->model.document_topic_prior().values(),
            one->model.document_topic_prior().values());
  EXPECT_EQ(without->model.topic_parameters(), one->model.topic_parameters());
  EXPECT_EQ(without->model.document_topic_prior().of(1), 1);  // 2/K
}

TEST(PlainFitTest, NothingToFitIsAnError) {
  lda::DocumentList empty;
  empty.Append({});
  EXPECT_THAT(FitPlainly({.documents = empty, .vocabulary_size = 3},
                         {.num_topics = 2, .passes = 1, .seed = 1}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no document")));
  EXPECT_THAT(FitPlainly({.documents = Sorted(), .vocabulary_size = kTerms},
                         {.num_topics = 2, .passes = 0, .seed = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("passes")));
}

}  // namespace
}  // namespace topicwall::client
