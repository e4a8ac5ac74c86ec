#include "model/lda/topics/learned_prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "model/lda/topics/held_out_perplexity.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace learned_prior_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr uint32_t kBlock = 10;  // terms that are a topic's own
constexpr int kTokens = 300;

// Topic k has terms 10k … 10k + 9 and next to nothing of the others.
TopicModel OwnTerms(int num_topics, DocumentTopicPrior prior) {
  const size_t terms = kBlock * static_cast<size_t>(num_topics);
  std::vector<float> parameters;
  for (size_t i = 0; i < terms * static_cast<size_t>(num_topics); ++i) {
    parameters.push_back(i % terms / kBlock == i / terms ? 100.0F : 1e-4F);
  }
  return *TopicModel::Create({.num_topics = num_topics,
                              .vocabulary_size = static_cast<int>(terms),
                              .document_topic_prior = std::move(prior),
                              .topic_term_prior = 0.1,
                              .topic_parameters = std::move(parameters)});
}

// Documents of the generative model, drawn with std's own distributions.
DocumentList Drawn(const std::vector<double>& alphas, int documents, uint64_t seed) {
  std::mt19937_64 engine(seed);
  DocumentList list;
  for (int d = 0; d < documents; ++d) {
    std::vector<double> theta;
    for (const double alpha : alphas) {
      theta.push_back(std::gamma_distribution<double>(alpha)(engine));
    }
    std::discrete_distribution<uint32_t> topic(theta.begin(), theta.end());
    std::vector<uint32_t> counts(kBlock * alphas.size());
    for (int i = 0; i < kTokens; ++i) ++counts[kBlock * topic(engine) + engine() % kBlock];
    std::vector<TermCount> document;
    for (uint32_t term = 0; term < counts.size(); ++term) {
      if (counts[term] > 0) document.push_back({.term = term, .count = counts[term]});
    }
    list.Append(document);
  }
  return list;
}

TEST(LearnedPriorTest, FindsThePriorThatDocumentsWereDrawnWith) {
  const std::vector<double> truth = {2, 0.5, 1, 0.2};
  ASSERT_OK_AND_ASSIGN(const auto learned,
                       LearnDocumentTopicPrior(OwnTerms(4, 0.25), Drawn(truth, 2000, 1), {}));
  ASSERT_EQ(learned.prior.values().size(), 4u);
  for (size_t k = 0; k < truth.size(); ++k) {
    EXPECT_NEAR(learned.prior.of(k) / truth[k], 1, 0.15) << k;
  }
}

TEST(LearnedPriorTest, GoesOnFromThereToTheSamePoint) {
  const DocumentList documents = Drawn({1, 0.3, 0.3}, 500, 2);
  ASSERT_OK_AND_ASSIGN(const auto first,
                       LearnDocumentTopicPrior(OwnTerms(3, 1), documents, {.max_rounds = 1000}));
  EXPECT_LT(first.rounds, 1000);
  ASSERT_OK_AND_ASSIGN(const auto again,
                       LearnDocumentTopicPrior(OwnTerms(3, first.prior), documents, {}));
  EXPECT_EQ(again.rounds, 1);
}

TEST(LearnedPriorTest, ATopicThatNoDocumentHasKeepsAHundredthOfAnEvenShare) {
  DocumentList documents;
  for (int d = 0; d < 50; ++d) documents.Append({{3, 20}, {12, 30}});  // topics 0 and 1 of three
  ASSERT_OK_AND_ASSIGN(const auto learned,
                       LearnDocumentTopicPrior(OwnTerms(3, 0.3), documents, {}));
  double sum = 0;
  for (const double alpha : learned.prior.values()) sum += alpha;
  EXPECT_NEAR(learned.prior.of(2), 0.01 * sum / 3, 0.001 * sum / 3);
  EXPECT_OK(learned.prior.Check(3));
}

TEST(LearnedPriorTest, NeverCompletesTheDocumentsItLearnedFromWorse) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    for (const double alpha : {0.01, 0.1, 1.0}) {
      const DocumentList documents = Drawn({0.05, 0.05, 3}, 40, seed);
      const TopicModel model = OwnTerms(3, alpha);
      ASSERT_OK_AND_ASSIGN(const auto learned, LearnDocumentTopicPrior(model, documents, {}));
      ASSERT_OK_AND_ASSIGN(const auto changed,
                           TopicModel(model).WithDocumentTopicPrior(learned.prior));
      const TokenSplit split = SplitTokens(documents, 1);
      const HeldOutOptions options = {.max_iterations = 100, .mean_change_threshold = 1e-3};
      ASSERT_OK_AND_ASSIGN(const auto before, DocumentCompletionPerplexity(model, split, options));
      ASSERT_OK_AND_ASSIGN(const auto after, DocumentCompletionPerplexity(changed, split, options));
      EXPECT_LE(after.perplexity, before.perplexity) << seed << " " << alpha;
    }
  }
}

// Three short documents: what is found for them completes their halves worse. The model has one
// number for both topics to begin with.
TEST(LearnedPriorTest, APriorThatIsKeptHasANumberForEachTopicAndSaysSo) {
  ASSERT_OK_AND_ASSIGN(const auto model,
                       TopicModel::Create({.num_topics = 2,
                                           .vocabulary_size = 3,
                                           .document_topic_prior = 0.5,
                                           .topic_term_prior = 0.5,
                                           .topic_parameters = {80, 19, 1, 2, 18, 180}}));
  DocumentList documents;
  documents.Append({{1, 3}});
  documents.Append({{2, 2}});
  documents.Append({{0, 1}, {2, 1}});
  ASSERT_OK_AND_ASSIGN(const auto kept, LearnDocumentTopicPrior(model, documents, {}));
  EXPECT_TRUE(kept.is_kept);
  EXPECT_THAT(kept.prior.values(), ::testing::ElementsAre(0.5, 0.5));
  ASSERT_OK_AND_ASSIGN(const auto found,
                       LearnDocumentTopicPrior(OwnTerms(3, 1), Drawn({1, 0.3, 0.3}, 100, 2), {}));
  EXPECT_FALSE(found.is_kept);
}

TEST(LearnedPriorTest, ThreadsChangeNoBits) {
  const DocumentList documents = Drawn({1, 0.3, 0.3}, 600, 3);
  ASSERT_OK_AND_ASSIGN(const auto one,
                       LearnDocumentTopicPrior(OwnTerms(3, 1), documents, {.num_threads = 1}));
  ASSERT_OK_AND_ASSIGN(const auto four,
                       LearnDocumentTopicPrior(OwnTerms(3, 1), documents, {.num_threads = 4}));
  EXPECT_EQ(one.prior.values(), four.prior.values());
}

TEST(LearnedPriorTest, NothingToLearnFromIsAnError) {
  DocumentList documents;
  documents.Append({});
  EXPECT_THAT(LearnDocumentTopicPrior(OwnTerms(2, 1), documents, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("token")));
  documents.Append({{20, 1}});
  EXPECT_THAT(LearnDocumentTopicPrior(OwnTerms(2, 1), documents, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("document 2")));
}

}  // namespace learned_prior_test
}  // namespace topicwall::lda
