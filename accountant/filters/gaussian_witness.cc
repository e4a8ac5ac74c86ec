// Three questions, one function: DeltaOf is monotone in ε and in what is spent, so budget and least
// ε are found by halving over integers, each with Holds itself as the judge. A closed form for
// either, rounded, could admit by one of them what the other refuses, and a ledger asks both of the
// same number.
#include "accountant/filters/gaussian_witness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace topicwall::accountant {
namespace {

constexpr long double kMargin = 1e-13L;
constexpr long double kRootOfHalf = 0.70710678118654752440084436210484903928L;
constexpr long double kOneByRootOfPi = 0.56418958354775628694807945156077258584L;

// e^{x²} erfc(x) for x ≥ 0. From 64 on the asymptotic series, exact to 1e-20 after six terms.
// e^ε Φ(−b√2) with ε = b² − a² is e^{−a²} times this: neither factor is out of range, where e^ε and
// Φ would be infinity times nothing.
long double ScaledTail(long double x) {
  if (x < 64) return std::exp(x * x) * std::erfc(x);
  const long double y = 1 / (2 * x * x);
  const long double series =
      1 - y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y * (1 - 9 * y * (1 - 11 * y)))));
  return kOneByRootOfPi / x * series;
}

// ln Φ(−x), either sign of x.
long double LogTail(long double x) {
  if (x < 0) return std::log(std::erfc(x * kRootOfHalf) / 2);
  return std::log(ScaledTail(x * kRootOfHalf) / 2) - x * x / 2;
}

long double ShiftOf(uint64_t spent) {
  return std::ldexp(std::sqrt(static_cast<long double>(spent)), -16);
}

long double DeltaOf(long double epsilon, uint64_t spent) {
  if (spent == 0) return 0;
  const long double mu = ShiftOf(spent);
  const long double a = (epsilon / mu - mu / 2) * kRootOfHalf;
  const long double b = (epsilon / mu + mu / 2) * kRootOfHalf;
  const long double with = std::erfc(a) / 2;
  // The first factor is 0 only where the first term is.
  const long double without = std::exp(-a * a) * ScaledTail(b) / 2;
  // The terms may cancel, so the margin is of each, not of the difference: up for what is added,
  // down for what is taken away.
  return with * (1 + kMargin) - without * (1 - kMargin);
}

}  // namespace

uint64_t GaussianCostPerRelease(double noise_multiplier) {
  // Three roundings to nearest are less than the margin.
  const double price = (1 + 0x1p-40) / (noise_multiplier * noise_multiplier);
  const double units = std::ceil(std::ldexp(price, 32));
  const bool priced = units <= static_cast<double>(GaussianWitness::kLargestSpending);
  return priced ? std::max<uint64_t>(1, static_cast<uint64_t>(units))
                : std::numeric_limits<uint64_t>::max();
}

GaussianWitness::GaussianWitness(double weight, double delta)
    : failure_(static_cast<long double>(weight) * static_cast<long double>(delta)) {}

bool GaussianWitness::Holds(int64_t epsilon_units, uint64_t spent) const {
  if (spent > kLargestSpending) return false;
  return DeltaOf(std::ldexp(static_cast<long double>(epsilon_units), -32), spent) <= failure_;
}

uint64_t GaussianWitness::BudgetAt(int64_t epsilon_units) const {
  uint64_t holds = 0;
  uint64_t beyond = 1;
  // Doubling first: `beyond` stays a value that fails, or 2^63, and nothing wraps.
  while (beyond <= kLargestSpending && Holds(epsilon_units, beyond)) {
    holds = beyond;
    beyond *= 2;
  }
  while (beyond - holds > 1) {
    const uint64_t middle = holds + (beyond - holds) / 2;
    (Holds(epsilon_units, middle) ? holds : beyond) = middle;
  }
  return holds;
}

std::optional<int64_t> GaussianWitness::LeastEpsilon(uint64_t spent) const {
  if (Holds(0, spent)) return 0;
  int64_t fails = 0;
  int64_t holds = 1;
  while (!Holds(holds, spent)) {
    if (holds == int64_t{1} << 62) return std::nullopt;
    fails = holds;
    holds *= 2;
  }
  while (holds - fails > 1) {
    const int64_t middle = fails + (holds - fails) / 2;
    (Holds(middle, spent) ? holds : fails) = middle;
  }
  return holds;
}

double GaussianWitness::DeltaUpperBound(double epsilon, uint64_t spent) {
  const long double delta = DeltaOf(epsilon, spent);
  if (!(delta < 1)) return 1;
  return std::nextafter(static_cast<double>(delta), 1.0);
}

double GaussianWitness::EpsilonAtAllTimes(uint64_t budget) const {
  const long double log_failure = std::log(failure_);
  // The first x found with Φ(−x) ≤ w δ.
  long double above = -40;
  long double below = 40;
  for (int i = 0; i < 80; ++i) {
    const long double middle = (above + below) / 2;
    (LogTail(middle) + kMargin <= log_failure ? below : above) = middle;
  }
  // Grows with the quantile, which was rounded up; then the margin, of it and of its two parts.
  const long double loss = log_failure - LogTail(below + ShiftOf(budget));
  return static_cast<double>(loss * (1 + kMargin) + kMargin * (1 - log_failure));
}

}  // namespace topicwall::accountant
