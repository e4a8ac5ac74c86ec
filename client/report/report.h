// What an analyst shows: a model, what is known of it, and what it cost, in one message.
//
// All of it is a function of the files and of the chain's entries, without a clock: so it can be
// gathered anew and compared (verification.h), by anybody who has the same files, at any time. One
// number is not: what everybody has spent, where entries of others are sealed, is the wall's word
// of that moment. Whoever sees all entries can recount it (facts/seen_ledger.h).
//
// Errors: those of the files; DATA_LOSS for a ledger that does not add up (facts/ledger_facts.h);
// FAILED_PRECONDITION for one that does not know every plan whose numbers the report has, or none
// of them: it would promise what nobody did. PUBLIC: post-processing of releases. Threads: one.
#ifndef TOPICWALL_CLIENT_REPORT_REPORT_H_
#define TOPICWALL_CLIENT_REPORT_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/audit/takings.h"
#include "proto/report.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct ReportSources {
  std::string model;                     // folder
  std::vector<std::string> prevalences;  // files, beside those in the folder
  std::string compare;                   // folder of another model; empty: none
  // A chain from its first entry on; nothing: the report says nothing of the budget.
  std::optional<std::vector<v1::LedgerEntry>> ledger;
  // What the wall told of the same entries; nothing if it was not asked.
  std::optional<Takings> takings = {};
  // Whose numbers beside the model are passed over: they were paid for behind the end of `ledger`.
  std::vector<std::string> later_plans = {};
  std::string program_version;
};

absl::StatusOr<v1::Report> GatherReport(const ReportSources& sources);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_REPORT_H_
