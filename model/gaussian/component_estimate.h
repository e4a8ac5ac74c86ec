// The analyst's half of a mixture of Gaussians: weights, means and variances of components from
// noisy sums, each drawn toward what all components have in common by as much as its noise asks.
//
//   ComponentEstimate estimate(num_components, dimension);
//   estimate.Update({.statistics = release.statistics, .deviations = {t_1, t_x, t_xx},
//                    .sampling_rate = ν, .step_size = ρ});
//   request.parameters = ParametersOf(*estimate.Estimate());   // of
//   model/gaussian/gaussian_model.h
//
// Sums are averaged over releases, A ← (1 − ρ)A + ρ·y/ν, and with them the variances of their
// noise. From the averages N, S, Q of a component and the noise τ of an entry:
//
//   n = max(N, ΣN/(50 K)),  π = max(N − λ, ΣN/(50 K))/ΣN,  λ such that π sums to 1
//   m = m0 + a(S/n − m0),   m0 = ΣS/ΣN,  a = A/(A + τ_x²/n²)
//   s = w + b(v − w),       v = Q/n − (S/n)² + τ_x²/n²,  b = B/(B + (τ_xx² + 4(S/n)²τ_x²)/n²)
//
// w is the mean of v over all components by size. A and B, the squared deviations between
// components, are those found less what noise alone adds (at least 0), one number for all entries:
// a component whose noise is larger than what components differ by becomes the mean one. A variance
// is no smaller than a tenth of w, and w no smaller than a twentieth of the variance of the whole,
// nor than the deviation of its own noise: a vector would be impossible that is not. Neither is
// below kLeastVariance (gaussian_parameters.h).
// What no vectors of the unit ball can have is the nearest that they can: a mean beyond it, and
// variances that sum to more than 1, are scaled back. One component is the mean and variances of
// the whole. π is what is nearest to N/ΣN of all that are no smaller than is allowed: a factor
// instead of λ would take from a large component what noise alone added to the small ones.
//
// Source: Efron and Morris, "Data analysis using Stein's estimator" (1975), with the noise known
// instead of estimated.
// PUBLIC: post-processing of releases. Threads: not safe. Cost: some passes over K·(2d + 1).
#ifndef TOPICWALL_MODEL_GAUSSIAN_COMPONENT_ESTIMATE_H_
#define TOPICWALL_MODEL_GAUSSIAN_COMPONENT_ESTIMATE_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::gaussian {

// Of each kind of column: the vector itself, its numbers, their squares.
struct NoiseDeviations {
  double counts;
  double sums;
  double squares;
};

struct Components {
  std::vector<double> weights;    // π: K, > 0, sum 1
  std::vector<double> means;      // K×d
  std::vector<double> variances;  // K×d, > 0
};

// Of the noise in a weight, a count over all counts: √((1 − π)² + (K − 1)π²) of `count_deviation`,
// by its own count and those of all others, which are in their sum.
double WeightDeviation(double weight, size_t num_components, double count_deviation);

// K rows of 2d + 1: log π, means, precisions.
std::vector<float> ParametersOf(const Components& components);

class ComponentEstimate {
 public:
  struct Reading {
    absl::Span<const float> statistics;  // K rows of 2d + 1, with noise
    NoiseDeviations deviations;          // of one entry, as the release states them
    double sampling_rate;                // ν in (0, 1]
    double step_size;                    // ρ in (0, 1]; the first reading takes 1
  };

  // All that it remembers.
  struct State {
    std::vector<double> averages;           // K×(2d + 1); empty before the first reading
    NoiseDeviations variances = {0, 0, 0};  // of an average's noise
  };

  // Both at least 1.
  ComponentEstimate(size_t num_components, size_t dimension);
  // As it was when it had this state. INVALID_ARGUMENT for one that is of another size, or not
  // finite, or has a negative variance.
  static absl::StatusOr<ComponentEstimate> Create(size_t num_components, size_t dimension,
                                                  State state);

  // INVALID_ARGUMENT for another number of statistics, or one that is not finite; nothing is
  // changed.
  absl::Status Update(const Reading& reading);

  // FAILED_PRECONDITION before the first reading, and where the noise is larger than all counts
  // together.
  absl::StatusOr<Components> Estimate() const;
  // All counts together, of the averages: how many vectors there are, with the noise.
  double Vectors() const;
  // Of the noise in a component's count, τ_1/ΣN, after a reading.
  double CountDeviation() const;

  const State& state() const { return state_; }

 private:
  // ΣS/ΣN, or of squares: of the d columns from `first` on.
  std::vector<double> Whole(size_t first, double total) const;

  size_t num_components_;
  size_t dimension_;
  State state_;
};

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_COMPONENT_ESTIMATE_H_
