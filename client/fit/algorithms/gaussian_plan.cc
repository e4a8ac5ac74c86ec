#include "client/fit/algorithms/gaussian_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "client/wall/topics_asked.h"
#include "model/lda/denoise/noise_model.h"
#include "proto/matrix_codec.h"
#include "proto/models/gaussian.pb.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

std::vector<float> WeightsOf(size_t dimension) {
  std::vector<float> weights = {kCountWeight};
  weights.resize(1 + dimension, 1);
  weights.resize(1 + 2 * dimension, kSquareWeight * std::sqrt(static_cast<float>(dimension)));
  return weights;
}

// Of a statistic at the norm bound (gaussian_plan.h), of whose norm C takes the rest.
double KeptByClip(double clip_norm) {
  // 3 is E x⁴/(E x²)² of a normal variable: Σ x⁴ is about 3/d at a norm of 1.
  constexpr double kSquaredNorm =
      double{kCountWeight * kCountWeight} + 1 + 3 * double{kSquareWeight * kSquareWeight};
  return std::min(1.0, clip_norm / std::sqrt(kSquaredNorm));
}

struct StageShape {
  const char* name;
  int num_components;
  int iterations;
};

std::vector<StageShape> ShapesOf(const FitSpec& spec, const v1::CorpusDescription& description) {
  const int components = *spec.num_topics, iterations = *spec.iterations;
  const int many = std::min(kManyPerComponent * components, MostComponents(description));
  std::vector<StageShape> shapes = {{.name = "whole", .num_components = 1, .iterations = 1}};
  int left = iterations;
  if (many > components && iterations > 1 && spec.initial_model == nullptr) {
    // Rounded down: an odd release goes to the components that are kept.
    shapes.push_back({.name = "many", .num_components = many, .iterations = iterations / 2});
    left -= iterations / 2;
  }
  shapes.push_back({.name = "components", .num_components = components, .iterations = left});
  return shapes;
}

}  // namespace

absl::StatusOr<std::vector<v1::FitStage>> GaussianStages(const v1::ReleaseSpec& topics,
                                                         const FitSpec& spec,
                                                         const v1::CorpusDescription& description) {
  v1::ReleaseSpec plan = topics;
  plan.set_model(kGaussianMixture);
  plan.mutable_gaussian()->set_noise_multiplier(*spec.noise_multiplier);
  plan.set_weights(
      proto::FloatsToLittleEndian(WeightsOf(static_cast<size_t>(description.vocabulary_size()))));
  std::vector<v1::FitStage> stages;
  for (const StageShape& shape : ShapesOf(spec, description)) {
    v1::GaussianOptions options;
    options.set_num_components(shape.num_components);
    plan.set_options(options.SerializeAsString());
    plan.set_iterations(shape.iterations);
    v1::FitStage& stage = stages.emplace_back();
    stage.set_name(shape.name);
    *stage.mutable_plan()->mutable_plan() = plan;
  }
  return stages;
}

gaussian::NoiseDeviations GaussianNoise(double deviation, size_t dimension) {
  return {.counts = deviation / kCountWeight,
          .sums = deviation,
          .squares = deviation / (kSquareWeight * std::sqrt(static_cast<double>(dimension)))};
}

namespace {

// Of one release, over what C leaves of it: the clip shrinks the signal and not the noise, and only
// how one is to the other matters.
gaussian::NoiseDeviations NoiseOfARelease(const FitSpec& spec,
                                          const v1::CorpusDescription& description) {
  const double deviation = *spec.noise_multiplier * *spec.clip_norm / *spec.sampling_rate;
  return GaussianNoise(deviation / KeptByClip(*spec.clip_norm),
                       static_cast<size_t>(description.vocabulary_size()));
}

}  // namespace

gaussian::NoiseDeviations NoiseOfComponents(const FitSpec& spec,
                                            const v1::CorpusDescription& description) {
  const double left =
      lda::NoiseLeftByAveraging(kGaussianStepPower, ShapesOf(spec, description).back().iterations);
  const gaussian::NoiseDeviations noise = NoiseOfARelease(spec, description);
  return {
      .counts = left * noise.counts, .sums = left * noise.sums, .squares = left * noise.squares};
}

double NoiseOfAllCounts(const FitSpec& spec, const v1::CorpusDescription& description) {
  int most = 1;
  for (const StageShape& shape : ShapesOf(spec, description)) {
    most = std::max(most, shape.num_components);
  }
  return std::sqrt(most) * NoiseOfARelease(spec, description).counts;
}

bool MayStopWithNothing(const gaussian::ExpectedComponents& expected) {
  return !(expected.counts_signal >= lda::kLeastCountsSignal);
}

std::string WarningOf(const gaussian::ExpectedComponents& expected, double epsilon) {
  // Said first, for it is worse: such a fit may end after a release that is paid.
  if (MayStopWithNothing(expected)) {
    return absl::StrFormat(
        "warning: at epsilon %s even the number of all vectors is expected to drown in noise (%s "
        "deviations of it, at least %g are needed): the fit may stop with nothing, after a release "
        "that is paid, or end with components of which no share is known. It takes a larger "
        "epsilon, fewer components or a larger corpus.",
        proto::EpsilonText(epsilon), proto::TwoDigitsDown(expected.counts_signal),
        lda::kLeastCountsSignal);
  }
  const double signal = expected.sizes.front().signal;
  if (signal >= kLeastComponentSignal) return "";
  return absl::StrFormat(
      "warning: at epsilon %s (alone) an average component's mean is expected to be known to "
      "1/%s of what the numbers of a vector are from 0, and fewer components are expected to "
      "describe the vectors better. An epsilon of about %s, fewer components, or a larger "
      "corpus, has enough.",
      proto::EpsilonText(epsilon), proto::TwoDigitsDown(signal),
      proto::TwoDigitsUp(epsilon * kLeastComponentSignal / signal));
}

int MostComponents(const v1::CorpusDescription& description) {
  const int64_t dimension = description.vocabulary_size();
  return static_cast<int>(description.limits().max_parameters_per_term() * dimension /
                          (2 * dimension + 1));
}

}  // namespace topicwall::client
