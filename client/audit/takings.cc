#include "client/audit/takings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/filters/admission_policy.h"
#include "base/status_macros.h"
#include "client/audit/chain_replay.h"
#include "proto/ledger.pb.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

using accountant::CostVector;
using accountant::kDeadOrder;

class Recount {
 public:
  explicit Recount(WallPort& wall) : wall_(wall) {}

  absl::Status Take(const v1::LedgerEntry& entry) {
    TW_RETURN_IF_ERROR(chain_.Take(entry));
    if (chain_.chain().length() == 1) spent_ = chain_.spent_before();
    const v1::LedgerEvent* event = chain_.event();
    if (event == nullptr) return absl::OkStatus();
    if (event->has_plan_reserved()) return Reserve(*event);
    if (event->has_plan_cancelled()) return Cancel(*event);
    // Charges and releases take nothing: the plan was paid when it was reserved.
    if (chain_.replay().spent() != chain_.spent_before()) Step(After(), takings_.others);
    return absl::OkStatus();
  }

  // With what nobody was seen to spend until `epsilon` was told.
  Takings Finish(double epsilon) && {
    takings_.others.Add(chain_.empty() ? 0 : Epsilon(spent_), epsilon);
    takings_.spent = epsilon;
    takings_.is_forfeited = !chain_.empty() && chain_.replay().forfeited();
    return std::move(takings_);
  }

 private:
  double Epsilon(const CostVector& spent) const {
    return chain_.replay().policy().EpsilonSpent(spent);
  }

  void Step(CostVector after, Difference& of) {
    of.Add(Epsilon(spent_), Epsilon(after));
    spent_ = std::move(after);
  }

  // `spent`, moved as what is seen moves from one vector to the other.
  static CostVector Moved(CostVector spent, const CostVector& from, const CostVector& to) {
    for (size_t i = 0; i < spent.size(); ++i) {
      if (spent[i] == kDeadOrder || to[i] == kDeadOrder) {
        spent[i] = kDeadOrder;
      } else if (from[i] != kDeadOrder) {
        spent[i] = to[i] > from[i] ? spent[i] + (to[i] - from[i])
                                   : spent[i] - std::min(spent[i], from[i] - to[i]);
      }
    }
    return spent;
  }
  // What everybody had spent behind the last entry, if it came behind what is known.
  CostVector After() const { return Moved(spent_, chain_.spent_before(), chain_.replay().spent()); }

  // What everybody had spent right after an act on a plan, where that cannot be counted here.
  absl::StatusOr<std::optional<CostVector>> Receipted(const std::string& plan_id,
                                                      const v1::LedgerEvent& event) {
    std::optional<CostVector> spent;
    if (chain_.unseen() == 0) return spent;
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

  struct Around {
    double before, after;
  };

  // The plan's part of what came until this act, and first that of others. What everybody had spent
  // around it.
  absl::StatusOr<Around> Act(const std::string& plan_id, const v1::LedgerEvent& event,
                             Difference& taken) {
    TW_ASSIGN_OR_RETURN(std::optional<CostVector> after, Receipted(plan_id, event));
    if (after.has_value()) {
      // The receipt is of right after the act. Without what the act itself changed, it says how far
      // others had come.
      Step(Moved(*after, chain_.replay().spent(), chain_.spent_before()), takings_.others);
    }
    const double before = Epsilon(spent_);
    Step(after.has_value() ? *std::move(after) : After(), taken);
    return Around{.before = before, .after = Epsilon(spent_)};
  }

  absl::Status Reserve(const v1::LedgerEvent& event) {
    const v1::PlanReserved& terms = event.plan_reserved();
    if (!places_.emplace(terms.plan_id(), takings_.plans.size()).second) {
      return absl::DataLossError(absl::StrCat("entry ", event.sequence(),
                                              " reserves a plan that cannot be counted. See "
                                              "`topicwall ledger`."));
    }
    PlanTaking& taking = takings_.plans.emplace_back();
    taking.plan_id = terms.plan_id();
    taking.principal = event.principal();
    taking.corpus = terms.spec().corpus();
    taking.iterations = terms.spec().iterations();
    TW_ASSIGN_OR_RETURN(const Around around, Act(terms.plan_id(), event, taking.taken));
    taking.spent_before = around.before;
    taking.spent_after = around.after;
    return absl::OkStatus();
  }

  absl::Status Cancel(const v1::LedgerEvent& event) {
    const auto found = places_.find(event.plan_cancelled().plan_id());
    if (found == places_.end()) return absl::OkStatus();  // of somebody else's
    PlanTaking& taking = takings_.plans[found->second];
    taking.is_cancelled = true;
    return Act(found->first, event, taking.taken).status();
  }

  WallPort& wall_;
  ChainReplay chain_;
  CostVector spent_;                      // by everybody, as far as it is known
  std::map<std::string, size_t> places_;  // of plans, in takings_
  std::map<std::string, v1::PlanState> shown_;
  Takings takings_;
};

}  // namespace

void Difference::Add(double before, double after) {
  exact += after - before;
  told += proto::Told(after) - proto::Told(before);
}

absl::StatusOr<Takings> TakingsOf(WallPort& wall, const v1::BudgetStatus& budget) {
  TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                      wall.ReadLedger(budget.corpus(), 1));
  return TakingsOf(wall, budget, entries);
}

absl::StatusOr<Takings> TakingsOf(WallPort& wall, const v1::BudgetStatus& budget,
                                  absl::Span<const v1::LedgerEntry> entries) {
  Recount recount(wall);
  for (const v1::LedgerEntry& entry : entries) {
    if (entry.sequence() > budget.events()) break;
    TW_RETURN_IF_ERROR(recount.Take(entry));
  }
  return std::move(recount).Finish(budget.epsilon_spent());
}

}  // namespace topicwall::client
