#include "client/audit/takings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/filters/admission_policy.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/audit/spend.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {
namespace {

using accountant::AdmissionPolicy;
using accountant::CostVector;
using accountant::kDeadOrder;
using accountant::PlanCost;

class Recount {
 public:
  Recount(WallPort& wall, AdmissionPolicy policy)
      : wall_(wall), policy_(std::move(policy)), spent_(policy_.NothingSpent()) {}

  absl::Status Take(const v1::LedgerEntry& entry) {
    if (entry.event().empty()) {
      has_unseen_ = true;
      return absl::OkStatus();
    }
    v1::LedgerEvent event;
    if (!event.ParseFromString(entry.event())) {
      return absl::DataLossError(absl::StrCat("entry ", entry.sequence(), " does not parse."));
    }
    // Charges and releases take nothing: the plan was paid when it was reserved.
    if (event.has_plan_reserved()) return Reserve(event);
    if (event.has_plan_cancelled()) return Cancel(event);
    const v1::BudgetThawed& thawed = event.budget_thawed();
    if (thawed.ground() == v1::BudgetThawed::FORFEITED || thawed.forfeited_unseen()) {
      Step(policy_.EverythingSpent(), takings_.others);
    }
    return absl::OkStatus();
  }

  // With what nobody was seen to spend until `epsilon` was told.
  Takings Finish(double epsilon) && {
    takings_.others.Add(policy_.EpsilonUpperBound(spent_), epsilon);
    return std::move(takings_);
  }

 private:
  struct Plan {
    size_t place;  // in takings_.plans
    PlanCost cost;
  };

  void Step(CostVector after, Difference& of) {
    of.Add(policy_.EpsilonUpperBound(spent_), policy_.EpsilonUpperBound(after));
    spent_ = std::move(after);
  }

  // What everybody had spent right after an act on a plan, where that cannot be counted here.
  absl::StatusOr<std::optional<CostVector>> Receipted(const std::string& plan_id,
                                                      const v1::LedgerEvent& event) {
    std::optional<CostVector> spent;
    if (!has_unseen_) return spent;
    if (shown_.count(plan_id) == 0) {
      TW_ASSIGN_OR_RETURN(shown_[plan_id], wall_.GetPlan(plan_id));
    }
    const v1::PlanState& plan = shown_[plan_id];
    const v1::SignedReceipt& signed_receipt =
        event.has_plan_cancelled() ? plan.cancellation_receipt() : plan.reservation_receipt();
    v1::Receipt receipt;
    if (!receipt.ParseFromString(signed_receipt.receipt()) ||
        receipt.entry().sequence() != event.sequence() ||
        static_cast<size_t>(receipt.spent_size()) != spent_.size()) {
      return spent;
    }
    return std::optional<CostVector>({receipt.spent().begin(), receipt.spent().end()});
  }

  // What was spent before a plan that was reserved. Where it used up an order, what is known.
  CostVector Without(CostVector after, const CostVector& cost) const {
    for (size_t i = 0; i < after.size(); ++i) {
      after[i] = after[i] == kDeadOrder ? spent_[i] : after[i] - std::min(after[i], cost[i]);
    }
    return after;
  }

  absl::Status Reserve(const v1::LedgerEvent& event) {
    const v1::PlanReserved& terms = event.plan_reserved();
    Plan plan = {.place = takings_.plans.size(),
                 .cost = {.cost = {terms.cost().begin(), terms.cost().end()},
                          .iterations = terms.spec().iterations()}};
    if (plan.cost.cost.size() != spent_.size() || plans_.count(terms.plan_id()) != 0) {
      return absl::DataLossError(absl::StrCat("entry ", event.sequence(),
                                              " reserves a plan that cannot be counted. See "
                                              "`topicwall ledger`."));
    }
    PlanTaking& taking = takings_.plans.emplace_back();
    taking.plan_id = terms.plan_id();
    taking.principal = event.principal();
    taking.corpus = terms.spec().corpus();
    taking.iterations = terms.spec().iterations();
    TW_ASSIGN_OR_RETURN(std::optional<CostVector> after, Receipted(terms.plan_id(), event));
    if (after.has_value()) {
      const CostVector whole = policy_.Spending(plan.cost, plan.cost.iterations);
      Step(Without(*after, whole), takings_.others);
    } else {
      after = policy_.SpentAfter(spent_, plan.cost);
    }
    Step(*std::move(after), taking.taken);
    plans_.emplace(terms.plan_id(), std::move(plan));
    return absl::OkStatus();
  }

  absl::Status Cancel(const v1::LedgerEvent& event) {
    const v1::PlanCancelled& act = event.plan_cancelled();
    const auto found = plans_.find(act.plan_id());
    if (found == plans_.end()) {
      has_unseen_ = true;  // of somebody else's
      return absl::OkStatus();
    }
    const Plan& plan = found->second;
    PlanTaking& taking = takings_.plans[plan.place];
    taking.is_cancelled = true;
    const int64_t used = plan.cost.iterations - act.iterations_returned();
    TW_ASSIGN_OR_RETURN(std::optional<CostVector> after, Receipted(act.plan_id(), event));
    if (after.has_value()) {
      CostVector returned = policy_.Spending(plan.cost, plan.cost.iterations);
      const CostVector kept = policy_.Spending(plan.cost, used);
      for (size_t i = 0; i < returned.size(); ++i) {
        returned[i] = returned[i] == kDeadOrder ? 0 : returned[i] - std::min(returned[i], kept[i]);
      }
      Step(policy_.SpentAfter(*after, {.cost = std::move(returned), .iterations = 1}),
           takings_.others);
    } else {
      TW_ASSIGN_OR_RETURN(after, policy_.Refund(spent_, plan.cost, used));
    }
    Step(*std::move(after), taking.taken);
    return absl::OkStatus();
  }

  WallPort& wall_;
  const AdmissionPolicy policy_;
  CostVector spent_;  // by everybody, as far as it is known
  bool has_unseen_ = false;
  std::map<std::string, Plan> plans_;
  std::map<std::string, v1::PlanState> shown_;
  Takings takings_;
};

}  // namespace

void Difference::Add(double before, double after) {
  exact += after - before;
  told += Told(after) - Told(before);
}

absl::StatusOr<Takings> TakingsOf(WallPort& wall, const v1::BudgetStatus& budget) {
  TW_ASSIGN_OR_RETURN(AdmissionPolicy policy, PolicyOf(budget));
  TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                      wall.ReadLedger(budget.corpus(), 1));
  Recount recount(wall, std::move(policy));
  for (const v1::LedgerEntry& entry : entries) {
    if (entry.sequence() > budget.events()) break;
    TW_RETURN_IF_ERROR(recount.Take(entry));
  }
  return std::move(recount).Finish(budget.epsilon_spent());
}

}  // namespace topicwall::client
