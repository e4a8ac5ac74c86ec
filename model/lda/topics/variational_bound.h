// What one document adds to the variational bound on log p(documents), in nats (the formula of the
// paper's section on experiments).
//
//   const DocumentBound bound_of(e_step);      // E-step on E[log β]
//   e_step.Infer(document, workspace);
//   total += bound_of(document, workspace.gamma());
//
// Threads: pure functions; calls from many. Cost: K exponentials and a few digammas and log-gammas
// a document (topics that are left at their prior have the latter from before), and 2·n·K
// operations for n distinct terms.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_VARIATIONAL_BOUND_H_
#define TOPICWALL_MODEL_LDA_TOPICS_VARIATIONAL_BOUND_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

class DocumentBound {
 public:
  // `e_step` must outlive it; α is the E-step's.
  explicit DocumentBound(const EStep& e_step);

  // E_q[log p(n, θ, z | λ)] − E_q[log q(θ, z)] at γ, with the q(z) that is best for it. A canonical
  // document over the E-step's vocabulary; γ > 0, K floats.
  double operator()(DocumentView document, absl::Span<const float> gamma) const;

 private:
  struct LogTheta;

  LogTheta ExpectedLogTheta(absl::Span<const float> gamma) const;
  double LogWordEvidence(const LogTheta& theta, uint32_t term) const;

  // Of one topic.
  struct Prior {
    double alpha;
    // γ where no word of a document is in the topic, and functions of it.
    float unused_gamma;
    double unused_digamma;
    double unused_log_gamma;
  };

  const EStep& e_step_;
  std::vector<Prior> priors_;
  double log_normaliser_;  // of the Dirichlet prior: log Γ(Σα) − Σ log Γ(α)
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_VARIATIONAL_BOUND_H_
