// Under what the releases of a budget's whole life were computed, and what went wrong.
// Acknowledging an overrun, another version of a corpus and another configuration take nothing of
// it away.
//
// PUBLIC. A plain value.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_LIFE_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_LIFE_H_

#include <cstdint>
#include <optional>

#include "accountant/ledger/plan_record.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

struct BudgetLife {
  int64_t charges = 0;
  // Of them, begun or begun again so at least once:
  int64_t unrecorded = 0;   // without saying under what
  int64_t unprotected = 0;  // without timing protection
  int64_t unseparated = 0;  // by a gate and a vault of one user
  int64_t unconfined = 0;   // where the sandbox was not required
  // Of all times that one was begun, where recorded.
  int64_t shortest_interval_ms = 0;  // T of the protected ones; 0 if there are none
  int64_t longest_interval_ms = 0;
  std::optional<int> fewest_free_processors;
  int64_t overruns = 0;  // published later than at their first instant
  int64_t restarts = 0;  // releases begun again because the server was
  int64_t voided = 0;    // charged and never released

  // `charge` is begun, or begun again; null: it is not recorded under what.
  void Begin(const v1::Protection* protection, Charge& charge);

  // None if nothing is recorded.
  std::optional<v1::Protection> Worst() const;
};

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_LIFE_H_
