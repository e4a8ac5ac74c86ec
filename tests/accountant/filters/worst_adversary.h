// The most that any adversary can reach against a rule of admission, computed rather than proved.
//
//   WorstAdversary adversary({.epsilon = 1, .kinds = {{1, 2.0}, {0.3, 1.0}}, .direction = kIn});
//   adversary.Delta([&](const std::vector<int>& releases) { return /* admitted so far */; });
//
// The adversary sees every release, and after each one chooses the kind of the next, or to stop, by
// the privacy loss so far, which is all that matters. What it reaches is the mass beyond ε of the
// whole transcript, E (1 − e^{ε−L})⁺, found backwards from the last release that the rule allows by
// dynamic programming over (releases of each kind, loss). Nothing is shared with the accountant.
//
// Losses are put on a grid so that the answer is an upper bound and hardly above the truth: the
// mass of a cell goes to its two ends so that P and Q of it stay what they are. The value is a
// convex function of e^{−loss} (a maximum of means of such), which spreading can only raise.
#ifndef TOPICWALL_TESTS_ACCOUNTANT_FILTERS_WORST_ADVERSARY_H_
#define TOPICWALL_TESTS_ACCOUNTANT_FILTERS_WORST_ADVERSARY_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace topicwall::accountant {

// Which of the two corpora the transcript comes from: with the unit, or without.
enum class Truth { kIn, kOut };

class WorstAdversary {
 public:
  struct Kind {
    double sampling_rate;
    double noise_multiplier;
  };
  struct Params {
    double epsilon;
    std::vector<Kind> kinds;
    Truth truth;
    double step = 0.01;  // of the grid, nats
    double reach = 12;   // losses beyond count as everything told
  };
  // Releases made of each kind.
  using Counts = std::vector<int>;
  using Rule = std::function<bool(const Counts&)>;

  explicit WorstAdversary(const Params& params)
      : params_(params), half_(static_cast<int>(std::round(params.reach / params.step))) {
    for (const Kind& kind : params.kinds) steps_.push_back(StepOf(kind));
  }

  // `admitted` must be true of nothing and of everything below what it is true of.
  double Delta(const Rule& admitted) {
    known_.clear();
    return Value(Counts(params_.kinds.size(), 0), admitted)[static_cast<size_t>(half_)];
  }

 private:
  // Of one release: the chance of moving by so many cells, from −half_ on, and of all being told.
  struct Step {
    std::vector<double> moves;
    double told;
    int first;  // outside first … last the moves are too rare to matter, and count as told
    int last;
  };

  // P(loss ≤ x) and Q(loss ≤ x) of one release.
  struct Masses {
    double p;
    double q;
  };
  Masses Below(const Kind& kind, double x) const {
    const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
    const double nu = kind.sampling_rate;
    const double m = 1 / kind.noise_multiplier;
    // The loss of "in" rises with the noisy value z, and is ln(1 − ν + ν e^{mz − m²/2}).
    const double ratio = std::exp(params_.truth == Truth::kIn ? x : -x);
    const bool none = ratio <= 1 - nu;
    const double z = none ? -40 : (std::log((ratio - 1 + nu) / nu) + m * m / 2) / m;
    const double out = none ? 0 : phi(z);
    const double in = none ? 0 : (1 - nu) * phi(z) + nu * phi(z - m);
    if (params_.truth == Truth::kIn) return {.p = in, .q = out};
    const double out_above = none ? 1 : phi(-z);
    const double in_above = none ? 1 : (1 - nu) * phi(-z) + nu * phi(m - z);
    return {.p = out_above, .q = in_above};
  }

  Step StepOf(const Kind& kind) const {
    Step step = {.moves = std::vector<double>(static_cast<size_t>(2 * half_ + 1), 0),
                 .told = 0,
                 .first = 0,
                 .last = 2 * half_};
    Masses before = Below(kind, -params_.reach);
    step.moves[0] = before.p;  // rounded up
    for (int i = 0; i < 2 * half_; ++i) {
      const double low = (i - half_) * params_.step;
      const Masses after = Below(kind, low + params_.step);
      const double p = std::max(0.0, after.p - before.p);
      const double q = std::max(0.0, after.q - before.q);
      // p = left + right, q = left e^{−low} + right e^{−low−step}.
      const double right = std::clamp((p - q * std::exp(low)) / -std::expm1(-params_.step), 0.0, p);
      step.moves[static_cast<size_t>(i)] += p - right;
      step.moves[static_cast<size_t>(i) + 1] += right;
      before = after;
    }
    step.told = std::max(0.0, 1 - before.p);
    constexpr double kRare = 1e-13;
    while (step.moves[static_cast<size_t>(step.first)] < kRare) ++step.first;
    while (step.moves[static_cast<size_t>(step.last)] < kRare) --step.last;
    return step;
  }

  const std::vector<double>& Value(const Counts& counts, const Rule& admitted) {
    const auto known = known_.find(counts);
    if (known != known_.end()) return known->second;
    std::vector<double> value(static_cast<size_t>(2 * half_ + 1));
    for (int i = 0; i <= 2 * half_; ++i) {
      const double loss = (i - half_) * params_.step;
      value[static_cast<size_t>(i)] = std::max(0.0, -std::expm1(params_.epsilon - loss));
    }
    for (size_t kind = 0; kind < counts.size(); ++kind) {
      Counts next = counts;
      ++next[kind];
      if (!admitted(next)) continue;
      const std::vector<double>& then = Value(next, admitted);
      for (int i = 0; i <= 2 * half_; ++i) {
        double& best = value[static_cast<size_t>(i)];
        best = std::max(best, Mean(steps_[kind], then, i));
      }
    }
    return known_[counts] = std::move(value);
  }

  double Mean(const Step& step, const std::vector<double>& then, int at) const {
    double sum = step.told;
    for (int i = step.first; i <= step.last; ++i) {
      const int to = at + i - half_;
      const double value = to > 2 * half_ ? 1 : then[static_cast<size_t>(std::max(to, 0))];
      sum += step.moves[static_cast<size_t>(i)] * value;
    }
    return sum;
  }

  Params params_;
  int half_;  // cells from loss 0 to either end
  std::vector<Step> steps_;
  std::map<Counts, std::vector<double>> known_;
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_TESTS_ACCOUNTANT_FILTERS_WORST_ADVERSARY_H_
