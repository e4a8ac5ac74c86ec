// First topics from elsewhere: an earlier model, or one of public documents, if it fits.
//
//   absl::StatusOr<WarmStart> start = TryWarmStart(
//       {.num_topics = 50, .topics = public_topics, .term_probabilities = unigram, .seed = 1,
//        .gamma_shape = 10});
//   if (start->fits) begin with start->topics; else begin at random
//
// The only thing that is known of the corpus before its first topics are asked for is the private
// unigram p, so that is what decides: topics of the same kind of text can be mixed to its word
// frequencies, topics of another kind cannot. With β_j the given topics (terms that none of them
// has get p_v, and all get a fiftieth of p),
//   m = Σ_j π_j β_j,  π by EM (50 steps from equal ones) to the smallest KL(p ‖ m).
// They fit if KL(p ‖ m) <= kMostDivergence and at least half of p is on terms that they have. Then
//   first topics β_jv·p_v/m_v
// whose mixture has the frequencies of p exactly; topics beyond the given ones are drawn
// (first_topics.h), as without a warm start.
//
// Measured on the Debian catalogue (52,278 documents, K = 20, J = 20, one seed): the perplexity of
// the fit begun at random, with topics of 5,809 other packages, and with topics of arXiv's
// abstracts if they were not dropped, with the KL that the rule sees:
//   ε = 1      1488    1439 (0.12)    1486 (0.87)
//   ε = 0.5    1708    1666 (0.19)    1729 (0.84)
// so that topics of other text cost a percent and of the same gain two to three. Noise of p is in
// the KL: where it is so large that no topics fit, none are used.
//
// Errors: INVALID_ARGUMENT names what is out of range. PUBLIC: post-processing of a paid release,
// and public topics. Pure. Bits: the same on every processor. Cost: 100 operations an entry.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_WARM_START_H_
#define TOPICWALL_MODEL_LDA_DENOISE_WARM_START_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::lda {

inline constexpr double kMostDivergence = 0.3;
inline constexpr double kLeastCoverage = 0.5;

struct WarmStartParams {
  int num_topics;  // K of the fit
  // β: J×V, row-major, row = topic, 1 <= J <= K; entries finite and >= 0, each row with a sum
  // above 0. A term is unknown to them if all its entries are 0.
  absl::Span<const float> topics;
  absl::Span<const double> term_probabilities;  // p: V entries > 0 with a sum of 1
  uint64_t seed;                                // of topics beyond J; no secret
  double gamma_shape;                           // of the draws of these (first_topics.h)
};

struct WarmStart {
  double divergence;  // KL(p ‖ m), in nats
  double coverage;    // share of p on terms that the topics know
  bool fits;
  std::vector<float> topics;  // K×V, row = topic, > 0; empty unless it fits
};

absl::StatusOr<WarmStart> TryWarmStart(const WarmStartParams& params);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_WARM_START_H_
