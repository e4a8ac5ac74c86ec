#include "accountant/ledger/price_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/told_numbers.h"

namespace topicwall::accountant::ledger {

v1::AttackBounds RecordOf(const AttackBounds& bounds) {
  v1::AttackBounds record;
  record.set_best_posterior_at_even_odds(bounds.guess_at_even_odds);
  record.set_true_positive_rate_at_fpr_0_1_percent(bounds.true_positives_at_fpr_0_1_percent);
  record.set_true_positive_rate_at_fpr_1_percent(bounds.true_positives_at_fpr_1_percent);
  record.set_true_positive_rate_at_fpr_10_percent(bounds.true_positives_at_fpr_10_percent);
  return record;
}

bool IsAPromise(const PrivacyParams& pair) { return pair.delta < 1; }

std::string PromiseText(const PrivacyParams& pair) {
  if (!IsAPromise(pair)) return "no promise (delta would be 1)";
  return absl::StrCat("epsilon ", proto::EpsilonText(pair.epsilon), " at delta ",
                      proto::DeltaText(pair.delta));
}

absl::StatusOr<OtherUnits> OtherUnitsOf(const PrivacyParams& promise) {
  OtherUnits others;
  TW_ASSIGN_OR_RETURN(others.replace_one, GroupOf(promise, 2));
  for (const int units : {2, 5, 10}) {
    TW_ASSIGN_OR_RETURN(const PrivacyParams group, GroupOf(promise, units));
    v1::GroupGuarantee& guarantee = *others.groups.Add();
    guarantee.set_units(units);
    guarantee.set_epsilon(group.epsilon);
    guarantee.set_delta(group.delta);
  }
  return others;
}

absl::Status TellPromise(const PrivacyParams& promise, const AttackBounds& bounds,
                         v1::PlanPrice* price) {
  TW_ASSIGN_OR_RETURN(OtherUnits units, OtherUnitsOf(promise));
  *price->mutable_attack_bounds() = RecordOf(bounds);
  price->set_replace_one_epsilon(units.replace_one.epsilon);
  price->set_replace_one_delta(units.replace_one.delta);
  *price->mutable_groups() = std::move(units.groups);
  return absl::OkStatus();
}

absl::Status TellSum(const v1::BudgetSum& sum, v1::PlanPrice* price) {
  price->clear_sum();
  price->clear_sum_attack_bounds();
  price->clear_sum_replace_one_epsilon();
  price->clear_sum_replace_one_delta();
  price->clear_sum_groups();
  if (sum.budgets().empty()) return absl::OkStatus();
  *price->mutable_sum() = sum;
  const PrivacyParams promise{.epsilon = sum.epsilon(), .delta = sum.delta()};
  if (!Validate(promise).ok()) return absl::OkStatus();  // promises nothing
  TW_ASSIGN_OR_RETURN(const AttackBounds bounds, BoundAttacks(promise));
  TW_ASSIGN_OR_RETURN(OtherUnits units, OtherUnitsOf(promise));
  *price->mutable_sum_attack_bounds() = RecordOf(bounds);
  price->set_sum_replace_one_epsilon(units.replace_one.epsilon);
  price->set_sum_replace_one_delta(units.replace_one.delta);
  *price->mutable_sum_groups() = std::move(units.groups);
  return absl::OkStatus();
}

}  // namespace topicwall::accountant::ledger
