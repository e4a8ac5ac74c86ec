// Attacks the wall, as it was built for this machine, before it is given anybody's documents.
//
//   TW_ASSIGN_OR_RETURN(const AuditReport report, RunAudit({}));
//   std::cout << TableOf(report);
//   return report.Holds() ? 0 : 1;
//
// Eight parts (parts.h), over the code of the server itself, on corpora, keys and budgets that the
// audit makes up in a folder of its own and removes again. Nothing of a custodian's data directory
// or configuration is read. It sits where the gate sits, which sees all that analysts see and
// more: it hands acts to the vault and reads what comes back.
//
// What it cannot show: a defect that only other documents bring out, or one smaller than the
// smallest violation that each finding names. It searches for a broken promise; the promise itself
// is proved (server/README.md), not measured.
//
// False alarms: a wall without defects fails with probability at most `false_alarm_probability`
// in a whole run, shared out evenly among 128 sides of statistical checks, more than there are.
//
// PUBLIC. Threads: one audit of a process at a time; it forks before it starts threads.
// Cost: a minute or two and 400 MB with the options as they are. Proportional to `releases` and
// `pairs`; a release keeps 50 KB of the folder until the end, a large one 20 MB.
#ifndef TOPICWALL_SERVER_AUDIT_AUDIT_H_
#define TOPICWALL_SERVER_AUDIT_AUDIT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "server/audit/finding.h"

namespace topicwall::audit {

struct AuditOptions {
  std::vector<std::string> parts = {};  // of PartNames(); none = all of them
  // Releases of each setting that statistics are made from, 20 … 100,000. What they can see shrinks
  // with its root.
  int releases = 100;
  // Neighbouring corpora that are made up, beside those known by name; 0 … 1,000,000.
  int pairs = 60;
  // What all choices are made by (attack.h), 32 hexadecimal digits; empty = a fresh one.
  std::string seed = {};
  // With the part that takes as long as real time does, unless parts are named.
  bool real_clock = false;
  // That a wall without defects fails the whole run; in [1e-12, 1e-2].
  double false_alarm_probability = 1e-6;
  // Where the audit's own folder is made, and removed at the end; empty = the system's folder for
  // temporary files.
  std::string scratch_directory = {};
  // Told what is going on, in short lines, the seed first; may be null.
  std::function<void(absl::string_view)> progress = nullptr;
};

struct AuditReport {
  std::string seed;  // of everything that was chosen by chance
  AuditOptions options;
  std::string kernel_name;  // of the E-step that was audited
  std::vector<Finding> findings = {};
  double seconds = 0;  // it took

  // Every finding holds, and there is one.
  bool Holds() const;
  int Count(Verdict verdict) const;
};

// "memory", "replay", … in the order in which they run.
std::vector<std::string> PartNames();

// INVALID_ARGUMENT for options out of range, or a scratch_directory that cannot have the folder;
// UNAVAILABLE if it cannot be made elsewhere. It goes however the process ends. A part that
// fails on the way is a finding (Verdict::kNotFinished), not an error.
absl::StatusOr<AuditReport> RunAudit(const AuditOptions& options);

// Whole lines, at most 100 columns wide, UTF-8: the seed, a row a finding, a summary.
std::string TableOf(const AuditReport& report);
// The same for programs.
base::JsonObject JsonOf(const AuditReport& report);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_AUDIT_H_
