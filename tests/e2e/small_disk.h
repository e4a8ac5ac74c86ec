// A disk that can be full without filling the machine's: a tmpfs that nobody else sees, in a mount
// namespace of the thread's own, which goes with the program.
//
//   if (!MayMount()) GTEST_SKIP();
//   MountSmallDisk(folder, 4 << 20, "0700");
#ifndef TOPICWALL_TESTS_E2E_SMALL_DISK_H_
#define TOPICWALL_TESTS_E2E_SMALL_DISK_H_

#include <cstddef>
#include <string>

namespace topicwall::testing {

// Not in every container. Must be asked first.
bool MayMount();

// Makes the folder.
void MountSmallDisk(const std::string& folder, size_t bytes, const std::string& mode);
// But for ten pages.
void FillSmallDisk(const std::string& folder);
void FreeSmallDisk(const std::string& folder);
// If there is one.
void UnmountSmallDisk(const std::string& folder);

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_SMALL_DISK_H_
