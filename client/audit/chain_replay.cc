#include "client/audit/chain_replay.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"

namespace topicwall::client {

// The hash first: an event is worth reading only once it holds.
absl::Status ChainReplay::Take(const v1::LedgerEntry& entry) {
  TW_RETURN_IF_ERROR(chain_.Add(entry));
  is_seen_ = !entry.event().empty();
  if (!replay_.has_value()) {
    TW_ASSIGN_OR_RETURN(replay_, LedgerReplay::Create(chain_.event()));
    spent_before_ = replay_->spent();
    return absl::OkStatus();
  }
  spent_before_ = replay_->spent();
  if (is_seen_) {
    replay_->Apply(chain_.event());
  } else {
    ++unseen_;
    replay_->ApplyUnseen();
  }
  return absl::OkStatus();
}

std::string DifferenceOf(const NotedPrice& noted, const LedgerReplay& chain) {
  // As a quote prices them: releases of one price, of which the first plan has the least noise.
  v1::ReleaseSpec all;
  size_t shown = 0;
  for (const AuditedPlan& plan : chain.Plans()) {
    const v1::PlanReserved& terms = plan.terms;
    if (std::find(noted.plan_ids.begin(), noted.plan_ids.end(), terms.plan_id()) ==
        noted.plan_ids.end()) {
      continue;
    }
    const int32_t before = all.iterations();
    if (shown++ == 0) all = terms.spec();
    all.set_iterations(before + terms.spec().iterations());
  }
  if (shown == 0 || shown != noted.plan_ids.size()) return "";
  const accountant::AdmissionPolicy& policy = chain.policy();
  const absl::StatusOr<double> alone = PriceAlone(policy, all);
  if (!alone.ok()) return "";  // a finding of the replay
  if (noted.delta == policy.budget().delta && IsSameEpsilon(policy, noted.epsilon, *alone)) {
    return "";
  }
  return absl::StrCat(noted.what, " says that it cost epsilon ", noted.epsilon, " alone at delta ",
                      noted.delta, "; by the ledger its plans cost epsilon ", *alone, " at ",
                      policy.budget().delta, ".");
}

}  // namespace topicwall::client
