// `topicwall-admin open-budget`: what analysts may spend on a corpus, all together, for ever.
//
// The first budget of a data directory creates its ledger; a directory that had one and lost
// it is an error (opened_mark.h), never a fresh start. Beside other budgets it is:
//   join      spends from that budget too: its guarantee stays what it is;
//   disjoint  declared, with a reason, to concern other people than that budget. The key refuses
//             a declaration that is false (disjoint_budgets.h);
//   else      a budget of its own for people who may be in both: for them the guarantee is the sum
//             of all, which every analyst of each is told from then on. That is asked about first.
// What is declared is what analysts are told.
//
// A budget of its own decides in one of two ways, for ever (accountant/filters/admission_policy.h):
// adaptive, by a filter planned for full batches or for sampled releases, or by an inventory of
// vouchers, which must keep (ε, δ) all together; if they do not, the error says what they come to
// and how many of the first kind would.
//
// A ledger that was restored lacks what was opened after the backup. Neither kind is opened in it
// without `not_opened_before`, the custodian's word that these documents had no budget then.
//
// Takes the server's lock. Errors: NOT_FOUND if the corpus is not configured, not ingested,
// or the one to join has no budget; ALREADY_EXISTS if this version has one;
// FAILED_PRECONDITION for a restored ledger without that word, a false declaration, a question that
// nobody can be asked, or if the lock is held; CANCELLED for a no; INVALID_ARGUMENT for ε or δ that
// no filter can enforce, or vouchers beyond them; DATA_LOSS as above. After an error no budget is
// opened.
//
// Privacy: questions, warnings and refusals may say that two corpora share units: for the
// custodian's terminal. What is opened, and the event that tells the sum, is PUBLIC.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_OPEN_BUDGET_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_OPEN_BUDGET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/events/privacy_params.h"
#include "accountant/filters/inventory_spec.h"
#include "accountant/filters/planned_use.h"
#include "server/admin/disjoint_budgets.h"
#include "server/admin/outcome.h"
#include "server/admin/question.h"

namespace topicwall::admin {

struct OpenBudgetFlags {
  std::string config;
  std::string corpus;
  std::optional<accountant::PrivacyParams> budget;  // or `join`
  // Only with `budget`: as many kinds as there are make an inventory, none a filter.
  std::vector<accountant::VoucherKind> vouchers;
  accountant::PlannedUse planned = accountant::PlannedUse::kFullBatch;  // of a filter
  std::string join;                         // a corpus, as FindBudgeted takes it
  std::vector<DisjointFlag> disjoint = {};  // only with `budget`
  bool not_opened_before = false;
  bool yes = false;  // to every question
  Dialogue dialogue = {};
};

absl::StatusOr<Outcome> OpenBudget(const OpenBudgetFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_OPEN_BUDGET_H_
