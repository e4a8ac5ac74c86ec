// Backups of the ledger, and putting one in the place of a ledger that was lost.
//
//   BackupLedger(data, backup, keys)     beside a running server: one moment of it
//   ... the data directory is lost ...
//   InstallBackup(backup, lock, keys)    frozen, one epoch on; then thaw (custodian_acts.h)
//
// A backup is <directory>/ledger.db and ledger.id. It is marked, so that it cannot be used
// where it lies, and holds no release key: a release that was being computed is lost in it,
// and whoever steals a backup with the custodian's key cannot take noise off anything.
//
// A backup is older than the ledger it came from, which may have gone on releasing. So an
// installed one only reads, until it is settled what it missed; and plans that were active
// in it stay paused, with all they had left counted as charged.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_BACKUP_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_BACKUP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/ledger/ledger_keys.h"
#include "server/store/data_directory_lock.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// `backup_directory` exists and has no ledger in it (ALREADY_EXISTS). The copy is verified
// and durable before this returns OK. DATA_LOSS if the ledger itself does not verify. Cost:
// reads and writes the whole file; the server goes on working meanwhile.
absl::Status BackupLedger(absl::string_view data_directory, absl::string_view backup_directory,
                          const LedgerKeys& keys);
// The same of a ledger that several servers share, which need not be stopped: of that which the
// server of data_directory has, and saw (folded/seen_heads.h).
absl::Status BackupShared(const std::string& data_directory, store::EventStore& ledger,
                          absl::string_view backup_directory, const LedgerKeys& keys);

// As of now_ms, or of the last event if that is later. Into the directory of the lock, which must
// have no database (ALREADY_EXISTS: move the damaged one away, with its -wal and -shm) and, if it
// has a ledger.id, that of the backup (FAILED_PRECONDITION, as for another key). NOT_FOUND without
// a backup; DATA_LOSS if it does not verify.
absl::Status InstallBackup(absl::string_view backup_directory, const store::DataDirectoryLock& lock,
                           const LedgerKeys& keys, int64_t now_ms);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_BACKUP_H_
