// Part: what a clock on the outside tells of two corpora. Only in the long form, or by name: it
// takes as long as its releases' intervals.
//
// One wall under the machine's own clock serves a thin corpus and a fat one, whose work is a large
// part of the interval. An analyst asks both for releases, in an order drawn by chance; another
// principal polls every call of the service meanwhile, over other connections (polled_wall.h).
//
// Findings: neither when a release arrives nor how long any call takes, nor when the slowest call
// was, comes from another law for one corpus than for the other. Smirnov's test
// (two_sample_test.h), its false alarm shared among all numbers compared. The drawn order makes the
// test exact whatever else the machine does meanwhile.
//
// What it sees beside defects of the wall is the machine: threads that compute take processors from
// those that answer. On a machine of two, or a busy one, that is a finding about the machine, and
// as true. Not seen: effects smaller than the distance that is named.
#ifndef TOPICWALL_SERVER_AUDIT_TIMING_PART_H_
#define TOPICWALL_SERVER_AUDIT_TIMING_PART_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/audit_options.h"
#include "server/audit/audit_seed.h"
#include "server/audit/finding.h"
#include "server/audit/scratch_folder.h"

namespace topicwall::audit {

struct TimingTrial {
  int of_each;                    // releases of each corpus
  double most_p;                  // the least probability that is still called chance
  int64_t interval_ms = 2'000;    // T
  bool timing_protection = true;  // else the wall's schedule is off: the findings must fail
  std::function<void(const std::string&)> progress = nullptr;
};

absl::StatusOr<std::vector<Finding>> TryTiming(const TimingTrial& trial, const AuditSeed& seed,
                                               ScratchFolder* folder);

// A trial of the options' size. `x`: each comparison fails by chance with probability at most 2
// e^-x.
absl::StatusOr<std::vector<Finding>> AuditTiming(const AuditOptions& options, const AuditSeed& seed,
                                                 double x, ScratchFolder* folder);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_TIMING_PART_H_
