// What a chain says of backups that were put in its place.
//
// A restore is the custodian's own act, and stands in the chain for ever: what had happened after
// the backup was made is gone from it. PUBLIC. Pure functions; entries that do not parse are passed
// over (proto/ledger_chain.h finds them).
#ifndef TOPICWALL_CLIENT_AUDIT_RESTORES_H_
#define TOPICWALL_CLIENT_AUDIT_RESTORES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {

struct Restore {
  int64_t sequence;  // of the BudgetRestored, or of the opening
  int64_t time_ms;
  // The budget was opened in a ledger that had been restored: nothing of this chain is missing, but
  // whole budgets may be.
  bool before_opening = false;
  // Once it was thawed.
  std::optional<v1::BudgetThawed> thaw;
  int64_t thawed_at_ms = 0;
};

// In the order of the chain.
std::vector<Restore> RestoresIn(absl::Span<const v1::LedgerEntry> entries);

// "a backup was restored at entry 234 on 2026-11-23 01:36:56 UTC, and thawed …: complete if entry
// 233, head …, was the newest"
std::string DescribeRestore(const Restore& restore);

// "2026-11-23 01:36:56 UTC"
std::string DescribeTime(int64_t time_ms);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_RESTORES_H_
