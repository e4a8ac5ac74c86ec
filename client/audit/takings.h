// What each plan took of a budget: as `budget` and `plans` list it.
//
//   TW_ASSIGN_OR_RETURN(const Takings takings, TakingsOf(wall, budget));
//   for (const PlanTaking& plan : takings.plans) …  plan.plan_id, plan.taken.told
//   takings.others.told                       // all together what `budget` tells as spent
//
// What a plan took is the ε spent right after it was reserved less the ε spent right before, as
// GetBudget told it then; if it was cancelled, less what that gave back. So the plans and what
// others did add up to what is spent now, in words to the last digit (proto/told_numbers.h).
//
// An auditor sees all entries of the chain, and everything follows from them. An analyst sees its
// own; where there are others between, what everybody had spent at each of its own stands in the
// receipt that GetPlan shows. (A Rényi order that is used up for ever in it counts as used up by
// others: a plan that alone takes 2^30 nats of one, and fits, is of no budget that there is.) A
// wall that signs no receipts leaves the order unknown: then what others took is told as if it came
// after.
//
// PUBLIC. Cost: the whole chain is read and replayed (ledger_replay.h); at most one call for each
// plan.
#ifndef TOPICWALL_CLIENT_AUDIT_TAKINGS_H_
#define TOPICWALL_CLIENT_AUDIT_TAKINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/wall/wall_port.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// Differences of ε: exact, and of the numbers that words tell.
struct Difference {
  double exact = 0;
  double told = 0;

  void Add(double before, double after);
};

struct PlanTaking {
  std::string plan_id;
  std::string principal;
  std::string corpus;
  int32_t iterations = 0;  // J
  bool is_cancelled = false;
  Difference taken;
  // By everybody, right before and right after it was reserved.
  double spent_before = 0;
  double spent_after = 0;
};

struct Takings {
  std::vector<PlanTaking> plans;  // those that are seen, in order of reservation
  Difference others;              // of whoever is not seen, and of the custodian's acts
  double spent = 0;               // all together: as `budget` tells
  bool is_forfeited = false;      // then `others` has what the custodian declared spent
};

// Up to the entry that `budget` tells of. DATA_LOSS for a chain that does not verify.
absl::StatusOr<Takings> TakingsOf(WallPort& wall, const v1::BudgetStatus& budget);
// With the chain as it was read from its first entry on.
absl::StatusOr<Takings> TakingsOf(WallPort& wall, const v1::BudgetStatus& budget,
                                  absl::Span<const v1::LedgerEntry> entries);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_TAKINGS_H_
