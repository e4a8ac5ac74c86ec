// What a budget's own events say of its whole life: under which protection of timing it was
// charged, and what went wrong. Acknowledging an overrun, and changing the configuration, take
// nothing of it away.
//
//   TW_ASSIGN_OR_RETURN(const BudgetLife life, LifeOf(*ledger, corpus_status.corpus_version));
//
// PUBLIC. Cost: about 10 µs an event.
#ifndef TOPICWALL_SERVER_ADMIN_BUDGET_LIFE_H_
#define TOPICWALL_SERVER_ADMIN_BUDGET_LIFE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "server/ledger/privacy_ledger.h"

namespace topicwall::admin {

struct BudgetLife {
  v1::BudgetOpened opening;
  int64_t charges = 0;
  int64_t unrecorded = 0;            // charged before it was recorded how
  int64_t unprotected = 0;           // charged without timing protection
  int64_t shortest_interval_ms = 0;  // T of the protected ones; 0 if there are none
  int64_t longest_interval_ms = 0;
  std::optional<int> fewest_free_processors;  // where recorded
  int64_t overruns = 0;                       // published later than at their first instant
  int64_t restarts = 0;                       // releases begun again because the server was
  int64_t voided = 0;                         // charged and never released

  // One event more.
  void Add(const v1::LedgerEvent& event);

  // The worst of all, in one line, for a budget whose next charge would be made under `now`:
  // release_interval_ms, 0 without protection, none if the corpus is not served.
  std::string Timing(std::optional<int64_t> now) const;
};

// NOT_FOUND if the version has no budget; DATA_LOSS if an event does not parse.
absl::StatusOr<BudgetLife> LifeOf(ledger::PrivacyLedger& ledger, absl::string_view corpus_version);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_BUDGET_LIFE_H_
