#include "server/audit/statistics/draw_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "server/audit/statistics/bounds.h"

namespace topicwall::audit {

// 0.674 standard deviations hold half of a normal law.
DrawSums::DrawSums(std::size_t units, double rate)
    : rate_(rate),
      near_(0.674 * std::sqrt(static_cast<double>(units) * rate * (1 - rate))),
      drawn_of_unit_(units) {}

void DrawSums::Add(const std::vector<bool>& drawn) {
  ++releases_;
  int64_t batch = 0;
  for (std::size_t unit = 0; unit < drawn.size(); ++unit) {
    batch += drawn[unit] ? 1 : 0;
    drawn_of_unit_[unit] += drawn[unit] ? 1 : 0;
    if (unit % 2 == 1) units_.Add(drawn[unit - 1], drawn[unit]);
    if (releases_ % 2 == 0) releases_of_unit_.Add(last_[unit], drawn[unit]);
  }
  drawn_ += batch;
  const double mean = static_cast<double>(drawn.size()) * rate_;
  near_batches_ += std::fabs(static_cast<double>(batch) - mean) <= near_ ? 1 : 0;
  last_ = drawn;
}

Finding DrawSums::Altogether(double x) const {
  const int64_t coins = releases_ * static_cast<int64_t>(drawn_of_unit_.size());
  const Interval rate = RateInterval(drawn_, coins, x);
  // Fewer than were paid for cost accuracy, not privacy.
  const Verdict verdict = rate.high < rate_ ? Verdict::kUtilityLost : HoldsIf(rate.Holds(rate_));
  return {"units take part at the rate that was paid",
          absl::StrFormat("%d coins", coins),
          absl::StrFormat("%.5f (%.5f … %.5f)",
                          static_cast<double>(drawn_) / static_cast<double>(coins), rate.low,
                          rate.high),
          absl::StrFormat("%g in that range", rate_),
          absl::StrFormat("a rate of %.4f", rate_ + rate.high - rate.low),
          verdict};
}

// Each with its share of the false alarm.
Finding DrawSums::OfEachUnit(double x) const {
  const double each = x + std::log(static_cast<double>(drawn_of_unit_.size()));
  const auto off = std::count_if(drawn_of_unit_.begin(), drawn_of_unit_.end(), [&](int64_t drawn) {
    return !RateInterval(drawn, releases_, each).Holds(rate_);
  });
  const auto [fewest, most] = std::minmax_element(drawn_of_unit_.begin(), drawn_of_unit_.end());
  return {"every single unit takes part at that rate",
          absl::StrFormat("%d units", drawn_of_unit_.size()),
          absl::StrFormat("drawn %d to %d times in %d releases; %d beyond chance", *fewest, *most,
                          releases_, off),
          "none",
          "a unit that is always or never drawn",
          HoldsIf(off == 0)};
}

// Batches of a fixed size are always near their mean; coins that many units share, seldom.
Finding DrawSums::Batches(double x) const {
  const double share = BinomialWithin(static_cast<int>(drawn_of_unit_.size()), rate_, near_);
  const Interval rate = RateInterval(near_batches_, releases_, x);
  return {"the number of units drawn scatters as independent coins do",
          absl::StrFormat("%d batches", releases_),
          absl::StrFormat("%d within %.1f of the mean (a share of %.3f … %.3f)", near_batches_,
                          near_, rate.low, rate.high),
          absl::StrFormat("%.3f in that range", share),
          "batches of a fixed size",
          HoldsIf(rate.Holds(share))};
}

Finding DrawSums::Alike(std::string claim, const Pairs& pairs, double x) const {
  // P(alike) = ν² + (1-ν)² + 2ρν(1-ν) at a correlation of ρ: what is above chance is as much
  // correlation as `smallest_violation` says.
  const double by_chance = rate_ * rate_ + (1 - rate_) * (1 - rate_);
  const Interval rate = RateInterval(pairs.alike, std::max<int64_t>(pairs.all, 1), x);
  return {
      std::move(claim),
      absl::StrFormat("%d pairs", pairs.all),
      absl::StrFormat("%d alike (a share of %.5f … %.5f)", pairs.alike, rate.low, rate.high),
      absl::StrFormat("%.5f in that range", by_chance),
      absl::StrFormat("a correlation of %.3f", (rate.high - rate.low) / (2 * rate_ * (1 - rate_))),
      HoldsIf(rate.Holds(by_chance))};
}

std::vector<Finding> DrawSums::Report(double x) const {
  return {Altogether(x), OfEachUnit(x), Batches(x),
          Alike("two units are drawn independently", units_, x),
          Alike("a unit is drawn afresh for every release", releases_of_unit_, x)};
}

}  // namespace topicwall::audit
