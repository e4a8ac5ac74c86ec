#include "server/store/sqlite/sqlite_connection.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "server/store/data_directory_lock.h"

namespace topicwall::store {
namespace {

// FULL: a commit is on the disk before it is reported. secure_delete: erased release keys
// are overwritten. A file whose schema was tampered with must not run functions.
constexpr char kSettings[] =
    "PRAGMA mmap_size = 0; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;"
    "PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;";
constexpr int kBusyTimeoutMs = 10000;

// A name by which SQLite takes the file for one that nobody changes: it asks for no locks, makes
// nothing beside it, and sees no log.
std::string UnchangingName(const std::string& path) {
  std::string name = "file:";
  for (const char c : path) {
    absl::StrAppend(&name, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
  }
  return name + "?immutable=1";
}

}  // namespace

// SQLite's own longer text would quote the file.
absl::Status SqliteError(int code) {
  const std::string detail = absl::StrCat(" (SQLite ", code, ": ", sqlite3_errstr(code), ")");
  const auto unavailable = [&](const char* what, const char* next) {
    return absl::UnavailableError(
        absl::StrCat("the ledger", what, "; nothing was changed", detail, ". ", next));
  };
  // The memory that readers and writers share is a file beside the ledger's, and so there is no
  // reading either where it cannot be made.
  if (code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_SHMMAP) {
    return absl::UnavailableError(absl::StrCat(
        "the ledger's disk is full, or fails: also to read, room is wanted for ledger.db-shm",
        detail, ". Free space on it, or copy the folder to another disk and read the copy."));
  }
  switch (code & 0xff) {  // whatever more an extended code says
    case SQLITE_FULL:
      return unavailable("'s disk is full", "Free space on it.");
    case SQLITE_CANTOPEN:
      return absl::UnavailableError(absl::StrCat(
          "the ledger's file cannot be opened", detail,
          ". Also to read, this user must be able to write in its folder: run this as the folder's "
          "owner, mount its disk to be written on, or copy the folder elsewhere and read the "
          "copy."));
    case SQLITE_IOERR:
      return unavailable("'s storage failed", "Look at the disk, then try again.");
    case SQLITE_NOMEM:  // or a length in a damaged file, as large as that
      return unavailable(" wants more memory", "Free some; if it stays so, restore a backup.");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return unavailable(" is busy",
                         "Try again; if it stays so, its file system has no POSIX locks.");
    case SQLITE_READONLY:
      return absl::FailedPreconditionError(absl::StrCat("the ledger can only be read", detail));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return absl::DataLossError(absl::StrCat("the ledger's file is damaged", detail));
    default:
      return absl::InternalError(absl::StrCat("the ledger's storage refused", detail));
  }
}

absl::StatusOr<bool> SqliteStatement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) return SqliteError(code);
  return code == SQLITE_ROW;
}

std::string SqliteStatement::Bytes(int column) const {
  // The order matters: the first call converts, the second counts the result.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return std::string(absl::string_view(static_cast<const char*>(bytes), size));
}

int SqliteStatement::Bind(int index, absl::string_view text) {
  // A null pointer would bind NULL, not the empty string.
  return sqlite3_bind_text64(statement_.get(), index, text.empty() ? "" : text.data(), text.size(),
                             SQLITE_TRANSIENT, SQLITE_UTF8);
}

int SqliteStatement::Bind(int index, Blob blob) {
  return sqlite3_bind_blob64(statement_.get(), index, blob.bytes.empty() ? "" : blob.bytes.data(),
                             blob.bytes.size(), SQLITE_TRANSIENT);
}

absl::StatusOr<SqliteConnection> SqliteConnection::Open(const std::string& path, Mode mode) {
  TW_RETURN_IF_ERROR(RequireRegular(path));
  const FileInPlace file(path);  // before SQLite opens it, and compared afterwards
  if (mode == Mode::kReadWrite) return OpenAs(path, file, SQLITE_OPEN_READWRITE);
  absl::StatusOr<SqliteConnection> connection = OpenAs(path, file, SQLITE_OPEN_READONLY);
  // It opens before it reads.
  absl::Status read = connection.status();
  if (read.ok()) read = connection->Run("SELECT 1 FROM sqlite_schema");
  if (!absl::IsUnavailable(read)) return connection;
  connection = read;  // closed before the folder is kept: it may have made files there
  // The log is looked for under the lock, since who had that may have left one.
  base::FileDescriptor folder =
      KeepWritersOut(std::filesystem::absolute(path).parent_path().string());
  if (!folder.valid() || HasLog(path)) return connection;
  absl::StatusOr<SqliteConnection> alone =
      OpenAs(UnchangingName(path), file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (!alone.ok()) return connection;
  alone->writers_kept_out_ = std::move(folder);
  return alone;
}

absl::StatusOr<SqliteConnection> SqliteConnection::OpenAs(const std::string& name, FileInPlace file,
                                                          int flags) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &database,
                                   flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  SqliteConnection connection(database, std::move(file));
  if (code != SQLITE_OK) return SqliteError(code);
  sqlite3_busy_timeout(database, kBusyTimeoutMs);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  TW_RETURN_IF_ERROR(connection.RunScript(kSettings));
  TW_RETURN_IF_ERROR(connection.file().Require());
  return connection;
}

absl::StatusOr<SqliteStatement> SqliteConnection::Compile(absl::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code == SQLITE_ERROR) {  // our statements are constants: it is the tables that differ
    return absl::DataLossError("the ledger's tables are damaged: restore a backup.");
  }
  if (code != SQLITE_OK) return SqliteError(code);
  return SqliteStatement(statement);
}

absl::Status SqliteConnection::RunScript(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : SqliteError(code);
}

absl::Status SqliteConnection::Write(absl::FunctionRef<absl::Status()> changes) {
  TW_RETURN_IF_ERROR(file_.Require());
  if (sqlite3_db_readonly(database_.get(), "main") == 1) return SqliteError(SQLITE_READONLY);
  // The write lock before the first look: heads that are compared are those that are appended to.
  TW_RETURN_IF_ERROR(Run("BEGIN IMMEDIATE"));
  absl::Status status = changes();
  if (status.ok()) status = Run("COMMIT");
  if (!status.ok()) {
    // Refused, to no harm, where SQLite has rolled back by itself.
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return status;
  }
  // A log is believed only up to its first bad byte, so what stands there alone could be rolled
  // back by damage that nobody notices; and what was deleted would linger in it. A reader may be in
  // the way: it is not waited for, the next commit tries again.
  sqlite3_busy_timeout(database_.get(), 0);
  const int emptied = sqlite3_wal_checkpoint_v2(database_.get(), nullptr,
                                                SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_busy_timeout(database_.get(), kBusyTimeoutMs);
  TW_RETURN_IF_ERROR(file_.Require());
  // A log that a reader still needs is left as it is. If it is gone instead, so is the commit.
  if (emptied == SQLITE_OK || base::FileExists(file_.path() + "-wal")) return absl::OkStatus();
  return absl::DataLossError("the ledger's log was deleted under it: restore a backup.");
}

}  // namespace topicwall::store
