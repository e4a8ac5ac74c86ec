// What EStep::Create does on several threads.
#include <gtest/gtest.h>

#include <cstdint>

#include "model/lda/topics/e_step.h"
#include "tests/model/lda/synthetic_corpus.h"

namespace topicwall::lda {
namespace {

using ::topicwall::lda::testing::SyntheticCorpus;

TEST(EStepThreadsTest, ThreadsThatBuildTheTableChangeNoBits) {
  constexpr int kTopics = 21, kTerms = 1001;  // no multiple of what a thread takes at a time
  const auto topics =
      LogTopics::Create(kTopics, kTerms, SyntheticCorpus(1).LogTopicValues(kTopics, kTerms, 6));
  const EStepOptions options = {
      .document_topic_prior = 0.1, .max_iterations = 100, .mean_change_threshold = 1e-3};
  const auto one = EStep::Create(*topics, options, ChosenKernel(), 1);
  const DocumentList documents = SyntheticCorpus(2).Documents(20, 30, kTerms);
  for (const int threads : {-1, 2, 5}) {
    const auto other = EStep::Create(*topics, options, ChosenKernel(), threads);
    for (uint32_t term = 0; term < uint32_t{kTerms}; ++term) {
      ASSERT_EQ(other->weights(term), one->weights(term));
      ASSERT_EQ(other->largest_log_weight(term), one->largest_log_weight(term));
    }
    EStep::Workspace here, there;
    for (size_t i = 0; i < documents.size(); ++i) {
      one->Infer(documents[i], here);
      other->Infer(documents[i], there);
      ASSERT_EQ(here.gamma(), there.gamma());
      ASSERT_EQ(here.iterations(), there.iterations());
    }
  }
}

}  // namespace
}  // namespace topicwall::lda
