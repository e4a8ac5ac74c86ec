// Files in which the control groups of this process say what they let it have, of its group and of
// those above it that are mounted here, of both versions.
//
//   GroupFilesOf(FileContent("/proc/self/cgroup"), "/sys/fs/cgroup", "memory", {"/memory.max"});
//
// Version 2 has one tree; version 1 has one of each controller. In a container the groups above its
// own are not mounted, and its own may be the root of the mount.
//
// Privacy: PUBLIC. Threads: any. Errors: none; a file that cannot be read is empty.
#ifndef TOPICWALL_SERVER_RELEASE_CONTROL_GROUPS_H_
#define TOPICWALL_SERVER_RELEASE_CONTROL_GROUPS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::release {

std::string FileContent(const std::string& path);

// Those of these `names`, each with a "/" before it, that are there. `groups` is what
// /proc/self/cgroup says; `controller` is its name in version 1.
std::vector<std::string> GroupFilesOf(absl::string_view groups, const std::string& mount,
                                      absl::string_view controller,
                                      absl::Span<const absl::string_view> names);

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_CONTROL_GROUPS_H_
