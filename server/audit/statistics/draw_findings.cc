#include "server/audit/statistics/draw_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "server/audit/statistics/statistical_bounds.h"

namespace topicwall::audit {
namespace {

Finding Altogether(const DrawSums& sums, double x) {
  const int64_t tosses = sums.releases() * sums.units();
  const Interval rate = RateInterval(sums.drawn(), tosses, x);
  Finding finding =
      Finding{Part::kSampling,
              "units take part at the rate that was paid",
              absl::StrFormat("%d coins", tosses),
              absl::StrFormat("%.5f (%.5f … %.5f)",
                              static_cast<double>(sums.drawn()) / static_cast<double>(tosses),
                              rate.low, rate.high),
              absl::StrFormat("%g in that range", sums.rate()),
              absl::StrFormat("a rate of %.4f", sums.rate() + 2 * (rate.high - rate.low) / 2),
              HoldsIf(rate.Holds(sums.rate()))};
  // Fewer than were paid for cost accuracy, not privacy.
  if (rate.high < sums.rate()) finding.verdict = Verdict::kUtilityLost;
  return finding;
}

Finding OfEachUnit(const DrawSums& sums, double x) {
  const double each = x + std::log(static_cast<double>(sums.units()));
  int off = 0;
  for (const int64_t drawn : sums.drawn_of_unit()) {
    if (!RateInterval(drawn, sums.releases(), each).Holds(sums.rate())) ++off;
  }
  const auto& counts = sums.drawn_of_unit();
  return {Part::kSampling,
          "every single unit takes part at that rate",
          absl::StrFormat("%d units", sums.units()),
          absl::StrFormat("drawn %d to %d times in %d releases; %d beyond chance",
                          *std::min_element(counts.begin(), counts.end()),
                          *std::max_element(counts.begin(), counts.end()), sums.releases(), off),
          "none",
          "a unit that is always or never drawn",
          HoldsIf(off == 0)};
}

Finding Batches(const DrawSums& sums, double x) {
  const double scatter = sums.batch_scatter() / static_cast<double>(sums.releases());
  const Interval bounds = BatchScatterBounds(sums.releases(), sums.units(), sums.rate(), x);
  return {Part::kSampling,
          "the number of units drawn scatters as independent coins do",
          absl::StrFormat("%d batches", sums.releases()),
          absl::StrFormat("variance %.3f of nν(1-ν)", scatter),
          absl::StrFormat("%.3f … %.3f", bounds.low, bounds.high),
          "batches of a fixed size; coins shared by 4 units",
          HoldsIf(bounds.Holds(scatter))};
}

Finding Alike(std::string claim, int64_t alike, int64_t pairs, double drawn, double x) {
  const double by_chance = drawn * drawn + (1 - drawn) * (1 - drawn);
  const Interval rate = RateInterval(alike, std::max<int64_t>(pairs, 1), x);
  return {
      Part::kSampling,
      std::move(claim),
      absl::StrFormat("%d pairs", pairs),
      absl::StrFormat("alike %.5f (%.5f … %.5f)",
                      static_cast<double>(alike) / static_cast<double>(std::max<int64_t>(pairs, 1)),
                      rate.low, rate.high),
      absl::StrFormat("%.5f in that range", by_chance),
      absl::StrFormat("a correlation of %.3f", (rate.high - rate.low) / (2 * drawn * (1 - drawn))),
      HoldsIf(rate.Holds(by_chance))};
}

}  // namespace

std::vector<Finding> DrawFindings(const DrawSums& sums, double x) {
  std::vector<Finding> findings = LargeDrawFindings(sums, x);
  findings.push_back(OfEachUnit(sums, x));
  findings.push_back(Batches(sums, x));
  return findings;
}

std::vector<Finding> LargeDrawFindings(const DrawSums& sums, double x) {
  return {Altogether(sums, x),
          Alike("two units are drawn independently", sums.units_alike(), sums.unit_pairs(),
                sums.rate(), x),
          Alike("a unit is drawn afresh for every release", sums.releases_alike(),
                sums.release_pairs(), sums.rate(), x)};
}

}  // namespace topicwall::audit
