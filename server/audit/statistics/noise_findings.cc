#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/audit/statistics/bounds.h"
#include "server/audit/statistics/noise_sums.h"

namespace topicwall::audit {
namespace {

std::string Range(const Interval& interval) {
  return absl::StrFormat("%.5f … %.5f", interval.low, interval.high);
}

Verdict Judge(double value, const Interval& interval, bool more_is_worse) {
  if (interval.Holds(value)) return Verdict::kHolds;
  // NaN is neither, and is no good news.
  const bool is_more = value > interval.high;
  return is_more == more_is_worse || std::isnan(value) ? Verdict::kViolated : Verdict::kUtilityLost;
}

// How much less the deviation of noise had to be to fall out of such an interval.
std::string SmallestLack(const Interval& squares) {
  // Of variance v it is measured within about v ± (1 - low): below `low` for certain once v is
  // below 2 low - 1.
  return absl::StrFormat("%.2f %% less deviation",
                         100 * (1 - std::sqrt(std::max(0.0, 2 * squares.low - 1))));
}

}  // namespace

std::string NoiseSums::Tried(int64_t n, const char* of) const {
  return absl::StrFormat("%d %s, %d releases of σ = %g, K = %d", n, of, releases_, sigma_,
                         shape_.topics);
}

Finding NoiseSums::Advantage(double x) const {
  const Interval positives = RateInterval(above_[1], shift_.n, x);
  // The ends against the wall's favour: what is left of their difference is an advantage for
  // certain.
  const Interval negatives = RateInterval(above_[0], noise_squared_.n, x);
  const double certain = positives.low - negatives.high;
  // The most that any test gains on telling N(0, 1) from N(1/σ, 1).
  const double bound = 2 * NormalBelow(1 / (2 * sigma_)) - 1;
  return {"no threshold tells a canary's presence better than 2Φ(1/2σ) - 1",
          Tried(shift_.n + noise_squared_.n, "entries with a canary and without"),
          absl::StrFormat("an advantage of %.4f for certain", certain),
          absl::StrFormat("at most %.4f", bound),
          absl::StrFormat("an advantage of %.4f",
                          bound + positives.high - positives.low + negatives.high - negatives.low),
          HoldsIf(certain <= bound)};
}

Finding NoiseSums::Shift(std::string claim, const Mean& shift, double deviation, double x) const {
  const double off = deviation * MeanBound(shift.n, x);
  const Interval bound = {1 - off, 1 + off};
  return {std::move(claim),
          Tried(shift.n, "shifts"),
          absl::StrFormat("%.5f", shift.value()),
          Range(bound),
          absl::StrFormat("a shift of %.4f", 1 + 2 * off),
          Judge(shift.value(), bound, /*more_is_worse=*/true)};
}

Finding NoiseSums::Spread(std::string claim, const Mean& squared, double x) const {
  const Interval bound = MeanSquareInterval(squared.n, x);
  return {std::move(claim),
          Tried(squared.n, "samples"),
          absl::StrFormat("variance %.5f of what was paid", squared.value()),
          Range(bound),
          SmallestLack(bound),
          Judge(squared.value(), bound, /*more_is_worse=*/false)};
}

// The worst of all blocks, each with its share of the false alarm.
Finding NoiseSums::Blocks(double x) const {
  const double each = x + std::log(static_cast<double>(squared_by_block_.size()));
  Verdict worst = Verdict::kHolds;
  Interval seen = {.low = 1, .high = 1};
  for (const Mean& squared : squared_by_block_) {
    const double value = squared.value();
    seen = {.low = std::min(seen.low, value), .high = std::max(seen.high, value)};
    worst = std::max(worst, Judge(value, MeanSquareInterval(squared.n, each), false));
  }
  const Interval whole = MeanSquareInterval(squared_by_block_.front().n, each);
  return {"so it has in every single block",
          Tried(static_cast<int64_t>(squared_by_block_.size()), "blocks"),
          absl::StrCat("variances ", Range(seen)),
          absl::StrCat(Range(whole), " of a whole block"),
          absl::StrCat(SmallestLack(whole), " in 1 block"),
          worst};
}

// Of both tails beyond each level. Fewer than in the normal law hide less.
Finding NoiseSums::Law(double x) const {
  const double each = x + std::log(2 * kLevels.size());
  Finding finding = {"noise has the normal law, out to four deviations on either side",
                     Tried(noise_squared_.n, "samples")};
  finding.verdict = Verdict::kHolds;
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    const double expected = NormalBelow(-kLevels[level]);
    for (const int64_t seen : beyond_level_[level]) {
      const Interval rate = RateInterval(seen, noise_squared_.n, each);
      if (!rate.Holds(expected)) {
        const Verdict off = rate.low > expected ? Verdict::kUtilityLost : Verdict::kViolated;
        finding.verdict = std::max(finding.verdict, off);
      }
      absl::StrAppendFormat(&finding.measured, "%.3g ",
                            static_cast<double>(seen) / static_cast<double>(noise_squared_.n));
      finding.smallest_violation = absl::StrFormat("a tail of %.2g beyond 4", rate.high);
    }
    absl::StrAppendFormat(&finding.bound, "%.3g ", expected);
  }
  return finding;
}

Finding NoiseSums::Repetition(std::string claim, const Mean& products, double x) const {
  const double off = MeanProductBound(products.n, x);
  return {std::move(claim),
          Tried(products.n, "pairs"),
          absl::StrFormat("correlation %.5f", products.value()),
          absl::StrFormat("± %.5f", off),
          absl::StrFormat("%.5f", 2 * off),
          HoldsIf(std::fabs(products.value()) <= off)};
}

std::vector<Finding> NoiseSums::Report(double x) const {
  std::vector<Finding> findings = {
      Advantage(x),
      Shift("a canary shifts its entry by C", shift_, sigma_, x),
      Spread("noise in empty entries has standard deviation σC", noise_squared_, x),
      // Noise that is drawn by what the sum holds would be sound in one of the two alone.
      Spread("so has noise in entries with data", squared_with_data_, x),
      Blocks(x),
      Law(x),
      // A key that serves two releases; a generator with a memory; a stream that two blocks share.
      Repetition("noise of one release says nothing of the next one's", between_releases_, x),
      Repetition("nor noise of an entry of the next entry's", next_entries_, x),
      Repetition("nor noise of a block of the next block's", next_blocks_, x),
      {"noise does not repeat, at any place of any release",
       Tried(releases_, "times all runs of 4 entries"), absl::StrCat(runs_twice_, " seen before"),
       "none", "1 block, wherever it is", HoldsIf(runs_twice_ == 0)},
      {"a release asked for again is the same bytes: no second noise to average",
       Tried((releases_ + 9) / 10, "asked again, twice"), absl::StrCat(not_repeatable_, " differ"),
       "none", "1 byte", HoldsIf(not_repeatable_ == 0)}};
  if (sigma_h_ == 0) return findings;
  findings.push_back(Shift("a unit shifts the norm histogram by one unit in one bin",
                           histogram_shift_, sigma_h_ / static_cast<double>(shape_.units), x));
  findings.push_back(
      Spread("and noise in the norm histogram has that of σ_h", histogram_squared_, x));
  findings.push_back(
      Repetition("the histogram's noise is not the statistics'", histogram_with_statistics_, x));
  return findings;
}

}  // namespace topicwall::audit
