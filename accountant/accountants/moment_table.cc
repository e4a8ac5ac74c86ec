// In preparation: FillNodes, all that depends on a node and not on the order. For an order: which
// nodes take which form of the remainder (RangesOf), the sums of each form (SeriesSum, DirectSum,
// FarSum), the errors added to their logarithm (LogExpectedRemainder), and log1p of it
// (LogOnePlusUpperBound). Minkowski's bound is beside it throughout, alone where it is as good as
// exact or nodes are too many.
#include "accountant/accountants/moment_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "accountant/accountants/bulk_exp.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "accountant/events/privacy_params.h"

namespace topicwall::accountant {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();
constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

constexpr double kPointsPerWidth = 5;      // step = min(1, σ) / this
constexpr double kTrapezoidError = 4e-37;  // × (A_a + 1 + 2a); see the header
constexpr double kMostPoints = 1 << 17;

constexpr double kSeriesReach = 0.5;      // |aL| up to which the series is used
constexpr double kFarReach = 40;          // bL − ln a from which the ratio's power is all
constexpr double kLargestExponent = 600;  // beyond, sums are kept scaled
constexpr double kNegligible = 45;        // e^-45 = 3e-20

// Nodes are worked on in blocks that stay in the first cache.
constexpr size_t kBlock = 64;
using Block = std::array<double, kBlock>;

// (1 − a^{1−k})/k! for k = 2 … 17. The first left out is below 3e-18 of the sum for |y| ≤ ½.
using Coefficients = std::array<double, 16>;
Coefficients RemainderCoefficients(double order) {
  const double first = (order - 1) / order;
  double difference = first;  // 1 − a^{1−k}
  double power = 1 / order;   // a^{1−k}
  double factorial = 2;
  Coefficients coefficients;
  for (size_t i = 0; i < coefficients.size(); ++i) {
    coefficients[i] = difference / factorial;
    difference += power * first;  // nothing cancels, however close a is to 1
    power /= order;
    factorial *= static_cast<double>(i + 3);
  }
  return coefficients;
}

// log1p(e^{log_remainder} + trapezoidal error), rounded up, never 0.
// With r the remainder, A_a = 1 + r: the rule's error 4e-37 (A_a + 1 + 2a) is 4e-37 r, relative,
// and 4e-37 (2 + 2a) more. Above r = 1 the logarithm grows more slowly than its argument, so that
// the absolute error may be added to the result as it is. The last factor pays for log1p, exp and
// the sums.
double LogOnePlusUpperBound(double log_remainder, double order) {
  const double trapezoid = kTrapezoidError * (3 + 2 * order);
  double result;
  if (log_remainder > 0) {
    result = log_remainder + std::log1p(std::exp(-log_remainder)) + trapezoid;
  } else {
    result = std::log1p(std::exp(log_remainder) * (1 + kTrapezoidError) + trapezoid);
  }
  return std::max(result * (1 + 8 * kRounding), std::numeric_limits<double>::min());
}

}  // namespace

// Where each form of the remainder is used; series_begin ≤ series_end ≤ far_begin.
struct MomentTable::Ranges {
  size_t series_begin;
  size_t series_end;
  size_t far_begin;
};

MomentTable::MomentTable(const SubsampledGaussian& release, double largest_order)
    : sampling_rate_(std::max(release.sampling_rate(), 1e-50)),
      sigma_(std::min(release.noise_multiplier(), 1e50)),
      step_(std::min(1.0, sigma_) / kPointsPerWidth) {
  // From (a−1)/2σ² = ln(1/ν) + 29 on, Minkowski's bound is as good as exact.
  // There NeedsNodes' gap, a e^{−29} = 2.5e-13 a, is below its 1e-14 · 29 a.
  const double last_with_nodes = 1 + 2 * sigma_ * sigma_ * (29 - std::log(sampling_rate_));
  const double most = (kMostPoints * step_ - 2 * kTail) * sigma_ - 2;
  const double order = std::min({largest_order, last_with_nodes, most});
  if (sampling_rate_ < 1 && order > 1) Extend(NodesOf(order));
}

void MomentTable::Extend(size_t nodes) {
  const size_t known = log_ratio_.size();
  for (std::vector<double>* column : {&log_ratio_, &log_density_, &density_, &mixture_, &excess_}) {
    column->resize(nodes);
  }
  for (size_t begin = known; begin < nodes; begin += kBlock) {
    FillNodes(begin, std::min(begin + kBlock, nodes));
  }
}

// All that a node needs of exponentials, once for every order to come. Blocks, so that the
// exponentials are taken many at a time (bulk_exp.h); a node's numbers do not depend on the block
// it lies in.
void MomentTable::FillNodes(size_t begin, size_t end) {
  const double nu = sampling_rate_;
  const double log_nu = std::log(nu);
  const double saturation = kFarReach - log_nu;  // from here on R is ν e^t to the last bit
  Block shift;
  Block power;
  Block density;
  for (size_t i = begin; i < end; ++i) {
    const double u = NodeAt(i);
    const double t = u / sigma_ - 0.5 / sigma_ / sigma_;
    log_density_[i] = -0.5 * u * u - kLogSqrtTwoPi;
    shift[i - begin] = t;
    power[i - begin] = std::min(t, saturation);
    // Beyond, where the ratio alone may overflow, this is the mixture's density.
    density[i - begin] = log_density_[i] + (t > saturation ? t + log_nu : 0);
  }
  BulkExp(absl::MakeSpan(power.data(), end - begin));
  BulkExp(absl::MakeSpan(density.data(), end - begin));
  for (size_t i = begin; i < end; ++i) {
    const double t = shift[i - begin];
    const double w = density[i - begin];
    density_[i] = w;
    if (t > saturation) {
      log_ratio_[i] = t + log_nu;
      mixture_[i] = excess_[i] = w;
      continue;
    }
    const double x = nu * (std::abs(t) > 0.5 ? power[i - begin] - 1 : std::expm1(t));
    // Near total sampling 1 + x would cancel; 1 − ν is exact there.
    const double ratio = x < -0.5 ? (1 - nu) + nu * power[i - begin] : 1 + x;
    log_ratio_[i] = x < -0.5 ? std::log(ratio) : std::log1p(x);
    mixture_[i] = w * ratio;
    excess_[i] = w * x;
  }
}

// ‖(1 − ν) + ν e^t‖ in L^a is at most (1 − ν) + ν ‖e^t‖, and the norm of e^t is known in closed
// form. Tight where the second part is nearly all there is: at large orders.
double MomentTable::MinkowskiUpperBound(double order) const {
  const double shift = (order - 1) / 2 / sigma_ / sigma_;
  return order * LogMixtureRatio(sampling_rate_, shift) * (1 + 8 * kRounding);
}

bool MomentTable::NeedsNodes(double order) const {
  const double shift = (order - 1) / 2 / sigma_ / sigma_;
  // Between E[(ν e^t)^a] and Minkowski's bound lies the truth: where the two agree, it is known.
  const double lower_bound = order * (shift + std::log(sampling_rate_));
  const double points = ((order + 2) / sigma_ + 2 * kTail) / step_;
  const double gap = order * std::log1p(std::exp(-shift) / sampling_rate_);
  return gap > 1e-14 * lower_bound && points <= kMostPoints;
}

size_t MomentTable::NodesOf(double order) const {
  const double span = (order + 2) / sigma_ + 2 * kTail;
  return static_cast<size_t>(span / step_) + 2;
}

double MomentTable::LogMomentUpperBound(double order) const {
  if (!(order > 1) || !std::isfinite(order)) return kInfinity;
  if (sigma_ < 1e-100) return kInfinity;  // σ² would underflow
  // Without sampling the moment is that of a Gaussian.
  if (sampling_rate_ == 1) {
    return order * ((order - 1) / 2 / sigma_ / sigma_) * (1 + 8 * kRounding);
  }
  const double minkowski = MinkowskiUpperBound(order);
  if (!NeedsNodes(order)) return minkowski;
  // A copy, since this is asked from many threads: larger orders than were announced are rare.
  if (NodesOf(order) > log_ratio_.size()) {
    MomentTable larger = *this;
    larger.Extend(NodesOf(order));
    return larger.LogMomentUpperBound(order);
  }
  // Both are bounds from above, so the less of them is one.
  return std::min(minkowski, LogOnePlusUpperBound(LogExpectedRemainder(order), order));
}

// log E[r], with everything that was approximated added: the two ends stand for the tails (a node's
// value, not times the step: the integrand falls by a factor of more than e^{10} per unit), nodes ·
// e^{−45} for the blocks that FarSum leaves out, and the rounding of each sum and exponent.
double MomentTable::LogExpectedRemainder(double order) const {
  const size_t nodes = NodesOf(order);
  const Ranges ranges = RangesOf(order, nodes);
  // Far out the summands may pass the largest double; they are kept relative to the largest.
  double largest = -kInfinity;
  for (size_t i = ranges.far_begin; i < nodes; ++i) {
    largest = std::max(largest, order * log_ratio_[i] + log_density_[i]);
  }
  const double shift = largest > kLargestExponent ? largest : 0;
  // The ends stand for the tails behind them.
  const double ends = NearSum(order, ranges, 0, 1) + NearSum(order, ranges, nodes - 1, nodes);
  const double near = NearSum(order, ranges, 0, nodes) + ends / step_;
  const double far = FarSum({.order = order, .shift = shift, .least = largest - kNegligible},
                            ranges.far_begin, nodes) +
                     FarSum({.order = order, .shift = shift, .least = -kInfinity},
                            std::max(ranges.far_begin, nodes - 1), nodes) /
                         step_;
  // What rounding can have taken away, added in the end: an upper bound in floating point, too. An
  // exponent is off by a relative rounding, and e to its power by that times the exponent.
  const double last = NodeAt(nodes - 1);
  const double largest_exponent =
      0.5 * last * last + order * (last / sigma_ + 0.5 / sigma_ / sigma_);
  const double relative_error =
      kRounding * (2 * static_cast<double>(nodes) + 192 + 4 * largest_exponent) +
      static_cast<double>(nodes) * std::exp(-kNegligible);
  return std::log((near * std::exp(-shift) + far) * step_) + shift + relative_error;
}

// Three forms of one remainder, each where it loses nothing. All ranges are found for the nodes of
// this order alone, so that a longer table gives the same bits as one made for the order.
MomentTable::Ranges MomentTable::RangesOf(double order, size_t nodes) const {
  const auto first = log_ratio_.begin();
  const auto node_of = [&](double log_ratio) {
    const auto end = first + static_cast<int64_t>(nodes);
    return static_cast<size_t>(std::lower_bound(first, end, log_ratio) - first);
  };
  return {.series_begin = node_of(-kSeriesReach / order),
          .series_end = node_of(kSeriesReach / order),
          .far_begin = node_of((kFarReach + std::log(order)) / (order - 1))};
}

double MomentTable::NearSum(double order, const Ranges& ranges, size_t begin, size_t end) const {
  const size_t series_begin = std::clamp(ranges.series_begin, begin, end);
  const size_t series_end = std::clamp(ranges.series_end, begin, end);
  const size_t far_begin = std::clamp(ranges.far_begin, begin, end);
  return DirectSum(order, begin, series_begin) + SeriesSum(order, series_begin, series_end) +
         DirectSum(order, series_end, far_begin);
}

double MomentTable::SeriesSum(double order, size_t begin, size_t end) const {
  if (begin == end) return 0;
  // Near L = 0 the remainder e^y − 1 − a(e^{y/a} − 1), y = aL, is a difference of nearly equal
  // numbers; its series has no difference in it.
  const Coefficients coefficients = RemainderCoefficients(order);
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const double y = order * log_ratio_[i];
    double series = coefficients.back();
    for (size_t k = coefficients.size() - 1; k-- > 0;) series = series * y + coefficients[k];
    sum += density_[i] * (y * y) * series;
  }
  return sum;
}

double MomentTable::DirectSum(double order, size_t begin, size_t end) const {
  const double b = order - 1;
  double sum = 0;
  Block power;
  for (; begin < end; begin += std::min(kBlock, end - begin)) {
    const size_t size = std::min(kBlock, end - begin);
    for (size_t i = 0; i < size; ++i) power[i] = b * log_ratio_[begin + i];
    BulkExp(absl::MakeSpan(power.data(), size));
    for (size_t i = 0; i < size; ++i) {
      // Away from 0 the plain difference is as good.
      const double exponent = b * log_ratio_[begin + i];
      const double growth = std::abs(exponent) > 0.5 ? power[i] - 1 : std::expm1(exponent);
      sum += mixture_[begin + i] * growth - b * excess_[begin + i];
    }
  }
  return sum;
}

double MomentTable::FarSum(const FarTerms& terms, size_t begin, size_t end) const {
  double sum = 0;
  Block term;
  for (; begin < end; begin += std::min(kBlock, end - begin)) {
    const size_t size = std::min(kBlock, end - begin);
    double largest = -kInfinity;
    for (size_t i = 0; i < size; ++i) {
      const double exponent = terms.order * log_ratio_[begin + i] + log_density_[begin + i];
      largest = std::max(largest, exponent);
      term[i] = exponent - terms.shift;
    }
    if (largest < terms.least) continue;  // below the error term, all of the block together
    BulkExp(absl::MakeSpan(term.data(), size));
    for (size_t i = 0; i < size; ++i) sum += term[i];
  }
  return sum;
}

}  // namespace topicwall::accountant
