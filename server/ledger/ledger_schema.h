// The ledger's place on disk: its files, its tables, and what makes it this ledger.
//
//   <data directory>/ledger.db    the SQLite database (with -wal and -shm while it is open)
//   <data directory>/ledger.id    32 hexadecimal digits: the ledger's random identity
//
// The identity also stands inside the database. A data directory whose two identities are
// not there and equal has lost its ledger: that is an error that names `restore`, never a
// new, unspent budget. Tables, units and encodings: ledger_tables.h.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_SCHEMA_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_SCHEMA_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/ledger/sqlite_connection.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::ledger {

std::string DatabasePath(absl::string_view directory);
std::string IdentityPath(absl::string_view directory);

// The one row of the table `ledger`.
struct LedgerIdentity {
  std::string ledger_id;
  int64_t epoch;   // 1, and 1 more with every restore
  bool is_backup;  // a copy that must be installed before it can be used
};

// Random, 128 bits as 32 hexadecimal digits: ledgers, budgets and plans have such ids.
absl::StatusOr<std::string> RandomId();

// Makes empty tables in a new database. `key_check` is something sealed under the
// custodian's key, so that a wrong key is noticed at start and not at the first release.
absl::Status CreateTables(SqliteConnection& connection, absl::string_view ledger_id,
                          const sealing::SealingKey& key);

// The version of the tables if it is an earlier one that can be upgraded, else 0; and what those of
// version 2, and of 3, lack (ledger_upgrade.h).
absl::StatusOr<int> OlderVersion(SqliteConnection& connection);
absl::Status AddReceiptTables(SqliteConnection& connection);
absl::Status AddVersion4(SqliteConnection& connection);

// DATA_LOSS unless the tables are of this version and there is one identity;
// FAILED_PRECONDITION for those of an earlier one.
absl::StatusOr<LedgerIdentity> ReadIdentity(SqliteConnection& connection);

// FAILED_PRECONDITION if the ledger is sealed under another key.
absl::Status CheckKey(SqliteConnection& connection, const LedgerIdentity& identity,
                      const sealing::SealingKey& key);
absl::Status ReplaceKeyCheck(SqliteConnection& connection, absl::string_view ledger_id,
                             const sealing::SealingKey& key);

// The sibling file. Writing makes it durable, and wants it not to be there.
absl::Status WriteIdentityFile(absl::string_view directory, absl::string_view ledger_id);
absl::StatusOr<std::string> ReadIdentityFile(absl::string_view directory);
bool HasIdentityFile(absl::string_view directory);

// NOT_FOUND if neither database nor identity file is there (no budget was ever opened),
// DATA_LOSS if one of them is.
absl::Status CheckFilesPresent(absl::string_view directory);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_SCHEMA_H_
