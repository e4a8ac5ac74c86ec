// How much memory a process may take here: MemoryMax= of a unit, --memory of a container, ulimit
// -v. Whoever needs more is refused it, or ended.
//
// Privacy: PUBLIC. Threads: any. Errors: none; where the system does not say, nothing is set.
#ifndef TOPICWALL_SERVER_RELEASE_MEMORY_LIMIT_H_
#define TOPICWALL_SERVER_RELEASE_MEMORY_LIMIT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace topicwall::release {

// Bytes: the least of what the machine has, this process's limits of address space and of data
// (setrlimit(2)), and those of its control groups (control_groups.h).
double MemoryOfThisProcess();

// Of control groups alone, for tests; infinite if none is set.
double MemoryOfGroups(absl::string_view groups, const std::string& mount);

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_MEMORY_LIMIT_H_
