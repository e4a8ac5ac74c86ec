#include "model/lda/reading/topic_proportions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace topic_proportions_test {

using ::topicwall::testing::StatusIs;

TopicModel Model() {
  return *TopicModel::Create({.num_topics = 2,
                              .vocabulary_size = 3,
                              .document_topic_prior = DocumentTopicPrior(std::vector<double>{1, 3}),
                              .topic_term_prior = 0.1,
                              .topic_parameters = {1e6F, 1, 1, 1, 1, 1e6F}});
}

const HeldOutOptions kUntilStill = {.max_iterations = 100, .mean_change_threshold = 1e-6};

// Terms 0 and 2 are each of one topic but for a millionth: γ is α and their counts.
TEST(TopicProportionsTest, AreThePosteriorOfAnUnambiguousDocument) {
  DocumentList documents;
  documents.Append(std::vector<TermCount>{{.term = 0, .count = 5}, {.term = 2, .count = 1}});
  documents.Append({});
  ASSERT_OK_AND_ASSIGN(const auto proportions, TopicProportions(Model(), documents, kUntilStill));
  ASSERT_EQ(proportions.size(), 4U);
  EXPECT_NEAR(proportions[0], 6.0 / 10, 1e-4);
  EXPECT_NEAR(proportions[1], 4.0 / 10, 1e-4);
  // Nothing is known of the second: α/Σα.
  EXPECT_NEAR(proportions[2], 0.25, 1e-6);
}

TEST(TopicProportionsTest, ThreadsChangeNoBits) {
  DocumentList documents;
  for (uint32_t d = 0; d < 1000; ++d) {
    documents.Append(std::vector<TermCount>{{.term = d % 3, .count = d % 7 + 1}});
  }
  HeldOutOptions options = kUntilStill;
  const auto alone = TopicProportions(Model(), documents, options);
  options.num_threads = 3;
  const auto together = TopicProportions(Model(), documents, options);
  ASSERT_OK(alone);
  ASSERT_OK(together);
  EXPECT_EQ(*alone, *together);
}

TEST(TopicProportionsTest, RefusesATermThatTheModelHasNot) {
  DocumentList documents;
  documents.Append(std::vector<TermCount>{{.term = 3, .count = 1}});
  EXPECT_THAT(TopicProportions(Model(), documents, kUntilStill),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace topic_proportions_test
}  // namespace topicwall::lda
