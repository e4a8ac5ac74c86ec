// Empirical Bayes: what the sums behind the wall probably are, given what was released.
//
//   absl::StatusOr<DenoisedTopics> denoised =
//       Denoise(average.noisy_topics(), unigram, {.num_threads = 2});
//   denoised->means[k * V + v];       // E[sum | release] >= 0, in words
//   denoised->deviations[k * V + v];  // its posterior standard deviation
//
// Model of an entry: y_kv = x_kv + τ_v·N(0, 1), x_kv ~ Σ_j π_j Exp(mean R_j·M_k·p_v), where
//   p_v   the unigram (a DP one, or public): the size that the entry would have in a topic without
//         a preference;
//   M_k   = Σ_v y_kv, the topic's mass; at least a tenth of the average topic's;
//   R_j   a fixed grid of ratios to that size, from "not in this topic" to "its very own word";
//   π     mixture weights that depend on the octave of p_v and on the hidden type of the term
//         (prior/term_types.h): a term that is clearly seen in few topics is hardly in the others.
//         Types and weights are found by EM from the entries themselves, each octave by itself.
// Terms that are forms of one word have ratios that go together in each topic, by how much is found
// from the entries as well (prior/related_terms.h, prior/term_coupling.h): what noise hides of one
// of them the others may show.
// The result is the posterior mean and deviation. Rare terms, drowned in noise, are drawn to what
// M_k·p_v says; entries that noise cannot explain stay as they are. Where τ_v is 0 an entry is
// max(y, 0), exactly known.
//
// What noise along a topic adds to its entries (noisy_topics.h) is not in the model: it is the
// topic's size that it makes uncertain, and means and deviations are given that.
//
// Errors: INVALID_ARGUMENT names what is wrong in noisy, the probabilities or the options.
// PUBLIC: post-processing of releases. Threads: pure; uses up to num_threads. Bits: the same for
// any number of threads and on any processor. Cost: about 1 µs an entry; EM sees at most 2^14
// entries of an octave, and 2^14 pairs of a kind. Memory for each thread: some 32·J·K bytes a term
// of the largest family.
// Source: Robbins' empirical Bayes with the mixture fitted by maximum likelihood; the M-step of the
// paper (Algorithm 1) takes the noisy sum as it is, negatives set to 0.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_NOISE_DENOISER_H_
#define TOPICWALL_MODEL_LDA_DENOISE_NOISE_DENOISER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/denoise/prior/related_terms.h"

namespace topicwall::lda {

struct DenoiserOptions {
  // R: ascending, each in [1e-6, 1e6], at most 32 of them.
  std::vector<double> ratios = {.003, .03, .15, .5, 1.2, 3, 8, 20, 50};
  int num_term_types = 3;  // S in [1, 16], see prior/term_types.h
  int em_iterations = 12;  // >= 0; without one the prior is the start of term_types.h
  absl::Span<const RelatedPair> related_terms = {};  // of the vocabulary, or none
  int num_threads = 1;
};

struct DenoisedTopics {
  std::vector<float> means;       // K×V, row-major, row = topic; finite, >= 0
  std::vector<float> deviations;  // likewise
};

// term_probabilities: p, V entries > 0 with a sum of 1.
absl::StatusOr<DenoisedTopics> Denoise(const NoisyTopics& noisy,
                                       absl::Span<const double> term_probabilities,
                                       const DenoiserOptions& options);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_NOISE_DENOISER_H_
