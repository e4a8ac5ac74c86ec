// What only the custodian may do to a ledger: open and share budgets, look after paused
// corpora, thaw what was restored, change keys. Apart from PrivacyLedger so that whatever
// answers analysts, which is handed that interface, cannot even name these. Used by topicwall-admin
// on the data directory, under its lock, or by way of a running server's custodian_door.h.
//
// Every act but the last is an event in the chain that all readers see (an act on one plan:
// its analyst and the auditors). Promises, errors and threads as in PrivacyLedger.
#ifndef TOPICWALL_SERVER_LEDGER_CUSTODIAN_ACTS_H_
#define TOPICWALL_SERVER_LEDGER_CUSTODIAN_ACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"
#include "server/ledger/ledger_requests.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::ledger {

class CustodianActs {
 public:
  virtual ~CustodianActs() = default;

  // Opens a budget for a corpus and returns its id (32 hexadecimal digits). Every other budget
  // that is not declared disjoint may share people with it: their sum is told to all of them
  // (budget_sums.h), as by every act below that changes what is promised. ALREADY_EXISTS if the
  // version has a budget; NOT_FOUND for an unknown id declared disjoint; INVALID_ARGUMENT.
  virtual absl::StatusOr<std::string> OpenBudget(const OpenBudgetParams& params) = 0;

  // Lets another corpus spend from an open budget: the way to open a corpus that shares
  // units with one that has a budget. ALREADY_EXISTS, NOT_FOUND.
  virtual absl::Status JoinBudget(absl::string_view budget_id, absl::string_view corpus,
                                  absl::string_view corpus_version, int64_t now_ms) = 0;

  // Every corpus with a budget, oldest first.
  virtual absl::StatusOr<std::vector<CorpusStatus>> Corpora() = 0;

  // As PrivacyLedger::Cancel, whoever the plan's analyst is. NOT_FOUND.
  virtual absl::StatusOr<v1::PlanState> CancelAnyPlan(absl::string_view plan_id,
                                                      int64_t now_ms) = 0;

  // Opens a corpus again that too many overruns had paused. NOT_FOUND.
  virtual absl::Status AcknowledgeOverruns(absl::string_view corpus_version, int64_t now_ms) = 0;

  // The three ways out of the frozen state of a restored ledger, and what each asks for, are told in
  // accountant/ledger/thaw_acts.h. Nothing is changed by a refusal.
  virtual absl::Status ThawByHead(absl::string_view head, const ThawEvidence& evidence,
                                  int64_t now_ms) = 0;
  virtual absl::Status ThawByEvents(const v1::LedgerExport& lost, const ThawEvidence& evidence,
                                    int64_t now_ms) = 0;
  virtual absl::Status ThawByForfeiting(absl::string_view budget_id, int64_t now_ms) = 0;

  // Seals what the ledger hides under another key and goes on with that. No event.
  virtual absl::Status ReplaceSealingKey(sealing::SealingKey key) = 0;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_CUSTODIAN_ACTS_H_
