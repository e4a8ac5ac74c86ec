#include "model/lda/topics/initial_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::topicwall::testing::StatusIs;

TEST(InitialTopicsTest, TheSameSeedGivesTheSameTopicsAndAnotherOthers) {
  const auto first = RandomTopics(5, 100, 1);
  ASSERT_OK(first);
  EXPECT_EQ(first->size(), 500u);
  EXPECT_EQ(*first, *RandomTopics(5, 100, 1));
  EXPECT_NE(*first, *RandomTopics(5, 100, 2));
}

TEST(InitialTopicsTest, EntriesAreGammaOfShapeOneHundred) {
  // The seed is fixed, so the test cannot flake. n = 10^5 draws of Gamma(100)/100 have standard
  // errors of 0.1/√n = 3.2e-4 for the mean, 0.1·√((2 + 0.06)/4n) = 2.3e-4 for the deviation and
  // about √(6/n) = 0.0077 for the skewness (0.2); tolerances are six of these. A normal instead of
  // a gamma (skewness 0), or shape 99 or 101 by its mean, is caught.
  const auto topics = RandomTopics(10, 10000, 7);
  double sum = 0, squares = 0, cubes = 0;
  for (const float entry : *topics) {
    ASSERT_GT(entry, 0);
    sum += entry;
  }
  const double n = 1e5, mean = sum / n;
  for (const float entry : *topics) {
    const double centred = entry - mean;
    squares += centred * centred;
    cubes += centred * centred * centred;
  }
  const double deviation = std::sqrt(squares / n);
  EXPECT_NEAR(mean, 1, 6 * 3.2e-4);
  EXPECT_NEAR(deviation, 0.1, 6 * 2.3e-4);
  EXPECT_NEAR(cubes / n / std::pow(deviation, 3), 0.2, 6 * 0.0077);
}

// 40 documents of one term each, the i-th of i + 1 tokens of term i.
DocumentList OneTermDocuments() {
  DocumentList documents;
  for (uint32_t i = 0; i < 40; ++i) documents.Append({{.term = i, .count = i + 1}});
  return documents;
}

// Catches a document used twice, counts that are lost, and the shorter ones being taken: of 10
// times four documents the longest were all below 20 tokens with probability < 1e-4 (the seed is
// fixed).
TEST(InitialTopicsTest, EachTopicHasTheCountsOfALongDocumentOfItsOwn) {
  const std::vector<float> topics = *TopicsFromDocuments(OneTermDocuments(), 10, 50, 3);
  const std::vector<float> random = *RandomTopics(10, 50, 3);
  std::set<size_t> used;
  size_t tokens = 0;
  for (size_t k = 0; k < 10; ++k) {
    std::vector<size_t> changed;
    for (size_t v = 0; v < 50; ++v) {
      if (topics[k * 50 + v] != random[k * 50 + v]) changed.push_back(v);
    }
    ASSERT_EQ(changed.size(), 1) << "topic " << k;
    const size_t term = changed[0];
    EXPECT_FLOAT_EQ(topics[k * 50 + term] - random[k * 50 + term], static_cast<float>(term + 1));
    EXPECT_TRUE(used.insert(term).second) << "document " << term << " twice";
    tokens += term + 1;
  }
  EXPECT_GT(tokens, 10 * 25) << "the mean of the longest of four is 32.8, of any 20.5";
}

TEST(InitialTopicsTest, FewerDocumentsThanTopicsLeaveTheLastTopicsRandom) {
  DocumentList documents;
  documents.Append({{.term = 1, .count = 5}});
  documents.Append({{.term = 2, .count = 5}});
  const std::vector<float> topics = *TopicsFromDocuments(documents, 3, 4, 1);
  const std::vector<float> random = *RandomTopics(3, 4, 1);
  EXPECT_NE(std::vector<float>(topics.begin(), topics.begin() + 4),
            std::vector<float>(random.begin(), random.begin() + 4));
  EXPECT_EQ(std::vector<float>(topics.begin() + 8, topics.end()),
            std::vector<float>(random.begin() + 8, random.end()));
  EXPECT_EQ(*TopicsFromDocuments({}, 3, 4, 1), random);
}

TEST(InitialTopicsTest, RefusesTermsOutsideTheVocabulary) {
  EXPECT_THAT(TopicsFromDocuments(OneTermDocuments(), 3, 39, 1),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(InitialTopicsTest, RefusesABadShape) {
  EXPECT_THAT(RandomTopics(0, 5, 1), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RandomTopics(5, -1, 1), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RandomTopics(5, 5, 1, 0.5), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RandomTopics(5, 5, 1, std::nan("")), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::lda
