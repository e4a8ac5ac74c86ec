// How much two related terms have in common: where one of them stands out in a topic, does the
// other?
//
//   CouplingSamples samples(num_ratios);
//   samples.Add(kind, belief_of_one, belief_of_the_other);        // of one topic
//   const TermCouplings couplings = TermCouplings::Fit(samples, 8);
//   couplings.Multiply(kind, belief_of_the_other, &message);      // for each relation of the one
//
// A belief are the J probabilities of the ratios of an entry (term_types.h) by that entry and its
// term alone. For each kind of relation there is a matrix R, J×J, symmetric: how many times more
// often the ratios j and h come together than they would of terms that have nothing to do with one
// another. What the second entry says of the first is then Σ_h R_jh·belief_h for each j, a factor
// of the first one's belief. Entries of one topic, independent given the ratios: with several
// relations the factors multiply.
//
// R is found by EM from the beliefs themselves, beginning with related terms being somewhat alike.
// Terms that only look related are found to have R = 1, and then nothing changes.
// PUBLIC. Pure; bits: the same on every processor. Cost: J² operations a relation of an entry, and
// of a sample each iteration.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_COUPLINGS_H_
#define TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_COUPLINGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "model/lda/denoise/prior/related_terms.h"

namespace topicwall::lda {

class CouplingSamples {
 public:
  // num_ratios: J.
  explicit CouplingSamples(std::size_t num_ratios) : num_ratios_(num_ratios) {}

  // The beliefs of two related entries, J numbers each, with a sum of about 1.
  void Add(uint32_t kind, absl::Span<const double> one, absl::Span<const double> other);

  std::size_t num_ratios() const { return num_ratios_; }
  // One behind the other, 2J numbers a sample.
  const std::vector<float>& of(std::size_t kind) const { return beliefs_[kind]; }

 private:
  std::size_t num_ratios_;
  std::array<std::vector<float>, kKindsOfRelation> beliefs_;
};

class TermCouplings {
 public:
  static TermCouplings Fit(const CouplingSamples& samples, int iterations);

  // R_jh of a kind: J×J.
  absl::Span<const double> of(std::size_t kind) const { return couplings_[kind]; }

  // message_j ← message_j·Σ_h R_jh·belief_h, divided by the largest. Both J numbers, at most
  // kMostRatios.
  void Multiply(uint32_t kind, absl::Span<const double> belief, absl::Span<double> message) const;

 private:
  TermCouplings() = default;

  std::array<std::vector<double>, kKindsOfRelation> couplings_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_COUPLINGS_H_
