#include "server/audit/statistics/noise_findings.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/audit/statistics/statistical_bounds.h"

namespace topicwall::audit {
namespace {

// Above: the promise is broken; below: analysts get less than they paid for. Or the other way
// round.
enum class Breaks { kAbove, kBelow };

Verdict Judge(double value, const Interval& interval, Breaks breaks) {
  if (interval.Holds(value)) return Verdict::kHolds;
  const bool above = value > interval.high;
  return above == (breaks == Breaks::kAbove) || std::isnan(value) ? Verdict::kViolated
                                                                  : Verdict::kUtilityLost;
}

std::string Range(const Interval& interval) {
  return absl::StrFormat("%.5f … %.5f", interval.low, interval.high);
}

// The multiplier below `paid` from which on the threshold test would most likely fail: rates as
// they would be on average, bounds as of so many trials.
double SmallestMultiplierNotSeen(double paid, int64_t trials, double x) {
  const double bound = GaussianAdvantage(1 / paid);
  double unseen = 1 / paid;
  double seen = 40;
  for (int i = 0; i < 60; ++i) {
    const double mu = (unseen + seen) / 2;
    const auto hits = static_cast<int64_t>(NormalBelow(mu / 2) * static_cast<double>(trials));
    const double lower =
        RateInterval(hits, trials, x).low - RateInterval(trials - hits, trials, x).high;
    (lower > bound ? seen : unseen) = mu;
  }
  return 1 / seen;
}

Finding Advantage(const NoiseSums& sums, double x) {
  const Interval positives = RateInterval(sums.true_positives, sums.trials, x);
  const Interval negatives = RateInterval(sums.false_positives, sums.trials, x);
  const double lower = positives.low - negatives.high;
  const double bound = GaussianAdvantage(1 / kPlainMultiplier);
  const auto n = static_cast<double>(sums.trials);
  // An empirical lower bound of what one release leaks, in the language of the price.
  const double mu = positives.low > negatives.high
                        ? NormalQuantile(positives.low) - NormalQuantile(negatives.high)
                        : 0;
  return {Part::kNoise,
          "no threshold tells a canary's presence better than 2Φ(1/2σ) - 1",
          absl::StrFormat("%d canaries in %d releases of σ = 1 with and without, threshold C/2",
                          NoiseWorld::kCanaries, sums.releases),
          absl::StrFormat("TPR %.4f, FPR %.4f: advantage %.4f, for certain %.4f; 1/σ at least %.3f",
                          static_cast<double>(sums.true_positives) / n,
                          static_cast<double>(sums.false_positives) / n,
                          static_cast<double>(sums.true_positives - sums.false_positives) / n,
                          lower, mu),
          absl::StrFormat("for certain at most %.4f", bound),
          absl::StrFormat("σ of %.3f where 1 was paid",
                          SmallestMultiplierNotSeen(kPlainMultiplier, sums.trials, x)),
          HoldsIf(lower <= bound)};
}

Finding Shift(const NoiseSums& sums, double sigma, double x) {
  const double off = sigma * std::sqrt(2.0) * MeanBound(sums.shift.n, x);
  const double shift = sums.shift.value();
  const double deviation = sigma * std::sqrt(sums.noise_squared.value());
  return {Part::kNoise,
          "a canary shifts a release by C, so by 1/σ standard deviations",
          absl::StrFormat("%d shifts at σ = %g", sums.shift.n, sigma),
          absl::StrFormat("%.5f C; 1/σ estimated as %.4f (%.4f … %.4f)", shift, shift / deviation,
                          (shift - off) / deviation, (shift + off) / deviation),
          absl::StrFormat("%.5f … %.5f C; 1/σ = %.4f", 1 - off, 1 + off, 1 / sigma),
          absl::StrFormat("a shift of %.4f C", 1 + 2 * off),
          Judge(shift, {1 - off, 1 + off}, Breaks::kAbove)};
}

Finding HistogramShift(const NoiseSums& sums, double sigma, double x) {
  const double off =
      sigma * std::sqrt(2.0) / NoiseWorld::kCanaries * MeanBound(sums.histogram_shift.n, x);
  return {
      Part::kNoise,
      "a unit shifts the norm histogram by one unit in one bin",
      absl::StrFormat("%d canaries, %d releases", NoiseWorld::kCanaries, sums.histogram_shift.n),
      absl::StrFormat("%.5f a unit", sums.histogram_shift.value()),
      Range({1 - off, 1 + off}),
      absl::StrFormat("a shift of %.4f", 1 + 2 * off),
      Judge(sums.histogram_shift.value(), {1 - off, 1 + off}, Breaks::kAbove)};
}

Finding Spread(const Mean& squared, std::string what, double x) {
  const Interval interval = MeanSquareInterval(squared.n, x);
  return {Part::kNoise,
          std::move(what),
          absl::StrFormat("%d samples", squared.n),
          absl::StrFormat("variance %.5f of (σC)²", squared.value()),
          Range(interval),
          absl::StrFormat("%.2f %% less deviation",
                          100 * (1 - std::sqrt(std::max(0.0, 2 * interval.low - 1)))),
          Judge(squared.value(), interval, Breaks::kBelow)};
}

// The worst of all blocks, each with its share of the false alarm.
Finding SpreadOfBlocks(const LargeNoiseSums& sums, double x) {
  const double each = x + std::log(static_cast<double>(sums.squared_by_block.size()));
  Interval seen = {.low = 1, .high = 1};
  int low = 0;
  int high = 0;
  for (const Mean& squared : sums.squared_by_block) {
    const Interval interval = MeanSquareInterval(squared.n, each);
    seen = {.low = std::min(seen.low, squared.value()),
            .high = std::max(seen.high, squared.value())};
    low += squared.value() >= interval.low ? 0 : 1;  // NaN too
    high += squared.value() > interval.high ? 1 : 0;
  }
  const Interval whole = MeanSquareInterval(sums.squared_by_block.front().n, each);
  return {Part::kNoise,
          "so it has in every single block",
          absl::StrFormat("%d blocks", sums.squared_by_block.size()),
          absl::StrFormat("variances %s of (σC)²; %d beyond chance", Range(seen), low + high),
          absl::StrCat(Range(whole), " of a whole block"),
          absl::StrFormat("%.0f %% less deviation in 1 block",
                          100 * (1 - std::sqrt(std::max(0.0, 2 * whole.low - 1)))),
          low > 0    ? Verdict::kViolated
          : high > 0 ? Verdict::kUtilityLost
                     : Verdict::kHolds};
}

Finding Centre(const NoiseSums& sums, double x) {
  const double off = MeanBound(sums.noise.n, x);
  return {Part::kNoise,
          "noise has mean 0: nothing is clamped or added to it",
          absl::StrFormat("%d samples", sums.noise.n),
          absl::StrFormat("mean %.5f σC", sums.noise.value()),
          absl::StrFormat("± %.5f", off),
          absl::StrFormat("a mean of %.5f", 2 * off),
          Judge(sums.noise.value(), {-off, off}, Breaks::kAbove) == Verdict::kHolds
              ? Verdict::kHolds
              : Verdict::kUtilityLost};
}

Finding Repetition(const Mean& products, std::string what, double x) {
  const double off = MeanProductBound(products.n, x);
  return {Part::kNoise,
          std::move(what),
          absl::StrFormat("%d pairs", products.n),
          absl::StrFormat("correlation %.5f", products.value()),
          absl::StrFormat("± %.5f", off),
          absl::StrFormat("%.5f", 2 * off),
          HoldsIf(std::fabs(products.value()) <= off)};
}

Finding WithinReleases(const NoiseSums& sums, double x) {
  const double worst = sums.WorstDistance(x);
  return {Part::kNoise,
          "noise does not repeat within a release, at any distance; no release has another's",
          absl::StrFormat("all distances in 4 releases; %d releases compared", 2 * sums.releases),
          absl::StrFormat("at most %.2f of what chance allows; %d seen before", worst,
                          sums.releases_twice),
          "1; none",
          "a repeated block or release",
          HoldsIf(worst <= 1 && sums.releases_twice == 0)};
}

Finding Replays(const NoiseSums& plain, const NoiseSums& sharp) {
  const int64_t differ = plain.replays_that_differ + sharp.replays_that_differ;
  return {Part::kNoise,
          "a release asked for again is the same bytes: no second noise to average",
          "every tenth release, twice",
          absl::StrCat(differ, " differ"),
          "none",
          "1 byte",
          HoldsIf(differ == 0)};
}

}  // namespace

std::vector<Finding> LargeNoiseFindings(const LargeNoiseSums& sums, double x) {
  const double off = std::sqrt(2 * x / static_cast<double>(sums.shift.n));
  return {
      Spread(sums.noise_squared, "noise of K = 100, V = 50,000 has standard deviation σC", x),
      SpreadOfBlocks(sums, x),
      Repetition(sums.between_releases, "and says nothing of the next release's", x),
      {Part::kNoise, "nor does it repeat, at any place of any release",
       absl::StrFormat("all runs of 4 entries in %d releases", sums.releases),
       absl::StrFormat("%d seen before", sums.runs_twice), "none", "1 block, wherever it is",
       HoldsIf(sums.runs_twice == 0)},
      {Part::kNoise, "there too a unit shifts its entry by C",
       absl::StrFormat("%d shifts", sums.shift.n), absl::StrFormat("%.5f C", sums.shift.value()),
       Range({1 - off, 1 + off}), absl::StrFormat("a shift of %.4f C", 1 + 2 * off),
       Judge(sums.shift.value(), {1 - off, 1 + off}, Breaks::kAbove)}};
}

std::vector<Finding> NoiseFindings(const NoiseSums& plain, const NoiseSums& sharp, double x) {
  return {
      Advantage(plain, x),
      Shift(plain, kPlainMultiplier, x),
      Shift(sharp, kSharpMultiplier, x),
      HistogramShift(sharp, kHistogramMultiplier, x),
      Spread(plain.noise_squared, "noise in empty entries has standard deviation σC", x),
      Spread(plain.document_noise_squared, "so has noise in entries with data", x),
      Spread(sharp.noise_squared, "and noise at σ = 1/16", x),
      Spread(sharp.histogram_noise_squared, "and noise in the norm histogram, of σ_h", x),
      Centre(plain, x),
      Repetition(plain.between_releases, "noise of one release says nothing of the next one's", x),
      Repetition(plain.between_walls, "noise of one wall says nothing of another's", x),
      Repetition(sharp.histogram_by_terms, "the histogram's noise is not the statistics', by terms",
                 x),
      Repetition(sharp.histogram_by_topics, "nor theirs by topics", x),
      WithinReleases(plain, x),
      Replays(plain, sharp)};
}

}  // namespace topicwall::audit
