#include "server/release/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "server/release/control_groups.h"

namespace topicwall::release {

// Version 2 says "max" where there is none, version 1 a number that no machine has.
double MemoryOfGroups(absl::string_view groups, const std::string& mount) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& file :
       GroupFilesOf(groups, mount, "memory", {"/memory.max", "/memory.limit_in_bytes"})) {
    const std::string content = FileContent(file);
    int64_t bytes = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(content), &bytes)) continue;
    least = std::min(least, static_cast<double>(bytes));
  }
  return least;
}

double MemoryOfThisProcess() {
  double least = MemoryOfGroups(FileContent("/proc/self/cgroup"), "/sys/fs/cgroup");
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    least = std::min(least, static_cast<double>(limit.rlim_cur));
  }
  const int64_t pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages < 1 || bytes < 1) return least;
  return std::min(least, static_cast<double>(pages) * static_cast<double>(bytes));
}

}  // namespace topicwall::release
