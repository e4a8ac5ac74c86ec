// Every entry passes the chain first, then the sums (ledger_replay.h); where the chain has the
// length that GetBudget stated, what the wall says is held against what was added up. What a lying
// wall could do, and what finds it:
//   · change, reorder or leave out an entry: the chain;
//   · price a plan too low, admit it beyond the budget, give back too much: the replay;
//   · state less as spent than the events add up to, or to one analyst: DifferencesOf;
//   · keep the events of others back from an auditor: SealedText;
//   · state a looser policy than the one that was recorded at the opening: IsSamePolicy;
//   · open an inventory whose vouchers do not keep the budget: CheckVouchers;
//   · keep quiet about another budget of the same people: the sum, which the chain told before.
// Nothing of it needs the wall's help: prices come from this program's accountant.
#include "client/audit/budget_auditor.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/accountants.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/chain_replay.h"
#include "client/audit/enforced_price.h"
#include "proto/ledger_chain.h"

namespace topicwall::client {
namespace {

using accountant::CostVector;

// The vouchers drawn are counted, so they must agree exactly; the price of a filter is computed.
// Both comparisons fail for vectors of different lengths: a wall that leaves orders away hides
// those that are used up.
bool IsSpent(const LedgerReplay& replay, const v1::BudgetStatus& status) {
  const CostVector& recomputed = replay.spent();
  if (replay.policy().inventory() != nullptr) {
    return std::equal(recomputed.begin(), recomputed.end(), status.spent().begin(),
                      status.spent().end());
  }
  return std::equal(recomputed.begin(), recomputed.end(), status.spent().begin(),
                    status.spent().end(), IsSamePrice);
}

// Of what others spent nobody can say how much it is, but it gives nothing back of what is seen.
bool HoldsWhatIsSeen(const LedgerReplay& replay, const v1::BudgetStatus& status) {
  const CostVector& seen = replay.spent();
  return std::equal(
      seen.begin(), seen.end(), status.spent().begin(), status.spent().end(),
      [](uint64_t least, uint64_t told) { return least <= told || IsSamePrice(least, told); });
}

// No tolerance: both are meant to be the one record that was made at the opening.
bool IsSamePolicy(const v1::BudgetStatus& status, const accountant::AdmissionPolicy& opened) {
  const absl::StatusOr<accountant::AdmissionPolicy> stated = PolicyOf(status);
  return stated.ok() && stated->spec() == opened.spec();
}

// What an inventory promises rests on this alone, so it is not taken on trust.
void CheckVouchers(const accountant::AdmissionPolicy& policy, std::vector<std::string>& findings) {
  if (policy.inventory() == nullptr) return;
  const double composed = policy.inventory()->EpsilonUpperBound(policy.inventory()->AllDrawn());
  // The wall's composition was its own when the budget was opened; the slack is the width of a
  // bracket.
  if (composed <= policy.budget().epsilon * (1 + kComposedTolerance)) return;
  findings.push_back(absl::StrCat("entry 1: the vouchers come to epsilon ", composed,
                                  " all together, beyond the budget's ", policy.budget().epsilon,
                                  "."));
}

// A principal's ε as the wall states it, against the visible events.
void ComparePrincipal(const v1::PrincipalBudget& stated, const LedgerReplay& replay,
                      std::vector<std::string>& findings) {
  const double own = replay.policy().EpsilonUpperBound(replay.SpentBy(stated.principal()));
  if (!IsSameEpsilon(replay.policy(), own, stated.epsilon_spent())) {
    findings.push_back(absl::StrCat("GetBudget says that ", stated.principal(), " spent epsilon ",
                                    stated.epsilon_spent(), "; its events add up to ", own, "."));
  }
}

// Ledgers of earlier versions say nothing of other budgets; every sum that is said has an ε.
bool HasTold(const v1::BudgetSum& sum) { return sum.epsilon() > 0; }

// Of what is charged or reserved, as the enforced sum. One plan that an accountant cannot price is
// enough to leave it out: an ε of the others alone would read as one of all.
std::vector<NamedEpsilon> OtherAccountants(const std::vector<AuditedPlan>& plans, double delta) {
  std::vector<NamedEpsilon> results;
  for (const std::string& name : accountant::AccountantNames()) {
    auto accountant = accountant::MakeAccountant(name);
    absl::Status composed = accountant.status();
    for (const AuditedPlan& plan : plans) {
      if (!composed.ok()) break;
      absl::StatusOr<accountant::DpEvent> event = EventOf(plan.terms.spec());
      if (event.ok()) event->count -= plan.returned;
      composed = event.ok() ? (*accountant)->Compose(*event) : event.status();
    }
    if (!composed.ok()) continue;
    const auto epsilon = (*accountant)->Epsilon(delta);
    if (epsilon.ok()) results.push_back({.accountant = name, .epsilon = *epsilon});
  }
  return results;
}

// A chain, its sums and what is wrong with them, entry by entry.
// What GetBudget says is compared in passing, in the middle of the chain, but comes last in the
// findings: first whether the ledger is sound, then whether the wall tells it as it is.
class Auditor {
 public:
  explicit Auditor(const v1::BudgetStatus& status) : status_(status) {}

  absl::Status Add(const v1::LedgerEntry& entry) {
    TW_RETURN_IF_ERROR(recount_.Take(entry));
    // Others go on while one reads: entries behind GetBudget's own length belong to no number that
    // it gave, and comparing at the end would accuse an honest wall that is busy.
    if (recount_.chain().length() == status_.events()) {
      comparison_ = DifferencesOf(status_, recount_);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<LedgerAudit> Finish() && {
    if (recount_.empty()) return absl::DataLossError("the ledger is empty.");
    const proto::ChainVerifier& chain = recount_.chain();
    const LedgerReplay& replay = recount_.replay();
    LedgerAudit audit;
    audit.budget_id = chain.budget_id();
    audit.budget = replay.policy().budget();
    audit.privacy_unit = replay.privacy_unit();
    audit.entries = chain.length();
    audit.unseen_entries = recount_.unseen();
    audit.head = chain.head();
    audit.plans = replay.Plans();
    audit.timing = replay.timing();
    audit.sum = HasTold(replay.sum()) ? replay.sum() : status_.sum();
    audit.forfeited = replay.forfeited();
    audit.epsilon_upper_bound = replay.policy().EpsilonSpent(replay.spent());
    audit.odometer_upper_bound = replay.policy().OdometerUpperBound(replay.spent());
    audit.information = OtherAccountants(audit.plans, audit.budget.delta);
    CheckVouchers(replay.policy(), audit.findings);
    const std::vector<std::string>& replayed = replay.findings();
    audit.findings.insert(audit.findings.end(), replayed.begin(), replayed.end());
    audit.findings.insert(audit.findings.end(), comparison_.begin(), comparison_.end());
    const std::string sealed = SealedText(status_, recount_.unseen());
    if (!sealed.empty()) audit.findings.push_back(sealed);
    if (chain.length() < status_.events()) {
      audit.findings.push_back(absl::StrCat("GetBudget counts ", status_.events(),
                                            " entries; only ", chain.length(), " were sent."));
    }
    return audit;
  }

 private:
  const v1::BudgetStatus& status_;
  ChainReplay recount_;
  std::vector<std::string> comparison_;
};

}  // namespace

std::vector<std::string> DifferencesOf(const v1::BudgetStatus& status, const ChainReplay& recount) {
  std::vector<std::string> findings;
  const proto::ChainVerifier& chain = recount.chain();
  const LedgerReplay& replay = recount.replay();
  const accountant::AdmissionPolicy& policy = replay.policy();
  // The same length with two heads is two chains, whatever else agrees.
  if (chain.head() != status.chain_head()) {
    findings.push_back(absl::StrCat("GetBudget states another head behind entry ", chain.length(),
                                    ": two histories are being shown."));
  }
  const bool is_same_policy = IsSamePolicy(status, policy);
  if (!is_same_policy) {
    findings.push_back("GetBudget states another policy than the one the budget was opened with.");
  } else if (status.epsilon_total() != policy.budget().epsilon ||
             status.delta() != policy.budget().delta) {
    findings.push_back(absl::StrCat("GetBudget states epsilon ", status.epsilon_total(),
                                    " at delta ", status.delta(), "; the budget was opened with ",
                                    policy.budget().epsilon, " at ", policy.budget().delta, "."));
  }
  const bool is_spent =
      recount.unseen() == 0 ? IsSpent(replay, status) : HoldsWhatIsSeen(replay, status);
  if (!is_spent) {
    findings.push_back(absl::StrCat("GetBudget says that epsilon ", status.epsilon_spent(),
                                    " is spent; the events add up to ",
                                    policy.EpsilonSpent(replay.spent()), "."));
  } else if (const double told =
                 policy.EpsilonSpent({status.spent().begin(), status.spent().end()});
             is_same_policy && !IsSameEpsilon(policy, told, status.epsilon_spent())) {
    findings.push_back(absl::StrCat("GetBudget says that epsilon ", status.epsilon_spent(),
                                    " is spent; the costs that it states come to ", told, "."));
  }
  // Whoever is in several corpora is promised the sum and no part of it. A wall that names fewer
  // budgets now than its chain did makes each of them look better than it is.
  if (HasTold(replay.sum()) && !IsSameSum(status.sum(), replay.sum())) {
    findings.push_back(absl::StrCat(
        "GetBudget says of budgets that may concern the same people: ", SaidOf(status.sum()),
        "; the chain told: ", SaidOf(replay.sum()), "."));
  }
  // An analyst sees all entries of its own, so this holds whatever came as commitments.
  if (status.has_own()) ComparePrincipal(status.own(), replay, findings);
  for (const v1::PrincipalBudget& principal : status.principals()) {
    ComparePrincipal(principal, replay, findings);
  }
  return findings;
}

std::string SealedText(const v1::BudgetStatus& status, int64_t unseen) {
  if (unseen == 0 || status.has_own()) return "";
  return absl::StrCat(unseen, unseen == 1 ? " entry" : " entries",
                      " came as commitments only, and an auditor sees every entry: what they say "
                      "is kept back.");
}

absl::StatusOr<LedgerAudit> AuditLedger(absl::Span<const v1::LedgerEntry> entries,
                                        const v1::BudgetStatus& status) {
  Auditor auditor(status);
  for (const v1::LedgerEntry& entry : entries) TW_RETURN_IF_ERROR(auditor.Add(entry));
  TW_ASSIGN_OR_RETURN(LedgerAudit audit, std::move(auditor).Finish());
  audit.restores = RestoresIn(entries);
  return audit;
}

}  // namespace topicwall::client
