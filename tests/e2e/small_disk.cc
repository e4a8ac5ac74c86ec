#include "tests/e2e/small_disk.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace topicwall::testing {

bool MayMount() {
  static const bool may = geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
                          mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return may;
}

void MountSmallDisk(const std::string& folder, size_t bytes, const std::string& mode) {
  std::filesystem::create_directory(folder);
  const std::string options = absl::StrCat("mode=", mode, ",size=", bytes);
  ASSERT_EQ(mount("small", folder.c_str(), "tmpfs", 0, options.c_str()), 0);
}

void FillSmallDisk(const std::string& folder) {
  std::ofstream ballast(folder + "/ballast", std::ios::binary);
  struct statvfs disk = {};
  ASSERT_EQ(statvfs(folder.c_str(), &disk), 0);
  ballast << std::string((disk.f_bavail - 10) * disk.f_bsize, 'x') << std::flush;
}

void FreeSmallDisk(const std::string& folder) { std::filesystem::remove(folder + "/ballast"); }

void UnmountSmallDisk(const std::string& folder) { umount2(folder.c_str(), MNT_DETACH); }

}  // namespace topicwall::testing
