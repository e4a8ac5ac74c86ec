#include "server/admin/disjoint_budgets.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hex.h"
#include "base/status_macros.h"

namespace topicwall::admin {

absl::StatusOr<DisjointFlag> ParseDisjoint(const std::string& text) {
  // The first one: a reason may have others.
  const size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size()) {
    return DisjointFlag{.corpus = text.substr(0, equals), .reason = text.substr(equals + 1)};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--disjoint must be CORPUS=REASON: the reason why nobody can be in both, which every analyst "
      "is told; got \"",
      text, "\""));
}

absl::StatusOr<std::vector<v1::DisjointBudget>> DisjointBudgets(
    const Custody& custody, absl::Span<const ledger::CorpusStatus> statuses,
    absl::Span<const DisjointFlag> flags) {
  std::vector<v1::DisjointBudget> budgets;
  std::set<std::string> seen;
  for (const DisjointFlag& flag : flags) {
    TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus other,
                        FindBudgeted(custody.config, statuses, flag.corpus));
    // Two names may spend from one budget.
    if (!seen.insert(other.budget_id).second) continue;
    v1::DisjointBudget& budget = budgets.emplace_back();
    budget.set_budget_id(other.budget_id);
    budget.set_reason(flag.reason);
  }
  return budgets;
}

absl::StatusOr<std::vector<std::string>> RequireNotShared(
    absl::string_view corpus, absl::Span<const SharingWith> sharing,
    const std::function<bool(const std::string& budget_id)>& declared) {
  std::vector<std::string> warnings;
  for (const SharingWith& other : sharing) {
    if (!declared(other.corpus_status.budget_id)) continue;
    // Its file is gone, and with it what could contradict: by the name alone, whoever is in either.
    if (other.corpus_status.corpus == corpus) {
      return absl::FailedPreconditionError(absl::StrCat(
          "declared disjoint, but ", corpus, " (version ",
          base::Hex(other.corpus_status.corpus_version),
          ") is an earlier version of the same corpus, and nobody can see that all its people are "
          "gone. Leave out --disjoint, or join its budget; a corpus of other people is ingested "
          "under another name."));
    }
    if (other.sharing == Sharing::kNone) continue;
    // That this refuses is an exact bit about somebody: it goes to the custodian's terminal, and
    // leaves no event behind. Only the declaration does, and that holds whether or not anybody
    // looked.
    if (other.sharing == Sharing::kShared) {
      return absl::FailedPreconditionError(absl::StrCat(
          "declared disjoint, but it is not: ", Describe(other),
          ". Whoever is in both loses what both budgets allow, and analysts must be told. Leave "
          "out --disjoint, or join its budget."));
    }
    // Believed, since a key that cannot look cannot contradict.
    warnings.push_back(
        absl::StrCat(Describe(other), "; that nobody is in both rests on your word."));
  }
  return warnings;
}

std::string OnYourWord(absl::Span<const std::string> warnings) {
  if (warnings.empty()) return "";
  return absl::StrCat("What is declared disjoint cannot be compared:\n  ",
                      absl::StrJoin(warnings, "\n  "),
                      "\nAnalysts are told that nothing is to be added, and statements sign it.\n");
}

}  // namespace topicwall::admin
