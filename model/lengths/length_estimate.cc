#include "model/lengths/length_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "model/lda/math/normal_tail.h"

namespace topicwall::lengths {
namespace {

// Of N by its noise: above it nothing is told of lengths.
constexpr double kMostRelativeError = 0.25;

absl::Status CheckCounts(const LengthCounts& given) {
  const auto bad = [](const char* rule) {
    return absl::InvalidArgumentError(std::string(rule) + ": they are not. Measure again.");
  };
  if (given.counts.size() < 2 || given.edges.size() + 1 != given.counts.size()) {
    return bad("counts must be at least 2, one more than edges");
  }
  if (!std::all_of(given.counts.begin(), given.counts.end(),
                   [](float count) { return std::isfinite(count); })) {
    return bad("counts must be finite");
  }
  float before = 1;
  for (const float edge : given.edges) {
    if (!(edge > before && edge == std::trunc(edge) && std::isfinite(edge))) {
      return bad("edges must be whole numbers above 1 that ascend");
    }
    before = edge;
  }
  if (given.deviation > 0 && std::isfinite(given.deviation)) return absl::OkStatus();
  return bad("the deviations of the noise must be finite and above 0");
}

class Bins {
 public:
  explicit Bins(const LengthCounts& given)
      : counts_(given.counts.begin(), given.counts.end()),
        edges_(given.edges.begin(), given.edges.end()),
        most_(std::max(static_cast<double>(given.most), edges_.back())),
        noise_(lda::UsualPoint() * given.deviation),
        all_(std::accumulate(counts_.begin(), counts_.end(), 0.0)) {}

  LengthRange Units() const {
    const double off = noise_ * std::sqrt(num_bins());
    return {.value = all_, .low = std::max(0.0, all_ - off), .high = std::max(0.0, all_ + off)};
  }
  LengthRange Quantile(double p) const;
  LengthRange Mean() const;

 private:
  double num_bins() const { return static_cast<double>(counts_.size()); }
  double Lowest(size_t bin) const { return bin == 0 ? 1 : edges_[bin - 1]; }
  double Highest(size_t bin) const { return bin < edges_.size() ? edges_[bin] - 1 : most_; }
  double WithinBin(size_t bin, double wanted, double below) const;
  // Fieller's, of the mean of one length in each bin.
  LengthRange Ratio(double (Bins::*length)(size_t) const) const;

  const std::vector<double> counts_, edges_;
  const double most_, noise_, all_;  // N
};

// Of `wanted` units, `below` are below the bin.
double Bins::WithinBin(size_t bin, double wanted, double below) const {
  const double lowest = Lowest(bin), highest = Highest(bin);
  const double share = counts_[bin] > 0 ? (wanted - below) / counts_[bin] : 1;
  return std::clamp(lowest - 1 + std::ceil(share * (highest - lowest + 1)), lowest, highest);
}

LengthRange Bins::Quantile(double p) const {
  size_t first = 0;  // edges from below, at which T is below 0 for sure
  bool is_sure = true;
  size_t last = edges_.size();   // beyond the last that it is not above 0 for sure
  size_t found = edges_.size();  // the bin of the value
  double below = 0, below_found = 0;
  for (size_t b = 0; b < edges_.size(); ++b) {
    const double before = below;
    below += counts_[b];
    const double t = below - p * all_;
    const auto bins = static_cast<double>(b + 1);
    const double most = noise_ * std::sqrt((1 - p) * (1 - p) * bins + p * p * (num_bins() - bins));
    is_sure = is_sure && t < -most;
    if (is_sure) first = b + 1;
    if (!(t > most)) {
      last = edges_.size();
    } else {
      last = std::min(last, b);
    }
    if (t >= 0 && found == edges_.size()) {
      found = b;
      below_found = before;
    }
  }
  if (found == edges_.size()) below_found = below;
  return {.value = WithinBin(found, p * all_, below_found),
          .low = Lowest(first),
          .high = Highest(last)};
}

LengthRange Bins::Ratio(double (Bins::*length)(size_t) const) const {
  double sum = 0, lengths = 0, squares = 0;
  for (size_t b = 0; b < counts_.size(); ++b) {
    const double c = (this->*length)(b);
    sum += counts_[b] * c;
    lengths += c;
    squares += c * c;
  }
  const double noise = noise_ * noise_;
  // a·r² − 2·h·r + g = 0; a > 0 where anything is told of lengths, and there are roots then.
  const double a = all_ * all_ - noise * num_bins(), h = all_ * sum - noise * lengths;
  const double g = sum * sum - noise * squares;
  const double root = std::sqrt(std::max(0.0, h * h - a * g));
  return {.value = sum / all_, .low = (h - root) / a, .high = (h + root) / a};
}

LengthRange Bins::Mean() const {
  const LengthRange low = Ratio(&Bins::Lowest), high = Ratio(&Bins::Highest);
  const auto within = [this](double length) { return std::clamp(length, 1.0, most_); };
  // Of bins that noise makes negative the longest lengths have the least mean.
  return {.value = within((low.value + high.value) / 2),
          .low = within(std::min(low.low, high.low)),
          .high = within(std::max(low.high, high.high))};
}

}  // namespace

std::vector<float> EdgesUpTo(int64_t most) {
  std::vector<float> edges = {2};
  // Each is a multiple of a power of two by at most 8, and exact.
  for (int64_t edge = 3, step = 1; edge <= most && edge < int64_t{1} << 62; edge += step) {
    edges.push_back(static_cast<float>(edge));
    if (edge == 8 * step) step *= 2;
  }
  return edges;
}

absl::StatusOr<LengthEstimate> EstimateLengths(const LengthCounts& counts) {
  TW_RETURN_IF_ERROR(CheckCounts(counts));
  const Bins bins(counts);
  LengthEstimate told = {
      .units = bins.Units(), .lower_quartile = {}, .median = {}, .upper_quartile = {}, .mean = {}};
  const double error = counts.deviation * std::sqrt(static_cast<double>(counts.counts.size()));
  if (!(error <= kMostRelativeError * told.units.value)) return told;
  told.lower_quartile = bins.Quantile(0.25);
  told.median = bins.Quantile(0.5);
  told.upper_quartile = bins.Quantile(0.75);
  told.mean = bins.Mean();
  return told;
}

double ExpectedRankError(int num_bins, double deviation, double units) {
  return lda::UsualPoint() * deviation * std::sqrt(num_bins) / 2 / units;
}

}  // namespace topicwall::lengths
