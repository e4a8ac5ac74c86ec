// A finished mixture of Gaussians read for vectors that the analyst owns.
//
//   FittedGaussians fitted(components);   // K of them, all weights and variances > 0
//   fitted.LogDensity(x);                 // log Σ_k π_k N(x; m_k, s_k), in nats
//   fitted.Assign(x);                     // the component that x most likely is of
//
// `x` has d numbers, in the units of the components: of the norm bound of their corpus. Double
// precision. PUBLIC: of released components and the analyst's own vectors. Pure; any thread.
// Cost: K·d of each vector.
#ifndef TOPICWALL_MODEL_GAUSSIAN_FITTED_GAUSSIANS_H_
#define TOPICWALL_MODEL_GAUSSIAN_FITTED_GAUSSIANS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "model/gaussian/component_estimate.h"

namespace topicwall::gaussian {

// One Gaussian with the mean and the variances of the whole mixture.
Components WholeOf(const Components& components);

struct Assignment {
  size_t component;    // the most likely one, from 0
  double probability;  // that it is of that one
  double log_density;  // as LogDensity has it
};

class FittedGaussians {
 public:
  explicit FittedGaussians(Components components);

  double LogDensity(absl::Span<const float> x) const;
  // The first of equally likely ones.
  Assignment Assign(absl::Span<const float> x) const;

 private:
  // log π_k N(x; m_k, s_k) of each.
  std::vector<double> LogJoint(absl::Span<const float> x) const;

  Components components_;
  std::vector<double> constants_;  // of each component, what does not depend on x
};

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_FITTED_GAUSSIANS_H_
