// Attacks the wall, as it was built for this machine, before it is given anybody's documents.
//
//   TW_ASSIGN_OR_RETURN(const AuditReport report, RunAudit({}));
//   std::cout << TableOf(report);
//   return report.Holds() ? 0 : 1;
//
// Eight parts, each a function with its own header that says what it tries:
//   memory    (memory_part.h)    releases with little memory, before others take any
//   replay    (replay_part.h)    integer sums of neighbouring corpora, no noise: exact
//   inputs    (inputs_part.h)    the same from neighbouring input files on: exact
//   noise     (noise_part.h)     canaries and noise in releases over gRPC: statistics
//   sampling  (sampling_part.h)  who takes part in a release: statistics
//   ledger    (ledger_part.h)    prices and refusals recomputed: exact
//   schedule  (schedule_part.h)  when releases are readable, in simulated time: exact
//   timing    (timing_part.h)    what a real clock outside sees: statistics, in the long form only
// What it chooses by chance follows from a seed (audit_seed.h), a fresh one in every run. All of it
// runs over the code of the server itself, on corpora, keys, certificates and budgets
// that the audit makes up in a folder of its own and removes again. Nothing of a custodian's data
// directory or configuration is read.
//
// What it cannot show: a defect that only other documents bring out, or one smaller than the
// smallest violation that each finding names. It searches for a broken promise; the promise itself
// is proved (server/mechanism), not measured.
//
// False alarms: a wall without defects fails with probability at most `false_alarm_probability`
// in a whole run, shared out evenly among 128 sides of statistical checks, more than there are.
//
// Errors: INVALID_ARGUMENT for options out of range; UNAVAILABLE if the folder cannot be made.
// A part that fails on the way is a finding (Verdict::kNotFinished), not an error.
// Privacy: PUBLIC. Threads: one audit of a process at a time; it starts servers of its own, and
// forks before those.
// Cost: some 40 s of a core and 400 MB with the options as they are, and the syncing of some 5,000
// small writes. Proportional to `releases` and `pairs`; a release keeps 80 KB of the folder until
// the end, a large one 20 MB.
#ifndef TOPICWALL_SERVER_AUDIT_RUN_AUDIT_H_
#define TOPICWALL_SERVER_AUDIT_RUN_AUDIT_H_

#include "absl/status/statusor.h"
#include "server/audit/audit_options.h"
#include "server/audit/audit_report.h"

namespace topicwall::audit {

absl::StatusOr<AuditReport> RunAudit(const AuditOptions& options);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_RUN_AUDIT_H_
