// Everything that a fold holds, as text: two states are the same if it is.
//
// Links topicwall_accountant_ledger, which tests/support itself does not.
#ifndef TOPICWALL_TESTS_SUPPORT_DESCRIBE_STATE_H_
#define TOPICWALL_TESTS_SUPPORT_DESCRIBE_STATE_H_

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "accountant/ledger/ledger_state.h"

namespace topicwall::testing {

inline std::string Describe(const accountant::ledger::Charge& charge) {
  return absl::StrCat("    charge ", charge.sequence, " at ", charge.charged_at_ms, " restarted ",
                      charge.restarted_at_ms, " ", charge.terms.ShortDebugString(), " published ",
                      charge.published.has_value() ? charge.published->ShortDebugString() : "no",
                      " at ", charge.readable_at_ms, " voided ", charge.void_ground, "\n");
}

inline std::string Describe(const accountant::ledger::Plan& plan) {
  std::string text = absl::StrCat(
      "  plan ", plan.sequence, " of ", plan.principal, " at ", plan.reserved_at_ms, " state ",
      plan.state, " reserved ", plan.reserved_iterations, plan.refundable ? " refundable" : "",
      plan.expired ? " expired " : " ", plan.terms.ShortDebugString(), "\n");
  for (const auto& [iteration, charge] : plan.charges) text += Describe(charge);
  return text;
}

inline std::string Describe(const accountant::ledger::BudgetState& budget) {
  std::string text = absl::StrCat(
      "budget ", budget.budget_id(), " opened ", budget.opening().ShortDebugString(), "\n  key ",
      absl::BytesToHexString(budget.signing_key()), " length ", budget.length(), " head ",
      absl::BytesToHexString(budget.head()), " last ", budget.last_time_ms(), "\n  spent ",
      absl::StrJoin(budget.spent(), " "), "\n  sum ", budget.sum().ShortDebugString(), "\n");
  for (const auto& [principal, spent] : budget.analysts()) {
    absl::StrAppend(&text, "  analyst ", principal, " ", absl::StrJoin(spent, " "), "\n");
  }
  const auto& life = budget.life();
  absl::StrAppend(&text, "  life ", life.charges, " ", life.unrecorded, " ", life.unprotected, " ",
                  life.overruns, " ", life.restarts, " ", life.voided, " ",
                  life.Worst().value_or(v1::Protection()).ShortDebugString(), "\n");
  for (const auto& [version, corpus] : budget.corpora()) {
    absl::StrAppend(&text, "  corpus ", absl::BytesToHexString(version), " ", corpus.sequence, " ",
                    corpus.name, " overruns ", corpus.overruns, " acknowledged ",
                    corpus.acknowledged, " voided ", corpus.voided, " unreadable ",
                    corpus.unreadable, "\n");
  }
  for (const auto& [id, plan] : budget.plans()) text += Describe(plan);
  for (const auto& restoration : budget.restorations()) {
    absl::StrAppend(&text, "  thawed ", restoration.thawed_at_ms, " ",
                    restoration.thaw.ShortDebugString(), "\n");
  }
  if (budget.frozen()) {
    absl::StrAppend(&text, "  frozen ", budget.freeze()->sequence, " ",
                    absl::BytesToHexString(budget.freeze()->backup_head), " ",
                    absl::BytesToHexString(budget.freeze()->head), "\n");
  }
  return text;
}

inline std::string Describe(const accountant::ledger::LedgerState& ledger) {
  std::string text;
  for (const auto& budget : ledger.budgets()) text += Describe(budget);
  return text;
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_DESCRIBE_STATE_H_
