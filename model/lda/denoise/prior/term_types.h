// Which ratios the entries of a term have to what the unigram says of them: a mixture of mixtures,
// found from the entries themselves. The prior of noise_denoiser.h.
//
// A term has a hidden type s with probability shares[s], for instance "everywhere alike" or "in few
// topics and hardly in the others"; given its type, its entries in the K topics are independent and
// have the j-th ratio with probability weights[s·J + j]. So a term that is seen clearly in some
// topics says something about the entries of it that are lost in noise. With one type this is a
// plain mixture.
//
// Fitted by EM (Dempster, Laird, Rubin 1977) to how likely each ratio made each entry, with one
// pseudo-entry for each ratio of a type and one pseudo-term for each type, so that nothing becomes
// impossible. The start is fixed: type 0 close to ratio 1, the last one flat.
// PUBLIC. Pure functions; bits: the same on every processor.
// Cost of an EM iteration: about 2·S·J operations and a logarithm for each type, an entry.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_TYPES_H_
#define TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_TYPES_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace topicwall::lda {

// likelihoods[(term·K + topic)·J + j], up to a factor for each entry; the largest of an entry is 1.
struct EntryLikelihoods {
  size_t num_topics;  // K
  size_t num_ratios;  // J
  std::vector<float> values;
};

class TermTypes {
 public:
  // log_ratios: ln R_j, J of them. num_types S >= 1, iterations >= 0.
  static TermTypes Fit(const EntryLikelihoods& likelihoods, absl::Span<const double> log_ratios,
                       int num_types, int iterations);

  size_t num_types() const { return shares_.size(); }
  absl::Span<const double> weights(size_t type) const {
    return absl::MakeConstSpan(weights_).subspan(type * num_ratios_, num_ratios_);
  }
  double share(size_t type) const { return shares_[type]; }

  // How probable each type is for a term, from the likelihoods of its K entries (K×J). Replaces
  // *posterior by S numbers with a sum of 1.
  void Posterior(absl::Span<const float> likelihoods, std::vector<double>* posterior) const;

  // P(ratio | the entry, its term) of one of those entries, from its J likelihoods: replaces
  // `belief` by J numbers with a sum of 1.
  void Believe(absl::Span<const double> posterior, const float* likelihoods,
               absl::Span<double> belief) const;

 private:
  TermTypes(absl::Span<const double> log_ratios, int num_types);

  size_t num_ratios_;
  std::vector<double> shares_;   // S
  std::vector<double> weights_;  // S×J
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_TYPES_H_
