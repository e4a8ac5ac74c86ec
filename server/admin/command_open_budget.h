// `topicwall-admin open-budget`: what analysts may spend on a corpus, all together, for ever.
//
// The first budget of a data directory creates its ledger; a directory that had one and lost
// it is an error (opened_mark.h), never a fresh start. If the corpus shares units with one
// that has a budget, or that cannot be ruled out (shared_units.h), nothing is opened without
// a decision of the custodian:
//   join         spends from that budget too: its guarantee stays what it is;
//   add_budgets  a budget of its own: whoever is in both loses (Σ ε, Σ δ), which the opening
//                event states to every reader. Budgets with another privacy unit have no sum:
//                each holds for its own unit, and the outcome says so.
// ε and δ are given for a budget of its own and never for one that is joined.
//
// A budget of its own decides in one of two ways, for ever (accountant/admission_policy.h):
// adaptive, by a filter planned for full batches or for sampled releases, or by an inventory of
// vouchers, which must keep (ε, δ) all together; if they do not, the error says what they come to
// and how many of the first kind would.
//
// Takes the server's lock. Errors: NOT_FOUND if the corpus is not configured, not ingested,
// or the one to join has no budget; ALREADY_EXISTS if this version has one;
// FAILED_PRECONDITION for want of a decision or if the lock is held; INVALID_ARGUMENT for ε or δ
// that no filter can enforce, or vouchers beyond them; DATA_LOSS as above. After an error no budget
// is opened.
//
// Privacy: that a decision is asked for says that two corpora share units: for the custodian's
// terminal. What is opened is PUBLIC.
#ifndef TOPICWALL_SERVER_ADMIN_COMMAND_OPEN_BUDGET_H_
#define TOPICWALL_SERVER_ADMIN_COMMAND_OPEN_BUDGET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/inventory_spec.h"
#include "accountant/planned_use.h"
#include "accountant/privacy_params.h"
#include "server/admin/outcome.h"

namespace topicwall::admin {

struct OpenBudgetFlags {
  std::string config;
  std::string corpus;
  std::optional<accountant::PrivacyParams> budget;  // or `join`
  // Only with `budget`: as many kinds as there are make an inventory, none a filter.
  std::vector<accountant::VoucherKind> vouchers;
  accountant::PlannedUse planned = accountant::PlannedUse::kFullBatch;  // of a filter
  std::string join;  // a corpus, as FindBudgeted takes it
  bool add_budgets;  // only with `budget`
};

absl::StatusOr<Outcome> OpenBudget(const OpenBudgetFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMAND_OPEN_BUDGET_H_
