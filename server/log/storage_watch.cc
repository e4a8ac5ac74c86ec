#include "server/log/storage_watch.h"

#include <sys/statvfs.h>

#include "absl/strings/match.h"
#include "base/threads/steady_wait.h"

namespace topicwall::server {
namespace {

// What the ledger says of a disk, a file, a device, a database or a table that it cannot use; a
// refusal that is the analyst's own matter never begins so. Words and not a payload, which the gate
// would hand on to the analyst.
bool IsOfStorage(const absl::Status& act) {
  return (absl::IsUnavailable(act) || absl::IsDataLoss(act) || absl::IsInternal(act)) &&
         absl::StartsWith(act.message(), "the ledger's ");
}

// As ledger::NotTheCustodians begins; before it the directory may be named.
bool IsEdited(const absl::Status& act) {
  return absl::IsDataLoss(act) &&
         absl::StrContains(act.message(), "the ledger is not its custodian's: ");
}

// As ledger::KeptState calls one with an event that this program does not know the whole of.
bool IsNewer(const absl::Status& act) {
  return absl::IsFailedPrecondition(act) && absl::StartsWith(act.message(), "ledger entry ") &&
         absl::StrContains(act.message(), " says more than the server's program knows");
}

}  // namespace

std::optional<int64_t> FreeBytes(const std::string& directory) {
  struct statvfs disk {};
  if (statvfs(directory.c_str(), &disk) != 0) return std::nullopt;
  return static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
}

void StorageWatch::Look() { LookAt(absl::OkStatus(), base::SteadyNow()); }

void StorageWatch::Saw(const absl::Status& act) { LookAt(act, base::SteadyNow()); }

void StorageWatch::LookAt(const absl::Status& act, absl::Duration now) {
  // Without the lock, which is for the times of alarms and waits for no disk.
  const std::optional<int64_t> free = FreeBytes(directory_);
  absl::MutexLock lock(&mutex_);
  if (IsOfStorage(act)) Alarm(kAlarmStorageFailed, now, &last_failure_);
  if (IsEdited(act)) Alarm(kAlarmNotTheCustodians, now, &last_edited_);
  if (IsNewer(act)) Alarm(kAlarmWrittenByNewer, now, &last_newer_);
  if (free.has_value() && !(*free >= kFewestBytes)) {
    Alarm(kAlarmDiskNearlyFull, now, &last_nearly_full_);
  }
}

void StorageWatch::Alarm(absl::string_view alarm, absl::Duration now, absl::Duration* last) {
  if (now - *last < kBetweenAlarms) return;
  *last = now;
  log_->Alarm(alarm, "");
}

}  // namespace topicwall::server
