// A fit that begins with blurred topics and sharpens them: deterministic annealing.
//
//   const double exponent = AnnealingExponent({.first = 0.2, .num_iterations = 20}, t);
//   const LogTopics request = Flattened(LogMeanTopics(model), exponent);
//
// The first topics are random, and the first documents are assigned by what little they differ in;
// a fit that believes them settles in a poor optimum. With β^e, e < 1, instead of β in the E-step a
// word says less about its topic, documents are shared out evenly at first, and topics part when
// there is something to part by (Ueda, Nakano 1998: EM at a temperature of 1/e). Any finite ℓ <= 0
// is a legal request: what a release costs does not depend on it.
//
//   e_t = first + (last − first)·min(1, (t − 1)/(until·J))        t = 1 … J
//
// A last exponent a little below 1 keeps documents from believing noisy topics too much.
//
// Measured (deploy/study/EXPERIMENTS.md): the largest single gain on both corpora, with and without
// noise. PUBLIC. Pure functions; the same bits on every processor.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_ANNEALING_H_
#define TOPICWALL_MODEL_LDA_DENOISE_ANNEALING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda {

struct Annealing {
  double first;            // e_1 in (0, 1]
  int64_t num_iterations;  // J >= 1
  double until = 0.9;      // share of them in which e rises, in (0, 1]
  double last = 1;         // to which it rises, in [first, 1]
};

// INVALID_ARGUMENT for a field out of range.
absl::Status CheckAnnealing(const Annealing& annealing);

// e_t, in (0, 1]; `last` for t beyond J. t >= 1.
double AnnealingExponent(const Annealing& annealing, int64_t t);

// exponent·ℓ, exponent in (0, 1]: the logarithm of β^exponent, not normalised.
LogTopics Flattened(const LogTopics& log_topics, double exponent);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_ANNEALING_H_
