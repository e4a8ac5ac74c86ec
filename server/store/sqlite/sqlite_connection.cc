#include "server/store/sqlite/sqlite_connection.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace topicwall::store {
namespace {

// SQLite's own longer text would quote the file.
absl::Status SqliteError(int code) {
  const std::string detail = absl::StrCat("(SQLite ", code, ": ", sqlite3_errstr(code), ")");
  switch (code & 0xff) {
    case SQLITE_FULL:
      return absl::UnavailableError(absl::StrCat("the ledger's disk is full; nothing was changed ",
                                                 detail, ". Free space on it."));
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return absl::UnavailableError(
          absl::StrCat("the ledger's storage failed; nothing was changed ", detail,
                       ". Look at the disk, then try again."));
    case SQLITE_NOMEM:  // or a length in a damaged file, as large as that
      return absl::UnavailableError(
          absl::StrCat("the ledger wants more memory than there is; nothing was changed ", detail,
                       ". Free memory; if it stays so, restore a backup."));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(
          absl::StrCat("the ledger is busy; nothing was changed ", detail, ". Try again."));
    case SQLITE_READONLY:
      return absl::FailedPreconditionError(absl::StrCat("the ledger can only be read ", detail));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return absl::DataLossError(absl::StrCat("the ledger's file is damaged ", detail));
    default:
      return absl::InternalError(absl::StrCat("the ledger's storage refused ", detail));
  }
}

absl::Status ErrorOf(sqlite3* database, int code) {
  return SqliteError(database == nullptr ? code : sqlite3_extended_errcode(database));
}

// SQLite would make the file with the process's umask; here nobody else may read it.
absl::Status CreateEmptyFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot create ", path, ": it exists, or its folder cannot be written."));
  }
  close(descriptor);
  return absl::OkStatus();
}

// FULL: a commit is on the disk before it is reported. secure_delete: erased release keys
// are overwritten. A file whose schema was tampered with must not run functions.
constexpr char kSettings[] =
    "PRAGMA mmap_size = 0; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;"
    "PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;";
constexpr int kBusyTimeoutMs = 10000;

}  // namespace

absl::StatusOr<bool> SqliteStatement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return ErrorOf(sqlite3_db_handle(statement_.get()), code);
}

std::string SqliteStatement::Bytes(int column) const {
  // The order matters: the first call converts, the second counts the result.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string()
                          : std::string(static_cast<const char*>(bytes), static_cast<size_t>(size));
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
  if (mode == Mode::kCreate) TW_RETURN_IF_ERROR(CreateEmptyFile(path));
  const bool read_only = mode == Mode::kReadOnly;
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &database,
      (read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteConnection connection(database, read_only);
  if (code != SQLITE_OK) return ErrorOf(database, code);
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, kBusyTimeoutMs);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  TW_RETURN_IF_ERROR(connection.RunScript(kSettings));
  if (mode == Mode::kCreate) TW_RETURN_IF_ERROR(connection.RunScript("PRAGMA journal_mode = WAL"));
  return connection;
}

absl::Status SqliteConnection::RunScript(const std::string& sql) {
  const int code = sqlite3_exec(raw(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code);
}

absl::StatusOr<SqliteStatement> SqliteConnection::Compile(absl::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(raw(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code == SQLITE_ERROR) {  // our statements are constants: it is the tables that differ
    return absl::DataLossError("the ledger's tables are damaged: restore a backup.");
  }
  if (code != SQLITE_OK) return Error(code);
  return SqliteStatement(statement);
}

absl::Status SqliteConnection::Finish(SqliteStatement& statement) {
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, statement.Step());
    if (!more) return absl::OkStatus();
  }
}

absl::Status SqliteConnection::GoneFromItsPlace() {
  return absl::DataLossError(
      "the ledger's file was deleted, moved or replaced while it was in use. Nothing more is "
      "released. Stop the server and put the file back as it was, or restore a backup.");
}

absl::Status SqliteConnection::StatusOf(int code) {
  return code == SQLITE_OK ? absl::OkStatus() : SqliteError(code);
}

absl::Status SqliteConnection::Error(int code) const { return ErrorOf(raw(), code); }

absl::Status SqliteConnection::RequireInPlace() {
  int moved = 0;
  const int code = sqlite3_file_control(raw(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0 ? GoneFromItsPlace() : absl::OkStatus();
}

absl::Status SqliteConnection::RequireLogInPlace() {
  const std::string log = absl::StrCat(sqlite3_db_filename(raw(), "main"), "-wal");
  return access(log.c_str(), F_OK) == 0 ? absl::OkStatus() : GoneFromItsPlace();
}

bool SqliteConnection::Checkpoint() {
  // Do not wait for readers: the next commit tries again.
  sqlite3_busy_timeout(raw(), 0);
  const int code =
      sqlite3_wal_checkpoint_v2(raw(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_busy_timeout(raw(), kBusyTimeoutMs);
  return code == SQLITE_OK;
}

}  // namespace topicwall::store
