// Dirichlet priors: α of topics in documents, η of terms in topics.
//
//   EStepOptions{.document_topic_prior = 0.02, …};                    // the same for all topics
//   EStepOptions{.document_topic_prior = DocumentTopicPrior({.3, .1, .05}), …};   // asymmetric
//
// Both in [kMinPrior, kMaxPrior]: wide enough for any use, narrow enough that digamma of the prior
// stays far from overflow in double. PUBLIC. Threads: immutable after construction.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_DIRICHLET_PRIOR_H_
#define TOPICWALL_MODEL_LDA_TOPICS_DIRICHLET_PRIOR_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::lda {

inline constexpr double kMinPrior = 1e-6;
inline constexpr double kMaxPrior = 1e6;

// INVALID_ARGUMENT naming `name` and `value` unless kMinPrior <= value <= kMaxPrior.
absl::Status CheckPrior(absl::string_view name, double value);

// α, in words: what a document is taken to hold of each topic before it is read. One number for all
// topics or one for each; any numbers, until Check.
class DocumentTopicPrior {
 public:
  DocumentTopicPrior(double alpha) : values_{alpha} {}  // NOLINT: a number is a symmetric prior
  explicit DocumentTopicPrior(absl::Span<const double> alphas)
      : values_(alphas.begin(), alphas.end()) {}

  // INVALID_ARGUMENT unless there is one number or num_topics of them.
  absl::Status CheckCount(int num_topics) const;
  // The same, and unless all are within the range.
  absl::Status Check(int num_topics) const;

  // Of a prior that Check has passed for more than `topic` topics.
  double of(size_t topic) const { return values_.size() == 1 ? values_[0] : values_[topic]; }
  // 1 or K.
  absl::Span<const double> values() const { return values_; }

 private:
  std::vector<double> values_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_DIRICHLET_PRIOR_H_
