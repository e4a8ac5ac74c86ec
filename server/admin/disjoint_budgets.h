// Budgets that the custodian declares to concern other people than a corpus holds, held against
// what its key can see.
//
// The declaration is the custodian's; nothing here decides what analysts are told. The comparison
// of units speaks to the custodian's terminal, and only to contradict: a declaration is refused if
// units are shared, or if the budget is one of the same name, whose earlier version held the same
// people unless all of them left; it is believed if no units are shared, and asked about if they
// cannot be compared.
// Privacy: PRIVATE: that a declaration is refused says that units are shared.
#ifndef TOPICWALL_SERVER_ADMIN_DISJOINT_BUDGETS_H_
#define TOPICWALL_SERVER_ADMIN_DISJOINT_BUDGETS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/ledger.pb.h"
#include "server/admin/custody.h"
#include "server/admin/shared_units.h"

namespace topicwall::admin {

// One --disjoint, as it was typed.
struct DisjointFlag {
  std::string corpus;  // whose budget, as FindBudgeted takes it
  std::string reason;
};

// "CORPUS=REASON". INVALID_ARGUMENT without either.
absl::StatusOr<DisjointFlag> ParseDisjoint(const std::string& text);

// Each budget once. NOT_FOUND for a corpus without a budget.
absl::StatusOr<std::vector<v1::DisjointBudget>> DisjointBudgets(
    const Custody& custody, absl::Span<const ledger::CorpusStatus> statuses,
    absl::Span<const DisjointFlag> flags);

// FAILED_PRECONDITION, naming the other corpus, if one of the budgets that are `declared` disjoint
// from `corpus` shares units with it, or is of an earlier version of it. Else a warning for each
// corpus that could not be compared.
absl::StatusOr<std::vector<std::string>> RequireNotShared(
    absl::string_view corpus, absl::Span<const SharingWith> sharing,
    const std::function<bool(const std::string& budget_id)>& declared);

// The warnings, as what is said before the question whether to go on; empty if there is none.
std::string OnYourWord(absl::Span<const std::string> warnings);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_DISJOINT_BUDGETS_H_
