// Kept apart from the other accountants on purpose: no moments, no table of them. What it shows is
// what one would have paid before they existed, from the textbook's theorems alone.
#include "accountant/accountants/strong_composition.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accountant/accountants/bracketed_search.h"
#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "accountant/events/privacy_params.h"
#include "base/status_macros.h"

namespace topicwall::accountant {

absl::string_view StrongComposition::name() const {
  return options_.rule == Rule::kStrong ? "strong" : "basic";
}

absl::Status StrongComposition::Compose(const DpEvent& event) {
  TW_RETURN_IF_ERROR(ValidateCount(event.count));
  if (event.count == 0) return absl::OkStatus();
  events_.push_back(event);
  releases_ += static_cast<double>(event.count);
  return absl::OkStatus();
}

// If the Gaussian inside is (ε_iter, δ_iter)-private, its sampled form has the pair
// (ln(1 + ν(e^{ε_iter} − 1)), ν δ_iter): hence δ/ν on the way in and the mixture's ratio on the way
// out.
double StrongComposition::AmplifiedEpsilon(const SubsampledGaussian& release,
                                           double delta_per_release) const {
  const double delta = delta_per_release / release.sampling_rate();
  const double sigma = release.noise_multiplier();
  const double epsilon = options_.gaussian == Gaussian::kAnalytic
                             ? GaussianEpsilonUpperBound(delta, sigma)
                             : ClassicalGaussianEpsilon(delta, sigma);
  return LogMixtureRatio(release.sampling_rate(), epsilon);
}

double StrongComposition::BasicEpsilon(double delta) const {
  double sum = 0;
  for (const DpEvent& event : events_) {
    sum += static_cast<double>(event.count) * AmplifiedEpsilon(event.release, delta / releases_);
  }
  return sum;
}

// δ'' is paid once for the deviation of the whole sum, the rest in equal parts by the releases.
double StrongComposition::StrongEpsilon(double delta, double slack_share) const {
  const double slack = slack_share * delta;
  double drift = 0;
  double squares = 0;
  for (const DpEvent& event : events_) {
    const double count = static_cast<double>(event.count);
    const double epsilon = AmplifiedEpsilon(event.release, (delta - slack) / releases_);
    drift += count * epsilon * std::expm1(epsilon);
    squares += count * epsilon * epsilon;
  }
  return drift + std::sqrt(-2 * std::log(slack) * squares);
}

double StrongComposition::EpsilonAt(double delta) const {
  if (options_.rule == Rule::kBasic) return BasicEpsilon(delta);
  if (options_.split == Split::kHalf) return StrongEpsilon(delta, 0.5);
  double least = kInfinity;
  // Each split is a bound, and which is best follows from the plan alone and not from any output.
  for (int percent = 1; percent < 100; ++percent) {
    least = std::min(least, StrongEpsilon(delta, percent / 100.0));
  }
  return least;
}

absl::StatusOr<EpsilonBracket> StrongComposition::Epsilon(double delta) const {
  TW_RETURN_IF_ERROR(ValidateDelta(delta));
  const double epsilon = events_.empty() ? 0 : EpsilonAt(delta);
  return EpsilonBracket{.lower = epsilon, .upper = epsilon};
}

absl::StatusOr<DeltaBracket> StrongComposition::Delta(double epsilon) const {
  TW_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (events_.empty()) return DeltaBracket{.lower = 0, .upper = 0};
  // ε falls as δ grows. In ln δ, as answers lie anywhere between 1e-300 and 1.
  const double log_delta =
      CloseIn({.refused = {.at = std::log(std::numeric_limits<double>::min()), .excess = kInfinity},
               .fits = {.at = 0, .excess = -kInfinity},
               .tolerance = 1e-12},
              [&](double at) { return LogExcess(EpsilonAt(std::exp(at)), epsilon); });
  // Never one that is refused when it is asked back.
  const double delta = std::max(std::exp(log_delta), kSmallestDelta);
  return DeltaBracket{.lower = delta, .upper = delta};
}

std::unique_ptr<PrivacyAccountant> StrongComposition::Clone() const {
  return std::unique_ptr<PrivacyAccountant>(new StrongComposition(*this));
}

}  // namespace topicwall::accountant
