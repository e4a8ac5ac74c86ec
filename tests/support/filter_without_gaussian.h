// The filter of budgets opened before there was a Gaussian witness: what ledgers of then hold.
#ifndef TOPICWALL_TESTS_SUPPORT_FILTER_WITHOUT_GAUSSIAN_H_
#define TOPICWALL_TESTS_SUPPORT_FILTER_WITHOUT_GAUSSIAN_H_

#include <cstddef>

#include "accountant/filters/budget_filter.h"
#include "accountant/filters/filter_spec.h"

namespace topicwall::testing {

// 0.9 of δ for the order at which most full-batch releases fit, 0.1 for the others together.
inline accountant::FilterSpec FilterWithoutGaussian(const accountant::PrivacyParams& budget) {
  accountant::FilterSpec spec =
      *accountant::BudgetFilter::DefaultSpec(budget, accountant::PlannedUse::kSampled);
  size_t main = 0;
  double most = -1e300;
  for (size_t i = 0; i < spec.orders.size(); ++i) {
    const double fit = (budget.epsilon -
                        accountant::ConversionCostUpperBound(
                            spec.orders[i], accountant::LogFailureProbability(0.9, budget.delta))) /
                       spec.orders[i];
    if (fit <= most) continue;
    most = fit;
    main = i;
  }
  spec.weights.assign(spec.orders.size(), (1 - 0.9) / static_cast<double>(spec.orders.size() - 1));
  spec.weights[main] = 0.9;
  return spec;
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_FILTER_WITHOUT_GAUSSIAN_H_
