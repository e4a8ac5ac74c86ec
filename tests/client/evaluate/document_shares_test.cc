#include "client/evaluate/document_shares.h"

#include <gmock/gmock.h>

#include <vector>

#include "base/threads/for_each_block.h"
#include "client/fit/model_file.h"
#include "model/lda/reading/topic_proportions.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace document_shares_test {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::topicwall::testing::StatusIs;

// φ_0 = (½, ¼, ¼), φ_1 = (⅛, ⅜, ½).
v1::ModelFile Topics() {
  v1::ModelFile file;
  file.set_num_topics(2);
  file.set_vocabulary_size(3);
  file.set_topic_parameters(proto::FloatsToLittleEndian({4, 2, 2, 1, 3, 4}));
  file.set_topic_word_prior(0.1);
  file.add_document_topic_prior(0.5);
  return file;
}
v1::ModelFile Mixture() {
  v1::ModelFile file = Topics();
  file.add_component_weights(3);
  file.add_component_weights(1);
  return file;
}

lda::DocumentList Documents() {
  lda::DocumentList documents;
  documents.Append(std::vector<lda::TermCount>{{.term = 0, .count = 1}, {.term = 2, .count = 2}});
  documents.Append(std::vector<lda::TermCount>{});
  documents.Append(std::vector<lda::TermCount>{{.term = 2, .count = 4}});
  return documents;
}

// ¾·½·¼² against ¼·⅛·½²; π; ¾·¼⁴ against ¼·½⁴.
TEST(DocumentSharesTest, OfAMixtureAreHowLikelyEachComponentIs) {
  ASSERT_OK_AND_ASSIGN(const auto shares, SharesOfDocuments(Mixture(), Documents()));
  EXPECT_THAT(shares, Pointwise(DoubleNear(1e-6), {.75, .25, .75, .25, 3.0 / 19, 16.0 / 19}));
  ASSERT_OK_AND_ASSIGN(const auto assigned, AssignDocuments(Mixture(), Documents()));
  ASSERT_EQ(assigned.size(), 3u);
  EXPECT_EQ(assigned[0].component, 0u);
  EXPECT_EQ(assigned[2].component, 1u);
  EXPECT_NEAR(assigned[2].probability, 16.0 / 19, 1e-6);
}

TEST(DocumentSharesTest, OfTopicsAreTheirProportionsAndNoneIsAssigned) {
  ASSERT_OK_AND_ASSIGN(const auto shares, SharesOfDocuments(Topics(), Documents()));
  EXPECT_EQ(shares, *lda::TopicProportions(*ModelOf(Topics()), Documents(),
                                           {.num_threads = lda::NumProcessors()}));
  EXPECT_THAT(AssignDocuments(Topics(), Documents()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("transform")));
}

TEST(DocumentSharesTest, DocumentsOfOtherWordsAreRefused) {
  lda::DocumentList documents = Documents();
  documents.Append(std::vector<lda::TermCount>{{.term = 3, .count = 1}});
  EXPECT_THAT(SharesOfDocuments(Mixture(), documents),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("number 4")));
  EXPECT_THAT(AssignDocuments(Mixture(), documents),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("number 4")));
}

}  // namespace document_shares_test
}  // namespace topicwall::client
