#include "server/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"

namespace topicwall::sandbox {
namespace {

// Debian 12's header ends with version 2.
constexpr uint64_t kTruncate = uint64_t{1} << 14;
constexpr uint64_t kIoctlDevice = uint64_t{1} << 15;
constexpr uint64_t kScopeAbstractUnixSocket = uint64_t{1} << 0;
// landlock_ruleset_attr of version 6. A kernel takes a longer one than its own if the rest is 0.
struct Ruleset {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};

constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kWrite = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                            LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER | kTruncate;
// A rule for what is no folder may name no right of folders.
constexpr uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

// Every right that a kernel of this version knows is forbidden unless a rule gives it.
uint64_t HandledBy(int abi) {
  uint64_t handled = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  if (abi >= 2) handled |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) handled |= kTruncate;
  if (abi >= 5) handled |= kIoctlDevice;
  return handled;
}

absl::Status Allow(int ruleset, const std::string& path, uint64_t rights) {
  const base::FileDescriptor beneath(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!beneath.valid() || fstat(beneath.get(), &status) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the sandbox needs ", path, " to exist when it is entered: make it, or correct the path"));
  }
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  const landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = beneath.get()};
  if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("the sandbox cannot let ", path, " through"));
  }
  return absl::OkStatus();
}

}  // namespace

int LandlockAbi() {
  const long abi =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

absl::Status RestrictByLandlock(const Paths& paths) {
  const int abi = LandlockAbi();
  const uint64_t handled = HandledBy(abi);
  const Ruleset attributes = {.handled_access_fs = handled,
                              .handled_access_net = 0,
                              .scoped = abi >= 6 ? kScopeAbstractUnixSocket : 0};
  const base::FileDescriptor ruleset(
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0)));
  if (!ruleset.valid()) {
    return absl::InternalError(absl::StrCat("Landlock makes no ruleset: errno ", errno));
  }
  for (const std::string& path : paths.readable) {
    TW_RETURN_IF_ERROR(Allow(ruleset.get(), path, kRead & handled));
  }
  for (const std::string& path : paths.writable) {
    TW_RETURN_IF_ERROR(Allow(ruleset.get(), path, kWrite & handled));
  }
  if (syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
    return absl::InternalError(absl::StrCat("Landlock restricts nothing: errno ", errno));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::sandbox
