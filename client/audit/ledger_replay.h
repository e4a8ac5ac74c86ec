// The sums of a budget, event by event: what AuditLedger (budget_auditor.h) adds up with.
//
//   absl::StatusOr<LedgerReplay> replay = LedgerReplay::Create(first_event);
//   replay->Apply(event);           // each visible event behind the first, in order
//   replay->spent();                // as the enforced policy counts
//
// Under a filter, prices are this program's own, from the mechanism that the event names; the
// price that the wall recorded beside it is only compared. Under an inventory, the vouchers that
// the wall recorded are checked: one that suffices for each release, no more of a kind than there
// are, and, where every event since the opening was seen, the ones that the rule draws. Between a
// restore and its thaw, plans of the lost ledger are taken over, fit or not: they did happen.
//
// An event that contradicts those before it is a finding, and is applied as far as it makes sense.
// It gives back nothing that was charged or came back before, and terms without a price spend
// everything. But what it may have cost is not always added: a second plan of the same id, or a
// charge to a cancelled plan, is a finding alone. With findings the sums are no upper bound.
// PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_AUDIT_LEDGER_REPLAY_H_
#define TOPICWALL_CLIENT_AUDIT_LEDGER_REPLAY_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "accountant/filters/admission_policy.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {

// Two versions of this program may price by different quadratures, each an upper bound; their
// sums may differ by this much, relatively, before it is a finding. The ε of composed vouchers
// comes from a bracket of some width; the vouchers themselves are counted exactly.
inline constexpr double kPriceTolerance = 1e-6;
inline constexpr double kComposedTolerance = 1e-3;
// Of two sums in a filter's fixed point; one unit is always allowed.
bool IsSamePrice(uint64_t a, uint64_t b);

// A visible plan, as its events tell it.
struct AuditedPlan {
  std::string principal;
  v1::PlanReserved terms;
  int32_t charged = 0;   // iterations
  int32_t returned = 0;  // iterations, by cancelling
  bool cancelled = false;
  bool expired = false;            // cancelled by the wall
  int32_t voided = 0;              // iterations, charged, that never had a release
  double epsilon_upper_bound = 0;  // of its iterations that were not returned, alone
};

// Of the visible events.
struct TimingRecount {
  int64_t overruns = 0;  // releases that missed their first instant
  int64_t restarts = 0;  // releases that waited for a restarted server
  int64_t voided = 0;    // charged iterations that ended without a release
};

class LedgerReplay {
 public:
  // From a budget's first event. DATA_LOSS if it is not its opening, with a usable policy.
  static absl::StatusOr<LedgerReplay> Create(const v1::LedgerEvent& opening);

  void Apply(const v1::LedgerEvent& event);
  // One that came as a commitment only: later acts may be about plans that were never seen.
  void ApplyUnseen() { has_unseen_ = true; }

  const accountant::AdmissionPolicy& policy() const { return policy_; }
  v1::PrivacyUnit privacy_unit() const { return privacy_unit_; }
  const accountant::CostVector& spent() const { return spent_; }
  // Of one principal's plans; nothing spent for a name never seen.
  accountant::CostVector SpentBy(const std::string& principal) const;
  bool forfeited() const { return forfeited_; }
  const TimingRecount& timing() const { return timing_; }
  // What the chain said last of budgets that may concern the same people; empty if never.
  const v1::BudgetSum& sum() const { return sum_; }
  // In order of reservation, with their prices.
  std::vector<AuditedPlan> Plans() const;
  // Of those of these plans that are seen, in that order.
  std::vector<v1::PlanReserved> TermsOf(absl::Span<const std::string> plan_ids) const;
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  // Under what an iteration was charged and begun again; where that is not recorded, under either.
  struct Begun {
    bool protected_once = false;    // by a schedule
    bool unprotected_once = false;  // by none

    template <typename Act>
    void Add(const Act& act) {
      const bool is_protected = act.protection().release_interval_ms() > 0;
      protected_once |= !act.has_protection() || is_protected;
      unprotected_once |= !act.has_protection() || !is_protected;
    }
    // Whether it may be released after so many intervals: 0 without protection, m of t0 + m·T with
    // it. Another m would tell when it was computed.
    bool IsInstant(int32_t waited) const {
      const bool is_level =
          waited == 1 || waited == 2 || waited == 4 || waited == 8 || waited == 16;
      return (unprotected_once && waited == 0) || (protected_once && is_level);
    }
  };
  struct Plan {
    AuditedPlan audited;
    accountant::PlanCost set_aside;
    std::map<int32_t, Begun> charged;  // by iteration
    std::set<int32_t> published;
    std::set<int32_t> voided;
  };

  LedgerReplay(accountant::AdmissionPolicy policy, v1::PrivacyUnit privacy_unit);

  // What a reservation costs; everything if it cannot be said, with a finding.
  accountant::CostVector CostOf(const v1::LedgerEvent& event);
  accountant::CostVector VouchersOf(const v1::LedgerEvent& event, const accountant::DpEvent& plan);
  bool IsBeyondBudget(const accountant::CostVector& cost) const;
  void Note(const v1::LedgerEvent& event, absl::string_view what);
  // Null if there is none: a finding, unless it may be one that was not seen.
  Plan* FindPlan(const v1::LedgerEvent& event, const std::string& plan_id);
  void Reserve(const v1::LedgerEvent& event);
  void Cancel(const v1::LedgerEvent& event);
  void Charge(const v1::LedgerEvent& event);
  void Publish(const v1::LedgerEvent& event);
  void Void(const v1::LedgerEvent& event);
  void Restart(const v1::LedgerEvent& event);
  void Sum(const v1::LedgerEvent& event);
  // Whether `iteration` was charged and has not ended; else a finding.
  bool IsUnderWay(const v1::LedgerEvent& event, const Plan& plan, int32_t iteration,
                  absl::string_view what);

  accountant::AdmissionPolicy policy_;
  v1::PrivacyUnit privacy_unit_;
  accountant::CostVector spent_;
  std::map<std::string, accountant::CostVector> spent_by_;
  std::map<std::string, Plan> plans_;
  std::vector<std::string> order_;  // plan ids
  bool forfeited_ = false;
  bool has_unseen_ = false;
  bool restoring_ = false;  // between a restore and its thaw
  bool was_restored_ = false;
  TimingRecount timing_;
  v1::BudgetSum sum_;
  std::vector<std::string> findings_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_LEDGER_REPLAY_H_
