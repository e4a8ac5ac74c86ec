// What the model of a plan says, whichever of PlanSpec's models it is.
//
//   ModelTerms model = ModelOf(plan);
//   StatisticShape release = ReleaseShapeOf(plan, vocabulary_size);
//
// An lda plan is answered with a matrix of the shape of the topics that were sent; a
// document_completion plan with two numbers (log-likelihood and words), whatever the topics.
// PUBLIC: a function of the plan. Pure functions, any thread.
#ifndef TOPICWALL_PROTO_PLAN_MODEL_H_
#define TOPICWALL_PROTO_PLAN_MODEL_H_

#include <cstdint>

#include "absl/types/span.h"
#include "proto/topicwall.pb.h"

namespace topicwall::proto {

// Of a document_completion release: 1×2, row = (A, n).
inline constexpr int64_t kCompletionEntries = 2;

// K and α (one number for all topics, or K) of the topics that are sent; 0 and none for a plan that
// names no model. Points into the plan.
struct ModelTerms {
  int32_t num_topics;
  absl::Span<const double> document_topic_prior;
};

inline ModelTerms ModelOf(const v1::PlanSpec& plan) {
  if (plan.has_document_completion()) {
    return {.num_topics = plan.document_completion().num_topics(),
            .document_topic_prior = plan.document_completion().document_topic_prior()};
  }
  return {.num_topics = plan.lda().num_topics(),
          .document_topic_prior = plan.lda().document_topic_prior()};
}

struct StatisticShape {
  int32_t rows;
  int64_t columns;
};

// Of the plan's releases, over a vocabulary of V terms.
inline StatisticShape ReleaseShapeOf(const v1::PlanSpec& plan, int64_t vocabulary_size) {
  if (plan.has_document_completion()) return {.rows = 1, .columns = kCompletionEntries};
  return {.rows = plan.lda().num_topics(), .columns = vocabulary_size};
}

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_PLAN_MODEL_H_
