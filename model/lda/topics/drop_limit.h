// Which topics a document may drop, from α: the g of dropped_topics.h.
//
//   const DropRule rule = MakeDropRule(priors, list_limit);
//
// With m = d/4, the most that a dropped topic may come to hold, g is the larger of
//  · the largest γ at which exp(ψ(γ)) times the ratio sum of a usual document is at most m, and
//  · the largest α_k + d with exp(ψ(α_k + d)) < m: where a topic that nobody needs keeps more than
//    m, trying is wasted.
// It gives way to an α_k within d above it, so that each α_k is above g or at most g − d.
//
// PUBLIC. Pure. Cost: K·log K and as many exponentials.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_DROP_LIMIT_H_
#define TOPICWALL_MODEL_LDA_TOPICS_DROP_LIMIT_H_

#include "absl/types/span.h"

namespace topicwall::lda {

struct DropRule {
  float limit;    // g
  float weight;   // exp(ψ(g))
  bool may_drop;  // whether any topic can be dropped
};

// `priors`: α of each topic, above 0; at least one. `list_limit`: d, in words.
DropRule MakeDropRule(absl::Span<const float> priors, float list_limit);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_DROP_LIMIT_H_
