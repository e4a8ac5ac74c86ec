// What a report says of a budget, recounted from the entries of its chain.
//
//   TW_RETURN_IF_ERROR(AddLedgerFacts({.entries = entries, .plans = {file.plan_id()}}, report));
//   report.ledger().plans(0).spent_after();
//
// Everything follows from the entries: no word of the wall's is believed, and none of it changes
// when the chain grows, so that whoever holds the same beginning of the chain finds the same
// numbers, years later. What cannot be seen is said: entries that came as commitments only are
// counted, and what they spent is not in `spent`.
//
// What an attacker gains, groups and replaced units are of the whole budget, as promised, whatever
// is spent so far; with budgets that may concern the same people, of the sum.
//
// Errors: DATA_LOSS, naming what, if the chain does not verify or does not add up: of such a ledger
// nothing is reported. PUBLIC to its reader. Pure. Cost: that of AuditLedger.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_LEDGER_FACTS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_LEDGER_FACTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "proto/report.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct LedgerToReport {
  absl::Span<const v1::LedgerEntry> entries;  // from the first on
  std::vector<std::string> plans;             // of which the report's other numbers are
};

absl::Status AddLedgerFacts(const LedgerToReport& ledger, v1::Report& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_LEDGER_FACTS_H_
