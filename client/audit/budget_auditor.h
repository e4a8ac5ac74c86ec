// Recomputes a budget from its ledger, trusting no number that was sent.
//
//   v1::BudgetStatus budget = wall.GetBudget("notes");  // first
//   std::vector<v1::LedgerEntry> entries = wall.ReadLedger("notes");
//   absl::StatusOr<LedgerAudit> audit = AuditLedger(entries, budget);
//   audit->findings.empty() && audit->epsilon_upper_bound <= …
//
// The hash chain says that nothing was changed or left out (proto/ledger_chain.h); every
// visible event says which mechanism ran, and is priced here, with this program's accountant,
// under the policy recorded in the first event (whose vouchers, if it has any, must keep the
// budget all together); the order of events must make sense (charges of reserved plans, each
// iteration once, no more given back than was never charged, no plan admitted beyond the budget).
// Then the sum is held against GetBudget, at the length of the chain that GetBudget stated, which
// is why that must be asked first; so is the sum over budgets that may concern the same people:
// GetBudget must tell exactly what the chain told last of it.
//
// What this cannot see: events that came as commitments only. An analyst sees the custodian's acts
// and its own, and ε is then that of the visible plans; an auditor sees all, and is told how many
// are missing. Nor a ledger that was put back whole to an earlier state (chain_watch.h compares
// what was noted), nor whether noise was drawn as stated.
// ε in nats, upper bounds, of everything charged or reserved. PUBLIC. Threads: pure function.
#ifndef TOPICWALL_CLIENT_AUDIT_BUDGET_AUDITOR_H_
#define TOPICWALL_CLIENT_AUDIT_BUDGET_AUDITOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "accountant/accountants/privacy_accountant.h"
#include "accountant/events/privacy_params.h"
#include "client/audit/chain_replay.h"
#include "client/audit/ledger_replay.h"
#include "client/audit/restores.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct NamedEpsilon {
  std::string accountant;
  accountant::EpsilonBracket epsilon;
};

struct LedgerAudit {
  std::string budget_id;
  accountant::PrivacyParams budget;  // the total that may ever be spent
  v1::PrivacyUnit privacy_unit = {};
  int64_t entries = 0;
  int64_t unseen_entries = 0;  // commitments only
  std::string head;            // 32 bytes, behind the last entry
  std::vector<AuditedPlan> plans;
  // Under the enforced policy; of the visible plans.
  double epsilon_upper_bound = 0;
  double odometer_upper_bound = 0;
  // The same releases by other accountants, for information: no guarantee under adaptive
  // choice. Accountants that cannot price the releases are left out.
  std::vector<NamedEpsilon> information;
  bool forfeited = false;  // after a restore everything was declared spent
  TimingRecount timing;    // of the visible events
  // What the chain said last of budgets that may concern the same people, or GetBudget, where an
  // earlier version wrote the chain; without `budgets` if the budget stands alone.
  v1::BudgetSum sum;
  std::vector<Restore> restores;
  // What does not fit, in the order found, each with its entry. Empty: all of it does.
  std::vector<std::string> findings;
};

// DATA_LOSS, naming the entry, if the chain itself does not verify or does not begin with the
// budget's opening: then nothing behind that entry means anything. Everything else is a
// finding.
absl::StatusOr<LedgerAudit> AuditLedger(absl::Span<const v1::LedgerEntry> entries,
                                        const v1::BudgetStatus& status);

// What GetBudget says that the entries that it counts do not, in words; `chain` stands behind as
// many. Of what came as commitments only it must have spent no less than what is seen.
std::vector<std::string> DifferencesOf(const v1::BudgetStatus& status, const ChainReplay& chain);

// What to say of entries that came as commitments only: "" if there are none, or `status` is an
// analyst's own view, of which they are a part.
std::string SealedText(const v1::BudgetStatus& status, int64_t unseen);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_BUDGET_AUDITOR_H_
