// How hard an audit tries. PUBLIC.
#ifndef TOPICWALL_SERVER_AUDIT_AUDIT_OPTIONS_H_
#define TOPICWALL_SERVER_AUDIT_AUDIT_OPTIONS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/audit/finding.h"

namespace topicwall::audit {

struct AuditOptions {
  std::vector<Part> parts = {};  // in the order of AllParts(); none = all of them

  // Releases of each corpus and setting that statistics are made from, 20 … 100,000. What they can
  // see shrinks with its root.
  int releases = 100;
  // Neighbouring corpora that are searched for a worse pair, beside those known by name.
  int pairs = 60;
  // What all choices are made by (audit_seed.h), 32 hexadecimal digits; empty = a fresh one.
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

// A hundred times the effort, and the part timing: some twenty minutes on a machine with other
// work.
inline constexpr int kLongAuditReleases = 10'000;
inline constexpr int kLongAuditPairs = 3'000;

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_AUDIT_OPTIONS_H_
