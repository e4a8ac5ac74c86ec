#include "model/mixture/mixture_perplexity.h"

#include <gmock/gmock.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::mixture {
namespace {

using ::topicwall::testing::StatusIs;

// φ_0 = (½, ¼, ¼), φ_1 = (1/8, 1/8, ¾).
lda::TopicModel Topics() {
  return *lda::TopicModel::Create({.num_topics = 2,
                                   .vocabulary_size = 3,
                                   .document_topic_prior = 0.5,
                                   .topic_term_prior = 0.5,
                                   .topic_parameters = {4, 2, 2, 1, 1, 6}});
}

FittedMixture Fitted() { return *FittedMixture::Create(Topics(), std::vector<double>{3, 1}); }

lda::DocumentList One(const std::vector<lda::TermCount>& document) {
  lda::DocumentList documents;
  documents.Append(document);
  return documents;
}

// p({0, 2}) = ¾·½·¼ + ¼·⅛·¾ = 15/128.
TEST(MixturePerplexityTest, OfWholeDocumentsIsTheExactLikelihood) {
  lda::DocumentList documents = One({{0, 1}, {2, 1}});
  documents.Append({});
  ASSERT_OK_AND_ASSIGN(const auto found, Fitted().Perplexity(documents));
  EXPECT_NEAR(found.perplexity, std::sqrt(128. / 15), 1e-12);
  EXPECT_EQ(found.tokens, 2);
}

// After {2, 2}: r ∝ ¾/16 and ¼·9/16, so (¼, ¾). Then p(0) = ¼·½ + ¾·⅛ = 7/32, and with nothing
// seen ¾·½ + ¼·⅛ = 13/32.
TEST(MixturePerplexityTest, CompletionScoresUnderWhatTheOtherHalfTells) {
  const lda::TokenSplit split = {.observed = One({{2, 2}}), .scored = One({{0, 3}})};
  EXPECT_NEAR(Fitted().Completion(split)->perplexity, 32. / 7, 1e-12);
  const lda::TokenSplit unseen = {.observed = One({}), .scored = One({{0, 1}})};
  EXPECT_NEAR(Fitted().Completion(unseen)->perplexity, 32. / 13, 1e-12);
}

TEST(MixturePerplexityTest, AWordThatNoComponentHasMakesNoDocumentImpossible) {
  ASSERT_OK_AND_ASSIGN(const auto topics,
                       lda::TopicModel::Create({.num_topics = 2,
                                                .vocabulary_size = 2,
                                                .document_topic_prior = 0.5,
                                                .topic_term_prior = 0.5,
                                                .topic_parameters = {4, 1e-30F, 1, 1e-30F}}));
  ASSERT_OK_AND_ASSIGN(const auto fitted, FittedMixture::Create(topics, std::vector<double>{3, 1}));
  const double most = 1 / lda::kProbabilityFloor;
  EXPECT_NEAR(fitted.Perplexity(One({{1, 1}}))->perplexity / most, 1, 1e-9);
  const lda::TokenSplit split = {.observed = One({{0, 1}}), .scored = One({{1, 1}})};
  EXPECT_NEAR(fitted.Completion(split)->perplexity / most, 1, 1e-9);
}

TEST(MixturePerplexityTest, ADocumentIsAssignedToItsMostProbableComponent) {
  const Assignment found = Fitted().Assign(std::vector<lda::TermCount>{{2, 2}});
  EXPECT_EQ(found.component, 1u);
  EXPECT_NEAR(found.probability, 0.75, 1e-12);
  EXPECT_EQ(Fitted().Assign({}).component, 0u) << "the commoner one";
  EXPECT_NEAR(Fitted().Assign(std::vector<lda::TermCount>{{0, 100000}}).probability, 1, 1e-12)
      << "nothing underflows";
}

TEST(MixturePerplexityTest, WhatCannotBeScoredIsRefused) {
  for (const std::vector<double>& weights :
       std::vector<std::vector<double>>{{}, {1}, {1, 0}, {1, -1}, {1, NAN}}) {
    EXPECT_THAT(FittedMixture::Create(Topics(), weights),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(Fitted().Perplexity(One({})), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(Fitted().Perplexity(One({{3, 1}})), StatusIs(absl::StatusCode::kInvalidArgument));
  lda::TokenSplit uneven = {.observed = One({{0, 1}}), .scored = One({{0, 1}})};
  uneven.scored.Append({});
  EXPECT_THAT(Fitted().Completion(uneven), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::mixture
