// Decides what only the custodian may do to a ledger, but for thawing (thaw_acts.h).
//
// PUBLIC. Pure functions, any thread; Decide and Events as ledger_state.h says.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_CUSTODIAN_ACTS_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_CUSTODIAN_ACTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/filters/admission_policy.h"
#include "accountant/ledger/ledger_state.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

inline constexpr std::size_t kCorpusVersionSize = 16;

// Opens a budget for a corpus, and tells the new sums to every budget that may concern the same
// people (budget_sums.h). From outside: the budget's id, random; the public half of the key that
// signs its receipts. ALREADY_EXISTS if the version has a budget; NOT_FOUND for an unknown id
// declared disjoint; INVALID_ARGUMENT.
struct OpenBudgetParams {
  std::string custodian_id;
  PolicySpec policy;  // immutable once recorded
  v1::PrivacyUnit privacy_unit;
  std::string corpus;          // its public name
  std::string corpus_version;  // kCorpusVersionSize bytes
  // Budgets in this ledger that concern other people, as the custodian declares. All the others
  // may share people with it.
  std::vector<v1::DisjointBudget> disjoint = {};
  int64_t now_ms;
};
struct OpenAct : OpenBudgetParams {
  std::string budget_id;    // 32 hexadecimal digits
  std::string signing_key;  // 32 bytes
  bool after_restore;       // by the ledger's identity: its opening tells it for ever
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const OpenAct& act);

// Lets another corpus spend from an open budget. ALREADY_EXISTS, NOT_FOUND; FAILED_PRECONDITION if
// it is frozen.
struct JoinAct {
  std::string budget_id;
  std::string corpus;
  std::string corpus_version;
  int64_t now_ms;
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const JoinAct& act);

// Opens a corpus again that overruns or voided releases had paused; no event if there are none.
// NOT_FOUND; FAILED_PRECONDITION if its budget is frozen.
struct AcknowledgeAct {
  std::string corpus_version;
  int64_t now_ms;
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const AcknowledgeAct& act);

// A backup is put in the place of the ledger: every budget freezes, those that are frozen too.
struct RestoreAct {
  int64_t epoch;  // one more than the ledger's, from its identity
  int64_t now_ms;
};
Events Decide(const LedgerState& ledger, const RestoreAct& act);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_CUSTODIAN_ACTS_H_
