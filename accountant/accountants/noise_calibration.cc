// Two kinds of search. Where an accountant says by how much a trial misses, the excess ln(ε/target)
// is nearly straight in ln σ and in ln J: an interpolating search needs some ten prices
// (bracketed_search.h). Where a rule says only yes or no, halving. Both hand out a value that was
// itself asked and fitted: a σ between two asked ones would be one that nobody has priced.
#include "accountant/accountants/noise_calibration.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "accountant/accountants/bracketed_search.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr double kRelativeTolerance = 1e-9;

// σ from ln σ; exactly the ends of the range at theirs.
double NoiseAt(double log_noise) {
  if (log_noise <= std::log(kSmallestNoiseMultiplier)) return kSmallestNoiseMultiplier;
  if (log_noise >= std::log(kLargestNoiseMultiplier)) return kLargestNoiseMultiplier;
  return std::exp(log_noise);
}

// ln of ε over its target once `more` is added: ≤ 0 exactly when that fits.
absl::StatusOr<double> Excess(const PrivacyParams& budget, const DpEvent& more,
                              const PrivacyAccountant& accountant) {
  const std::unique_ptr<PrivacyAccountant> trial = accountant.Clone();
  TW_RETURN_IF_ERROR(trial->Compose(more));
  TW_ASSIGN_OR_RETURN(const EpsilonBracket epsilon, trial->Epsilon(budget.delta));
  return LogExcess(epsilon.upper, budget.epsilon);
}

absl::Status NoNoiseIsEnough() {
  return absl::FailedPreconditionError(
      absl::StrCat("no noise_multiplier up to ", kLargestNoiseMultiplier,
                   " meets the target. Ask for fewer steps, a smaller sampling_rate or a larger "
                   "epsilon."));
}

// A step in ln σ towards the other side: ε falls like σ^−1 to σ^−2 over most of the range.
double StepDown(double excess) { return std::clamp(0.6 * -excess + 0.05, 0.1, 3.0); }
double StepUp(double excess) { return std::clamp(1.05 * excess + 0.05, 0.1, 3.0); }

using ExcessOfNoise = absl::FunctionRef<absl::StatusOr<double>(double log_noise)>;

// Walks from σ = 1 until one trial fits and one does not; both then the same if an end of the
// range decides.
absl::StatusOr<BracketedSearch::Params> BracketOfNoise(ExcessOfNoise excess_of) {
  const double least = std::log(kSmallestNoiseMultiplier);
  const double most = std::log(kLargestNoiseMultiplier);
  BracketedSearch::Trial now = {.at = 0, .excess = 0};
  TW_ASSIGN_OR_RETURN(now.excess, excess_of(now.at));
  const bool first_fits = now.excess <= 0;
  while (true) {
    const BracketedSearch::Trial last = now;
    if (first_fits && last.at == least) {
      // Even the least noise of all fits: nothing is left to search.
      return BracketedSearch::Params{.refused = last, .fits = last, .tolerance = 1};
    }
    if (!first_fits && last.at == most) return NoNoiseIsEnough();
    now.at = first_fits ? std::max(last.at - StepDown(last.excess), least)
                        : std::min(last.at + StepUp(last.excess), most);
    TW_ASSIGN_OR_RETURN(now.excess, excess_of(now.at));
    if ((now.excess <= 0) == first_fits) continue;
    return BracketedSearch::Params{.refused = first_fits ? now : last,
                                   .fits = first_fits ? last : now,
                                   .tolerance = 0.5 * kRelativeTolerance};
  }
}

}  // namespace

absl::StatusOr<double> SmallestNoiseMultiplierThat(
    absl::FunctionRef<absl::StatusOr<bool>(double)> fits) {
  TW_ASSIGN_OR_RETURN(const bool least_fits, fits(kSmallestNoiseMultiplier));
  if (least_fits) return kSmallestNoiseMultiplier;
  // Doubling first: the answer is mostly near 1, far below the geometric middle of the range.
  double low = kSmallestNoiseMultiplier;
  double high = 0;
  for (double trial = 2 * low; high == 0 && trial <= kLargestNoiseMultiplier; trial *= 2) {
    TW_ASSIGN_OR_RETURN(const bool trial_fits, fits(trial));
    (trial_fits ? high : low) = trial;
  }
  if (high == 0) return NoNoiseIsEnough();
  // A factor of two halves 30 times to 6e-10.
  while (high - low > kRelativeTolerance * low) {
    const double middle = low + (high - low) / 2;
    TW_ASSIGN_OR_RETURN(const bool middle_fits, fits(middle));
    (middle_fits ? high : low) = middle;
  }
  return high;
}

// Grows from one release until some count is refused, then closes in between the two. Counts are
// searched in logarithms, as σ is; near the end a step there may round to a count already asked, so
// that it is held strictly between the ends: every question takes one away.
absl::StatusOr<int64_t> LargestCountWithin(
    int64_t at_most, absl::FunctionRef<absl::StatusOr<double>(int64_t)> excess_of) {
  if (at_most < 1) return 0;
  int64_t fits = 0;
  int64_t refused = 1;
  TW_ASSIGN_OR_RETURN(double excess, excess_of(refused));
  double fitting_excess = 0;
  while (excess <= 0) {
    if (refused == at_most) return at_most;
    fits = refused;
    fitting_excess = excess;
    // ε grows like J^½ to J.
    const double factor = std::exp(std::clamp(-1.6 * excess, 0.7, 8.0));
    refused = static_cast<int64_t>(
        std::min(std::ceil(static_cast<double>(fits) * factor), static_cast<double>(at_most)));
    TW_ASSIGN_OR_RETURN(excess, excess_of(refused));
  }
  if (refused == 1) return 0;
  BracketedSearch search({.refused = {.at = std::log(refused), .excess = excess},
                          .fits = {.at = std::log(fits), .excess = fitting_excess},
                          .tolerance = 0.5 / static_cast<double>(refused)});
  while (refused - fits > 1) {
    const int64_t nearest = std::llround(std::exp(search.Next()));
    const int64_t count = std::clamp(nearest, fits + 1, refused - 1);
    TW_ASSIGN_OR_RETURN(excess, excess_of(count));
    (excess <= 0 ? fits : refused) = count;
    search.Record({.at = std::log(count), .excess = excess});
  }
  return fits;
}

absl::StatusOr<double> SmallestNoiseMultiplier(const NoiseTarget& target,
                                               const PrivacyAccountant& accountant) {
  TW_RETURN_IF_ERROR(Validate(target.budget));
  if (!(target.steps >= 1 && target.steps <= kMostReleases)) {
    return absl::InvalidArgumentError(
        absl::StrCat("steps must be in [1, ", kMostReleases, "]; got ", target.steps, "."));
  }
  const auto excess_of = [&](double log_noise) -> absl::StatusOr<double> {
    TW_ASSIGN_OR_RETURN(const SubsampledGaussian release,
                        SubsampledGaussian::Create({.sampling_rate = target.sampling_rate,
                                                    .noise_multipliers = {NoiseAt(log_noise)}}));
    return Excess(target.budget, {.release = release, .count = target.steps}, accountant);
  };
  TW_ASSIGN_OR_RETURN(const BracketedSearch::Params bracket, BracketOfNoise(excess_of));
  BracketedSearch search(bracket);
  while (!search.done()) {
    const double at = search.Next();
    TW_ASSIGN_OR_RETURN(const double excess, excess_of(at));
    search.Record({.at = at, .excess = excess});
  }
  return NoiseAt(search.fits().at);
}

absl::StatusOr<int64_t> MostSteps(const StepsTarget& target, const PrivacyAccountant& accountant) {
  TW_RETURN_IF_ERROR(Validate(target.budget));
  return LargestCountWithin(kMostReleases, [&](int64_t count) {
    return Excess(target.budget, {.release = target.release, .count = count}, accountant);
  });
}

absl::StatusOr<JointNoise> SplitNoise(const JointNoiseTarget& target) {
  // Checks σ_eff with the words of a release.
  TW_RETURN_IF_ERROR(SubsampledGaussian::Create(
                         {.sampling_rate = 1, .noise_multipliers = {target.noise_multiplier}})
                         .status());
  const double share = target.histogram_share;
  if (!(share > 0 && share < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("histogram_share must be in (0, 1); got ", share, "."));
  }
  // Joining two multipliers loses up to 6·2^-52, these roots and quotients less than 4·2^-52.
  const double sigma = target.noise_multiplier * (1 + 0x1p-48);
  return JointNoise{.noise_multiplier = sigma / std::sqrt(1 - share),
                    .histogram_noise_multiplier = sigma / std::sqrt(share)};
}

}  // namespace topicwall::accountant
