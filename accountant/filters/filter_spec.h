// FilterSpec: what a budget filter enforces, recorded when a budget is opened and never changed.
//
// The budget (ε, δ) is split over orders a > 1: order a may fail with probability w_a δ. At that
// order, converting a spent Rényi price into ε costs
//   offset(a) = ln((a−1)/a) − (ln(w_a δ) + ln a)/(a−1)      [nats],
// so that B(a) = ε − offset(a) is left for releases (see budget_filter.h). A Gaussian witness, if
// there is one, may fail with probability w_G δ (see gaussian_witness.h). PUBLIC.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_FILTER_SPEC_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_FILTER_SPEC_H_

#include <vector>

#include "absl/status/status.h"
#include "accountant/events/privacy_params.h"

namespace topicwall::accountant {

struct FilterSpec {
  PrivacyParams budget;         // epsilon at most 2^20
  std::vector<double> orders;   // strictly increasing, in [1 + 2^-10, 2^20]
  std::vector<double> weights;  // one per order, > 0, together at most 1
  int fixed_point_bits = 32;    // 16 … 40: prices are counted in 2^-this nats
  // w_G; 0: no Gaussian witness, as in every budget opened before there was one. With one, all
  // weights are multiples of 2^-32 that add up to at most 1 exactly, and fixed_point_bits is 32.
  double gaussian_weight = 0;

  bool operator==(const FilterSpec&) const = default;
};

// INVALID_ARGUMENT, naming field, rule and value, for a budget or spec outside these rules. The
// weights' sum may pass 1 by its rounding, at most 2^-44, which LogFailureProbability takes back.
absl::Status ValidateFilterBudget(const PrivacyParams& budget);
absl::Status Validate(const FilterSpec& spec);

// ln(w_a δ), lowered by 2^-43 to pay for weights that add up to 1 only up to rounding.
double LogFailureProbability(double weight, double delta);

// offset(a), rounded up by more than its error.
double ConversionCostUpperBound(double order, double log_failure_probability);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_FILTER_SPEC_H_
