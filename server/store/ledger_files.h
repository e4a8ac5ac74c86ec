// A ledger's place on disk: its files, and what makes it this ledger.
//
//   <data directory>/ledger.db    the SQLite database (with -wal and -shm while it is open)
//   <data directory>/ledger.id    32 hexadecimal digits: the ledger's random identity
//
// The identity also stands inside the database. A data directory whose two identities are
// not there and equal has lost its ledger: that is an error that names `restore`, never a
// new, unspent budget.
#ifndef TOPICWALL_SERVER_STORE_LEDGER_FILES_H_
#define TOPICWALL_SERVER_STORE_LEDGER_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::store {

std::string DatabasePath(absl::string_view directory);
std::string IdentityPath(absl::string_view directory);

// ledger.id. Writing makes it durable, and wants it not to be there.
absl::Status WriteIdentityFile(absl::string_view directory, absl::string_view ledger_id);
absl::StatusOr<std::string> ReadIdentityFile(absl::string_view directory);
bool HasIdentityFile(absl::string_view directory);

// NOT_FOUND if neither database nor identity file is there (no budget was ever opened),
// DATA_LOSS if one of them is.
absl::Status CheckFilesPresent(absl::string_view directory);

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_LEDGER_FILES_H_
