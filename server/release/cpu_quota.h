// How many processors' time the control groups of this process let it have: CPUQuota= of a unit,
// --cpus of a container. Whoever has used it up stands still until the next period, all threads at
// once, whichever processors they run on.
//
//   QuotaFiles();               // once, before a sandbox is entered, which must let them be read
//   ProcessorsOfQuota();        // now
//
// Privacy: PUBLIC. Threads: any. Errors: none; where the system does not say, nothing is set.
#ifndef TOPICWALL_SERVER_RELEASE_CPU_QUOTA_H_
#define TOPICWALL_SERVER_RELEASE_CPU_QUOTA_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::release {

// That say it, of the process's group and of those above it that are mounted here, of both versions
// of control groups: found by the first call, the same ever after.
const std::vector<std::string>& QuotaFiles();

// The least of them, as they are now; infinite if none is set. 0 if one cannot be read any more.
double ProcessorsOfQuota();

// The same for tests: `groups` is what /proc/self/cgroup says, `mount` stands for /sys/fs/cgroup.
std::vector<std::string> QuotaFilesOf(absl::string_view groups, const std::string& mount);
double LeastQuota(absl::Span<const std::string> files);

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_CPU_QUOTA_H_
