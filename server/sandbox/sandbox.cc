#include "server/sandbox/sandbox.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/sandbox/filter.h"
#include "server/sandbox/landlock.h"

namespace topicwall::sandbox {
namespace {

// A thread that is there already would stay outside. ThreadSanitizer has one of its own, which may.
absl::Status CheckOneThread() {
  if (BuiltWithSanitizers()) return absl::OkStatus();
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  const auto count = error ? -1 : std::distance(begin(threads), end(threads));
  if (count == 1) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the sandbox must be entered by the only thread, counted in /proc/self/task; ",
                   count < 0 ? std::string("it cannot be read") : absl::StrCat("there are ", count),
                   ". Enter it first in main(), with /proc mounted."));
}

absl::Status CheckKernel(const Confinement& offered) {
  if (offered.landlock_abi > 0 && offered.seccomp) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the sandbox needs Landlock and seccomp; this kernel, or the container's rules, offer no ",
      offered.seccomp ? "Landlock" : "seccomp",
      ". Use Linux 5.13 or later with lsm=landlock, or accept less with sandbox: BEST_EFFORT."));
}

// No rights by exec; no core, and nobody of the same user looks into /proc/PID or attaches.
absl::Status CloseToOthers() {
  const rlimit no_core = {.rlim_cur = 0, .rlim_max = 0};
  // The first is what the kernel asks of a process without privileges before it takes a filter or
  // Landlock rules from it.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
      setrlimit(RLIMIT_CORE, &no_core) == 0) {
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("the kernel keeps this process open to others: errno ", errno));
}

absl::StatusOr<Confinement> Enter(const Paths& paths, Strictness strictness,
                                  absl::Status (*filter)()) {
  TW_RETURN_IF_ERROR(CheckOneThread());
  const Confinement offered = OfferedByThisKernel();
  if (strictness == Strictness::kRequired) TW_RETURN_IF_ERROR(CheckKernel(offered));
  TW_RETURN_IF_ERROR(CloseToOthers());
  if (offered.seccomp) TW_RETURN_IF_ERROR(FilterInheritedFiles());
  if (offered.landlock_abi > 0) TW_RETURN_IF_ERROR(RestrictByLandlock(paths));
  // Last: it refuses what the others are made of.
  if (offered.seccomp) TW_RETURN_IF_ERROR(filter());
  return offered;
}

}  // namespace

Confinement OfferedByThisKernel() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  return {.landlock_abi = LandlockAbi(),
          .seccomp = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0};
}

absl::StatusOr<Confinement> EnterGate(const Paths& paths, Strictness strictness) {
  return Enter(paths, strictness, FilterGate);
}

absl::StatusOr<Confinement> EnterVault(const Paths& paths, Strictness strictness) {
  return Enter(paths, strictness, FilterVault);
}

absl::StatusOr<Confinement> EnterStore(const Paths& paths, Strictness strictness) {
  return Enter(paths, strictness, FilterStore);
}

}  // namespace topicwall::sandbox
