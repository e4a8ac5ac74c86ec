// How much two related terms have in common: where one of them stands out in a topic, does the
// other?
//
//   CouplingSamples samples(num_ratios);                 // of one kind of relation
//   samples.Add(belief_of_one, belief_of_the_other);     // of one topic
//   const TermCoupling coupling = TermCoupling::Fit(samples, 8);
//   coupling.Multiply(belief_of_the_other, &message);    // for each relation of the one
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
#ifndef TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_COUPLING_H_
#define TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_COUPLING_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace topicwall::lda {

class CouplingSamples {
 public:
  // num_ratios: J.
  explicit CouplingSamples(std::size_t num_ratios) : num_ratios_(num_ratios) {}

  // The beliefs of two related entries, J numbers each, with a sum of about 1.
  void Add(absl::Span<const double> one, absl::Span<const double> other);

  std::size_t num_ratios() const { return num_ratios_; }
  // One behind the other, 2J numbers a sample.
  absl::Span<const float> beliefs() const { return beliefs_; }

 private:
  std::size_t num_ratios_;
  std::vector<float> beliefs_;
};

class TermCoupling {
 public:
  // Of no samples: R = 1.
  static TermCoupling Fit(const CouplingSamples& samples, int iterations);

  // J×J.
  absl::Span<const double> r() const { return r_; }

  // message_j ← message_j·Σ_h R_jh·belief_h, divided by the largest. Both J numbers, at most
  // kMostRatios.
  void Multiply(absl::Span<const double> belief, absl::Span<double> message) const;

 private:
  explicit TermCoupling(std::vector<double> r) : r_(std::move(r)) {}

  std::vector<double> r_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TERM_COUPLING_H_
