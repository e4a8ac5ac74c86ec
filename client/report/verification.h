// Whether a report says what its model and the ledger say.
//
//   TW_ASSIGN_OR_RETURN(const v1::Report told, ReportInPage(html));
//   std::vector<std::string> found = DifferencesOfPage(html, told);       // of the page
//   TW_ASSIGN_OR_RETURN(v1::Report true_one, GatherReport(sources));
//   … SeeAsWriter(…)     // where its writer saw more of the chain, or less (facts/seen_ledger.h)
//   found = DifferencesOfNumbers(told, true_one);                         // of its numbers
//
// The page: drawn anew from the numbers in it, and compared byte by byte; a number altered where
// people read it, and not where it stands as data, is a difference. The numbers: every field of the
// one is compared with that of the other, exactly (facts/rounded_numbers.h), so that one altered in
// both places is a difference too. Nothing found by both, and every number that is shown follows
// from the sources.
//
// Texts say where, what stands there and what should. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_REPORT_VERIFICATION_H_
#define TOPICWALL_CLIENT_REPORT_VERIFICATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/report.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// A line each, at most 20 of them. A page of another version of the program may look otherwise:
// then that is said first.
std::vector<std::string> DifferencesOfPage(absl::string_view html, const v1::Report& told,
                                           absl::string_view program_version);

// What one has and the other has not at all (a ledger, a comparison) is a difference, too. The
// version of the program is none.
std::vector<std::string> DifferencesOfNumbers(const v1::Report& told, const v1::Report& found);

// The beginning of a chain that the report is of: `told` names its length. Of a chain that was
// verified to its end, here and below: what is cut off nobody looks at any more.
// FAILED_PRECONDITION if the chain is shorter.
absl::StatusOr<std::vector<v1::LedgerEntry>> BeginningOf(std::vector<v1::LedgerEntry> chain,
                                                         const v1::ReportedLedger& told);

// The plans reserved behind it that the reader sees: the report can say nothing of what they paid.
std::vector<std::string> PlansBehind(const std::vector<v1::LedgerEntry>& chain,
                                     const v1::ReportedLedger& told);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_VERIFICATION_H_
