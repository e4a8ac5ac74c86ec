// The numbers of a ledger as whoever wrote a report saw it, for whoever verifies the report and
// sees more of the chain, or less.
//
//   TW_ASSIGN_OR_RETURN(v1::Report found, GatherReport(sources));
//   TW_ASSIGN_OR_RETURN(const std::vector<std::string> sealed,
//                       SeeAsWriter(told.ledger(), *sources.ledger, *found.mutable_ledger()));
//   DifferencesOfNumbers(told, found);   // of what both saw; the rest stands in `sealed`
//
// An analyst sees the custodian's entries and its own, an auditor all of them. A report that says
// that it saw a part is of what one analyst sees: of more, `found` becomes what that analyst sees,
// and what everybody had taken, which only the wall told its writer, is recounted from all entries.
// A report that says that it saw all has numbers that an analyst can not recount: `found` takes
// them over, unless what is seen contradicts them. Nothing else of `found` follows `told`, so that
// a report that lies of what it saw, or of anything that is seen, differs.
//
// Errors: those of AddLedgerFacts. PUBLIC to the chain's reader. Pure. Cost: that of
// AddLedgerFacts.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_SEEN_LEDGER_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_SEEN_LEDGER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/report.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// `chain`: the beginning that `told` and `found` are of, as the verifier sees it. What of it cannot
// be compared, a line each; none if all of it can.
absl::StatusOr<std::vector<std::string>> SeeAsWriter(const v1::ReportedLedger& told,
                                                     absl::Span<const v1::LedgerEntry> chain,
                                                     v1::ReportedLedger& found);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_SEEN_LEDGER_H_
