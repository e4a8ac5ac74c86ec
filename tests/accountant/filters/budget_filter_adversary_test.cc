// A budget filter with a Gaussian witness against the best adversary there is, computed by exact
// dynamic programming (worst_adversary.h): what it reaches is at most what was promised, nearly all
// of it can be reached, and rules that are a little wrong are found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/filters/budget_filter.h"
#include "tests/accountant/filters/worst_adversary.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

using Counts = WorstAdversary::Counts;
using Kind = WorstAdversary::Kind;

// Of the grid of losses, upwards: a few parts in ten thousand.
constexpr double kGrid = 1e-3;
constexpr double kLeastWeight = 0x1p-32;
// At any budget here ln(w δ)/(a−1) is hundreds of times ε: it admits nothing.
constexpr double kUselessOrder = 1 + 0x1p-10;

FilterSpec Spec(const PrivacyParams& budget, double gaussian_weight, double order) {
  const double weight = std::ldexp(std::floor(std::ldexp(gaussian_weight, 32)), -32);
  return {.budget = budget, .orders = {order}, .weights = {1 - weight}, .gaussian_weight = weight};
}

SubsampledGaussian ReleaseOf(const Kind& kind) {
  return *SubsampledGaussian::Create(
      {.sampling_rate = kind.sampling_rate, .noise_multipliers = {kind.noise_multiplier}});
}

// σ at which `releases` full-batch releases spend the Gaussian witness of `spec` to the last unit.
double NoiseThatFills(const FilterSpec& spec, int releases) {
  const GaussianWitness witness(spec.gaussian_weight, spec.budget.delta);
  const auto units = static_cast<int64_t>(std::floor(std::ldexp(spec.budget.epsilon, 32)));
  const double squares = std::ldexp(static_cast<double>(witness.BudgetAt(units)), -32);
  return std::sqrt(releases / squares) * (1 + 1e-7);
}

// Whether a filter lets releases of these kinds happen, one plan each: whatever plans and cancels
// came between, what was charged is no more than some plan that was admitted.
WorstAdversary::Rule RuleOf(const FilterSpec& spec, const std::vector<Kind>& kinds) {
  const BudgetFilter filter = *BudgetFilter::Create(spec);
  std::vector<CostVector> costs;
  for (const Kind& kind : kinds) costs.push_back(*filter.CostPerRelease(ReleaseOf(kind)));
  return [filter, costs](const Counts& counts) {
    CostVector spent = filter.NothingSpent();
    for (size_t i = 0; i < counts.size(); ++i) {
      spent = filter.SpentAfter(spent, costs[i], counts[i]);
    }
    return filter.Admit(spent, spent, 0).has_value();
  };
}

double WorstDelta(double epsilon, const std::vector<Kind>& kinds, Truth truth,
                  const WorstAdversary::Rule& rule) {
  return WorstAdversary({.epsilon = epsilon, .kinds = kinds, .truth = truth}).Delta(rule);
}

TEST(BudgetFilterAdversaryTest, TheGaussianWitnessKeepsToItsShareHoweverKindsAreChosen) {
  for (const PrivacyParams& budget :
       {PrivacyParams{.epsilon = 1, .delta = 0.05}, PrivacyParams{.epsilon = 2, .delta = 1e-3}}) {
    for (const double share : {0.5, 0.9}) {
      const FilterSpec spec = Spec(budget, share, kUselessOrder);
      const double sigma = NoiseThatFills(spec, 5);
      const std::vector<Kind> kinds = {{1, sigma}, {1, 1.7 * sigma}, {0.3, 0.8 * sigma}};
      for (const Truth truth : {Truth::kIn, Truth::kOut}) {
        const double right = WorstDelta(budget.epsilon, kinds, truth, RuleOf(spec, kinds));
        EXPECT_LE(right, share * budget.delta * (1 + kGrid)) << share;
        EXPECT_GE(right, share * budget.delta * (1 - kGrid)) << "full batches use all of it";
        // The witness at the whole δ instead.
        const FilterSpec whole = Spec(budget, 1 - kLeastWeight, kUselessOrder);
        const double more = NoiseThatFills(whole, 5);
        const std::vector<Kind> louder = {{1, more}, {0.3, 0.8 * more}};
        EXPECT_GT(WorstDelta(budget.epsilon, louder, truth, RuleOf(whole, louder)),
                  share * budget.delta * 1.1);
        EXPECT_LE(WorstDelta(budget.epsilon, louder, truth, RuleOf(spec, louder)),
                  share * budget.delta * (1 + kGrid));
      }
    }
  }
}

TEST(BudgetFilterAdversaryTest, BothKindsOfWitnessTogetherStayWithinDelta) {
  struct Case {
    PrivacyParams budget;
    double share;
    double order;
    Kind sampled;
  };
  for (const Case& c : {Case{{.epsilon = 1, .delta = 0.05}, 0.5, 4, {0.1, 1.0}},
                        Case{{.epsilon = 3, .delta = 0.05}, 0.5, 3, {0.05, 0.6}}}) {
    const FilterSpec spec = Spec(c.budget, c.share, c.order);
    const std::vector<Kind> kinds = {{1, NoiseThatFills(spec, 4)}, c.sampled};
    const auto rule = RuleOf(spec, kinds);
    EXPECT_TRUE(rule({4, 0}) && !rule({5, 0}));
    EXPECT_TRUE(rule({0, 3})) << "sampled releases beyond what G holds";
    EXPECT_FALSE(RuleOf(Spec(c.budget, 1 - kLeastWeight, kUselessOrder), kinds)({0, 3}));
    for (const Truth truth : {Truth::kIn, Truth::kOut}) {
      const double reached = WorstDelta(c.budget.epsilon, kinds, truth, rule);
      EXPECT_LE(reached, c.budget.delta);
      EXPECT_GE(reached, c.share * c.budget.delta * (1 - kGrid));
    }
  }
}

// A budget of 145 units, so that one more is 4 % of δ: by the plain Gaussian's own formula.
TEST(BudgetFilterAdversaryTest, NotOneUnitMoreThanFits) {
  const PrivacyParams budget = {.epsilon = 1e-3, .delta = 1e-12};
  const BudgetFilter filter = *BudgetFilter::Create(Spec(budget, 0.9, kUselessOrder));
  const double sigma = 0x1p16 * (1 + 0x1p-30);  // just under one unit each
  const CostVector cost = *filter.CostPerRelease(ReleaseOf({1, sigma}));
  ASSERT_EQ(cost.back(), 1u);
  const int64_t most = filter.MostReleases(filter.NothingSpent(), cost);
  const auto delta_of = [&](int64_t releases) {
    return GaussianDeltaLowerBound(budget.epsilon,
                                   sigma / std::sqrt(static_cast<double>(releases)));
  };
  EXPECT_LE(delta_of(most), 0.9 * budget.delta);
  EXPECT_GT(delta_of(most + 1), 0.9 * budget.delta * 1.03);
  EXPECT_FALSE(filter.Admit(filter.NothingSpent(), cost, most + 1).has_value());
}

// The chance that at some of its steps a walk of full-batch releases, the t-th adding squares[t] to
// μ², has a loss beyond limits[t]. On a grid, losses rounded up (down) in every step, so an upper
// (lower) bound.
enum class Rounding { kUp, kDown };
double ChanceToExceed(const std::vector<double>& squares, const std::vector<double>& limits,
                      Rounding rounding) {
  constexpr int kCells = 3000;  // either side of 0
  const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  double all = 0;
  for (const double square : squares) all += square;
  const double step = (all / 2 + 9 * std::sqrt(all)) / kCells;
  std::vector<double> chance(2 * kCells + 1, 0);
  chance[kCells] = 1;
  double exceeded = 0;
  for (size_t t = 0; t < squares.size(); ++t) {
    const double deviation = std::sqrt(squares[t]);
    const int reach = static_cast<int>((squares[t] / 2 + 8 * deviation) / step) + 1;
    std::vector<double> moves;
    for (int i = -reach; i <= reach; ++i) {
      const double low = step * (rounding == Rounding::kUp ? i - 1 : i);
      moves.push_back(phi((low + step - squares[t] / 2) / deviation) -
                      phi((low - squares[t] / 2) / deviation));
    }
    std::vector<double> after(chance.size(), 0);
    for (int from = 0; from <= 2 * kCells; ++from) {
      if (chance[static_cast<size_t>(from)] == 0) continue;
      for (int i = -reach; i <= reach; ++i) {
        const int to = std::clamp(from + i, 0, 2 * kCells);
        const double moved =
            chance[static_cast<size_t>(from)] * moves[static_cast<size_t>(i + reach)];
        const bool beyond = step * (to - kCells) > limits[t];
        (beyond ? exceeded : after[static_cast<size_t>(to)]) += moved;
      }
    }
    chance = std::move(after);
  }
  return exceeded;
}

// 26 releases, each as much as all before it, so that each is nearly a look of its own.
class OdometerWalk {
 public:
  explicit OdometerWalk(const FilterSpec& spec) : filter_(*BudgetFilter::Create(spec)) {
    const double first = NoiseThatFills(spec, 1);
    CostVector spent = filter_.NothingSpent();
    double sum = 0;
    for (int t = 0; t < 26; ++t) {
      const double sigma = first * std::pow(2.0, (26 - std::max(t, 1)) / 2.0) * (1 + 1e-6);
      const auto admitted = filter_.Admit(spent, *filter_.CostPerRelease(ReleaseOf({1, sigma})), 1);
      EXPECT_TRUE(admitted.has_value()) << t;
      spent = admitted->spent_after;
      squares.push_back(1 / (sigma * sigma));
      sum += squares.back();
      odometer.push_back(filter_.OdometerUpperBound(spent));
      curve_so_far.push_back(GaussianEpsilonUpperBound(spec.budget.delta, 1 / std::sqrt(sum)));
    }
  }

  std::vector<double> squares;
  std::vector<double> odometer;
  std::vector<double> curve_so_far;  // the Gaussian ε, at δ, of μ² so far

 private:
  BudgetFilter filter_;
};

TEST(BudgetFilterAdversaryTest, TheOdometerHoldsWhereverTheAnalystStops) {
  const FilterSpec spec = Spec({.epsilon = 1, .delta = 1e-2}, 1 - kLeastWeight, kUselessOrder);
  const OdometerWalk walk(spec);
  for (const double limit : walk.odometer) EXPECT_EQ(limit, walk.odometer.front()) << "a constant";
  const double chance = ChanceToExceed(walk.squares, walk.odometer, Rounding::kUp);
  EXPECT_LE(chance, spec.budget.delta);
  EXPECT_GT(chance, 0.3 * spec.budget.delta);
}

TEST(BudgetFilterAdversaryTest, TheCurveAtWhatIsSpentSoFarIsNoOdometer) {
  const FilterSpec spec = Spec({.epsilon = 1, .delta = 1e-2}, 1 - kLeastWeight, kUselessOrder);
  const OdometerWalk walk(spec);
  EXPECT_GT(ChanceToExceed(walk.squares, walk.curve_so_far, Rounding::kDown),
            40 * spec.budget.delta);
  // Nor is the loss at all times of a budget that is just what was spent so far.
  const GaussianWitness witness(spec.gaussian_weight, spec.budget.delta);
  std::vector<double> moving;
  double sum = 0;
  for (const double square : walk.squares) {
    sum += square;
    moving.push_back(witness.EpsilonAtAllTimes(static_cast<uint64_t>(std::ldexp(sum, 32))));
  }
  EXPECT_GT(ChanceToExceed(walk.squares, moving, Rounding::kDown), 1.5 * spec.budget.delta);
}

// A release that says one bit, "z > t", is a function of a Gaussian one, and its loss is more
// evenly spread: the bit of probability w_G δ has just the loss that the odometer states.
TEST(BudgetFilterAdversaryTest, TheOdometerHoldsForReleasesThatMergeOutcomes) {
  const FilterSpec spec = Spec({.epsilon = 1, .delta = 1e-2}, 1 - kLeastWeight, kUselessOrder);
  const double x = OdometerWalk(spec).odometer.front();
  const double mu = 1 / NoiseThatFills(spec, 1);
  const auto tail = [](double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); };
  double most = 0;
  for (double t = -3; t < 5; t += 1e-4) {
    if (std::log(tail(t) / tail(t + mu)) > x) most = std::max(most, tail(t));
  }
  EXPECT_LE(most, spec.budget.delta);
  EXPECT_GT(most, 0.999 * spec.budget.delta);
}

}  // namespace
}  // namespace topicwall::accountant
