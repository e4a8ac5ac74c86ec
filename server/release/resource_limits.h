// What the system lets this process have: time of processors (CPUQuota= of a unit, --cpus of a
// container) and memory (MemoryMax=, --memory, ulimit -v). Whoever has used up the time stands
// still until the next period, all threads at once, whichever processors they run on; whoever needs
// more memory is refused it, or ended.
//
//   QuotaFiles();               // once, before a sandbox is entered, which must let them be read
//   ProcessorsOfQuota();        // now
//
// Control groups count of both versions: that of the process, and those above it that are mounted
// here. In a container the groups above its own are not, and its own may be the root of the mount.
//
// Privacy: PUBLIC. Threads: any. Errors: none; where the system does not say, nothing is set.
#ifndef TOPICWALL_SERVER_RELEASE_RESOURCE_LIMITS_H_
#define TOPICWALL_SERVER_RELEASE_RESOURCE_LIMITS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::release {

// That say the quota: found by the first call, the same ever after.
const std::vector<std::string>& QuotaFiles();

// The least of them, as they are now; infinite if none is set. 0 if one cannot be read any more.
double ProcessorsOfQuota();

// Bytes: the least of what the machine has, this process's limits of address space and of data
// (setrlimit(2)), and those of its control groups.
double MemoryOfThisProcess();

// The same of control groups alone, for tests: `groups` is what /proc/self/cgroup says, `mount`
// stands for /sys/fs/cgroup. Of memory infinite if none is set.
std::vector<std::string> QuotaFilesOf(absl::string_view groups, const std::string& mount);
double LeastQuota(absl::Span<const std::string> files);
double MemoryOfGroups(absl::string_view groups, const std::string& mount);

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_RESOURCE_LIMITS_H_
