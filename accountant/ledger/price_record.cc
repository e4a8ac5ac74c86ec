#include "accountant/ledger/price_record.h"

#include "base/status_macros.h"

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

absl::StatusOr<OtherUnits> OtherUnitsOf(const PrivacyParams& promise) {
  OtherUnits others;
  TW_ASSIGN_OR_RETURN(others.replace_one, ReplaceOne(promise));
  for (const int units : {2, 5, 10}) {
    TW_ASSIGN_OR_RETURN(const PrivacyParams group, GroupOf(promise, units));
    v1::GroupGuarantee& guarantee = *others.groups.Add();
    guarantee.set_units(units);
    guarantee.set_epsilon(group.epsilon);
    guarantee.set_delta(group.delta);
  }
  return others;
}

}  // namespace topicwall::accountant::ledger
