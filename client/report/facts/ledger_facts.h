// What a report says of a budget, recounted from the entries of its chain.
//
// Everything follows from the entries, and none of it changes when the chain grows, so that whoever
// holds the same beginning of the chain finds the same numbers, years later. Of entries that came
// as commitments only nothing can be recounted: what others spent is then the wall's word, and what
// was spent around each plan that of its receipts (client/audit/takings.h). Without these `spent`
// is the least that it can be.
//
// What an attacker gains, groups and replaced units are of the whole budget, as promised, whatever
// is spent so far; with budgets that may concern the same people, of the sum.
//
// Errors: DATA_LOSS, naming what, if the chain does not verify or does not add up, or says that the
// report's plans cost something else than was noted: of such a ledger nothing is reported. PUBLIC
// to its reader. Pure. Cost: that of AuditLedger.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_LEDGER_FACTS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_LEDGER_FACTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "client/audit/chain_replay.h"
#include "client/audit/takings.h"
#include "proto/report.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct LedgerToReport {
  absl::Span<const v1::LedgerEntry> entries;  // from the first on
  std::vector<std::string> plans;             // of which the report's other numbers are
  NotedPrice price = {};                      // that the model notes
  // What the wall told of the same entries to who cannot see all of them; null if none was asked.
  const Takings* takings = nullptr;
};

absl::Status AddLedgerFacts(const LedgerToReport& ledger, v1::Report& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_LEDGER_FACTS_H_
