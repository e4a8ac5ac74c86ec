// What a fit of a mixture of Gaussians (gaussian_fit.h) asks of its wall, and the noise of what
// comes.
//
//   TW_ASSIGN_OR_RETURN(const std::vector<v1::FitStage> stages, GaussianStages(plan, spec,
//   corpus)); NoiseOfComponents(spec, corpus);      // what is left of it in the end
//
// A vector's statistic (1, x, x²) is weighted by kCountWeight, 1 and kSquareWeight·√d, so that
// counts, which are far above their noise, take little of it, and squares, which are of the size of
// 1/d, are not lost in it. C is the norm that a vector at the norm bound has then whose numbers are
// as those of a normal variable: √(¼ + 1 + ¾). Vectors that have more in few dimensions are
// clipped.
//
// PUBLIC. Pure functions.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_PLAN_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_PLAN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/fit/fit_spec.h"
#include "model/gaussian/component_estimate.h"
#include "model/gaussian/expected_components.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

inline constexpr float kCountWeight = 0.5F;
inline constexpr float kSquareWeight = 0.5F;
inline constexpr int kManyPerComponent = 3;
inline constexpr double kLeastComponentSignal = 12;  // expected_components.h; why: fit_planner.h
inline constexpr double kGaussianStepPower = 2;  // of lda::PolynomialStepSize, as topics have it

// The stages, from the plan of the topics (fit_algorithm.h). `spec` has K, J and σ_eff.
absl::StatusOr<std::vector<v1::FitStage>> GaussianStages(const v1::ReleaseSpec& topics,
                                                         const FitSpec& spec,
                                                         const v1::CorpusDescription& description);

// Of each kind of column, in what it counts, of noise of this deviation before weights are divided
// out.
gaussian::NoiseDeviations GaussianNoise(double deviation, size_t dimension);

// Of the averages that a fit's last components are made of, over what C leaves of them. `spec` has
// K, J, ν, C and σ_eff.
gaussian::NoiseDeviations NoiseOfComponents(const FitSpec& spec,
                                            const v1::CorpusDescription& description);

// Of the sum of all counts of one release, of the stage with most components.
double NoiseOfAllCounts(const FitSpec& spec, const v1::CorpusDescription& description);

// Whether the counts of all components may be no more than noise, where a fit ends.
bool MayStopWithNothing(const gaussian::ExpectedComponents& expected);
// One sentence that begins with "warning: ", for a fit that is not worth its price; "" for others.
// `epsilon` is that price.
std::string WarningOf(const gaussian::ExpectedComponents& expected, double epsilon);

// The most that the wall computes for: 2d + 1 parameters each.
int MostComponents(const v1::CorpusDescription& description);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_PLAN_H_
