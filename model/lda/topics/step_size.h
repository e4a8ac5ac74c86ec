// How much of a running average each new release takes.
//
//   ρ_t = (power + 1)/(t + power),   t = 1, 2, …
//
// Then release s of the first t has a weight of about s^power: early ones, made under poor topics,
// are forgotten, and the noise of the late ones averages out. power = 0 is the plain mean. The
// noise variance left after t releases of equal noise is about (power + 1)²/(2·power + 1) times
// that of the plain mean: 2.3 for power = 3, where a constant ρ = 0.3 after 20 releases has 3.5.
// (Shamir, Zhang 2013, "polynomial-decay averaging".) PUBLIC. Pure.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_STEP_SIZE_H_
#define TOPICWALL_MODEL_LDA_TOPICS_STEP_SIZE_H_

#include <cstdint>

namespace topicwall::lda {

// ρ_t in (0, 1], 1 for t = 1. t >= 1, power >= 0.
inline double PolynomialStepSize(double power, int64_t t) {
  return (power + 1) / (static_cast<double>(t) + power);
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_STEP_SIZE_H_
