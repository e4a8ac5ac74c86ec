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

#include <sys/stat.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::store {

std::string DatabasePath(absl::string_view directory);
std::string IdentityPath(absl::string_view directory);
// Where migrate-ledger leaves the file of a ledger that it moved into a database.
std::string MovedPath(absl::string_view directory);

// ledger.id. Writing makes it durable, and wants it not to be there.
absl::Status WriteIdentityFile(absl::string_view directory, absl::string_view ledger_id);
absl::StatusOr<std::string> ReadIdentityFile(absl::string_view directory);
bool HasIdentityFile(absl::string_view directory);

// NOT_FOUND if neither database nor identity file is there: no budget was ever opened, or the disk
// with them is not mounted, or both are lost, which is not told apart here. DATA_LOSS if one of
// them is.
absl::Status CheckFilesPresent(absl::string_view directory);
// DATA_LOSS if something else than a regular file has the name, as a pipe, which would be waited
// for. OK where nothing has it.
absl::Status RequireRegular(const std::string& path);
// Whether an act may stand in a log beside the database, and not yet in it.
bool HasLog(const std::string& database);

// A database with what is put beside it: the first of them that there is. A write-ahead log that is
// left beside a new file would be replayed into it.
std::optional<std::string> AnyFileOf(const std::string& database);
void RemoveFilesOf(const std::string& database);
// Removes them, and makes an empty file, which nobody but its owner may read.
absl::Status MakeEmpty(const std::string& database);

// The file of a name, as it stood when this was made. One that loses its name while it is open goes
// on without one, and everything written to it is lost with the process. Threads: any.
class FileInPlace {
 public:
  explicit FileInPlace(const std::string& path);

  const std::string& path() const { return path_; }
  // DATA_LOSS if it has been deleted, moved or replaced since. Cost: 1 µs.
  absl::Status Require() const;

 private:
  std::string path_;
  struct stat status_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_LEDGER_FILES_H_
