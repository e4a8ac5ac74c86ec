#include "client/audit/chain_replay.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
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
    const v1::LedgerEvent& event = chain_.event();
    replay_->Apply(event);
    if (event.has_budgets_summed()) sums_.push_back(event.budgets_summed().sum());
    if (event.has_plan_reserved()) {
      sums_before_plan_.emplace(event.plan_reserved().plan_id(), sums_.size());
    }
  } else {
    ++unseen_;
    replay_->ApplyUnseen();
  }
  return absl::OkStatus();
}

std::vector<v1::BudgetSum> ChainReplay::SumsSince(const std::vector<std::string>& plan_ids) const {
  size_t first = sums_.size() + 1;
  for (const std::string& id : plan_ids) {
    const auto found = sums_before_plan_.find(id);
    if (found != sums_before_plan_.end()) first = std::min(first, found->second);
  }
  if (first == 0 || first > sums_.size()) return {};
  return {sums_.begin() + static_cast<std::ptrdiff_t>(first) - 1, sums_.end()};
}

namespace {

std::string DifferenceOfPrice(const NotedPrice& noted, const LedgerReplay& chain) {
  // As a quote prices them: releases of one price, of which the first plan has the least noise.
  const std::vector<v1::PlanReserved> plans = chain.TermsOf(noted.plan_ids);
  if (plans.empty() || plans.size() != noted.plan_ids.size()) return "";
  v1::ReleaseSpec all = plans.front().spec();
  int32_t iterations = 0;
  for (const v1::PlanReserved& plan : plans) iterations += plan.spec().iterations();
  all.set_iterations(iterations);
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

// A fit notes the sum when it begins, and whenever it goes on.
std::string DifferenceOfSum(const NotedPrice& noted, const ChainReplay& chain) {
  if (!noted.sum.has_value()) return "";
  const std::vector<v1::BudgetSum> told = chain.SumsSince(noted.plan_ids);
  const bool is_told = std::any_of(told.begin(), told.end(), [&noted](const v1::BudgetSum& sum) {
    return IsSameSum(sum, *noted.sum);
  });
  if (is_told) return "";
  if (told.empty()) {
    const bool is_seen = !chain.replay().TermsOf(noted.plan_ids).empty();
    // An early ledger told none, also of a budget that stood alone.
    if (!is_seen || chain.unseen() > 0 || !IsShared(*noted.sum)) return "";
    return absl::StrCat(noted.what,
                        " says of budgets that may concern the same people: ", SaidOf(*noted.sum),
                        "; before its plans were reserved the ledger told nothing of any.");
  }
  return absl::StrCat(
      noted.what, " says of budgets that may concern the same people: ", SaidOf(*noted.sum),
      "; when its plans were reserved the ledger told: ", SaidOf(told.front()), ".");
}

}  // namespace

std::string DifferenceOf(const NotedPrice& noted, const ChainReplay& chain) {
  const std::string difference = DifferenceOfPrice(noted, chain.replay());
  return difference.empty() ? DifferenceOfSum(noted, chain) : difference;
}

}  // namespace topicwall::client
