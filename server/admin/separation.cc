#include "server/admin/separation.h"

#include <sys/resource.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/processes.h"
#include "server/random/secret_key.h"

namespace topicwall::admin {
namespace {

absl::Status CheckKernel(const v1::WallConfig& config, const sandbox::Confinement& kernel,
                         Outcome* outcome) {
  outcome->json.SetInteger("landlock_abi", kernel.landlock_abi).SetBool("seccomp", kernel.seccomp);
  absl::StrAppend(&outcome->text, "Kernel: ",
                  kernel.landlock_abi > 0 ? absl::StrCat("Landlock ", kernel.landlock_abi)
                                          : std::string("no Landlock"),
                  kernel.seccomp ? ", seccomp" : ", no seccomp", "\n");
  if (kernel.landlock_abi > 0 && kernel.seccomp) return absl::OkStatus();
  const std::string missing =
      "the kernel has no Landlock or no seccomp, and the server's processes are not confined by "
      "what it lacks";
  // Confinement is required unless somebody has written down that it is not.
  if (server::RequiresSandbox(config)) {
    return absl::FailedPreconditionError(absl::StrCat(
        missing,
        "; boot one that has both (for Landlock, lsm= of its command line must name it), "
        "or accept that with sandbox: SANDBOX_BEST_EFFORT"));
  }
  outcome->warnings.push_back(missing);
  return absl::OkStatus();
}

// The server's processes have the limit of whoever starts them, which may be another one.
void TellLockableMemory(Outcome* outcome) {
  // Of this process, which may have another limit than the one that systemd gives the server's.
  const bool locked = random::SecretKey::AreLocked();
  outcome->json.SetBool("keys_locked", locked);
  if (!locked) {
    outcome->warnings.push_back(
        "keys cannot be locked into memory here; the server does not start where that is so: let "
        "it lock 256 KiB (LimitMEMLOCK= of its unit, or ulimit -l)");
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return;
  if (limit.rlim_cur == RLIM_INFINITY) {
    absl::StrAppend(&outcome->text, "Memory: keys are locked; all of it may be\n");
    return;
  }
  const auto kibibytes = static_cast<int64_t>(limit.rlim_cur / 1024);
  outcome->json.SetInteger("lockable_kib", kibibytes);
  absl::StrAppend(&outcome->text, "Memory: keys are ", locked ? "" : "not ", "locked; ", kibibytes,
                  " KiB may be (ulimit -l)\n");
}

}  // namespace

absl::Status CheckSeparation(const v1::WallConfig& config, const sandbox::Confinement& kernel,
                             Outcome* outcome) {
  // What two users are worth depends on the owners and modes of files, and those are looked at
  // first.
  TW_RETURN_IF_ERROR(server::CheckUsers(config));
  const bool separated = server::AreSeparated(config);
  outcome->json.SetBool("separated", separated);
  absl::StrAppend(
      &outcome->text,
      "Processes: ", server::SeparationSentence(separated, server::RequiresSandbox(config)),
      separated ? absl::StrCat(" (", config.processes().gate(), ", ", config.processes().vault(),
                               "); start topicwall-server as root")
                : std::string("; name two users in processes, and start topicwall-server as root"),
      "\n");
  TW_RETURN_IF_ERROR(CheckKernel(config, kernel, outcome));
  TellLockableMemory(outcome);
  return absl::OkStatus();
}

}  // namespace topicwall::admin
