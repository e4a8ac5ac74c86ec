#include "server/store/sqlite/sqlite_transaction.h"

#include <utility>

#include "base/status_macros.h"

namespace topicwall::store {

absl::StatusOr<WriteTransaction> WriteTransaction::Begin(SqliteConnection& connection) {
  if (connection.read_only()) {
    return absl::FailedPreconditionError("the ledger was opened for reading only.");
  }
  TW_RETURN_IF_ERROR(connection.RequireInPlace());
  TW_RETURN_IF_ERROR(connection.Run("BEGIN IMMEDIATE"));
  return WriteTransaction(&connection);
}

WriteTransaction::WriteTransaction(WriteTransaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

WriteTransaction::~WriteTransaction() {
  if (connection_ == nullptr || sqlite3_get_autocommit(connection_->raw()) != 0) return;
  sqlite3_exec(connection_->raw(), "ROLLBACK", nullptr, nullptr, nullptr);
}

absl::Status WriteTransaction::Commit() {
  // On an error the destructor rolls back what SQLite has not rolled back by itself.
  TW_RETURN_IF_ERROR(connection_->Run("COMMIT"));
  SqliteConnection& connection = *std::exchange(connection_, nullptr);
  const bool in_main_file = connection.Checkpoint();
  TW_RETURN_IF_ERROR(connection.RequireInPlace());
  return in_main_file ? absl::OkStatus() : connection.RequireLogInPlace();
}

absl::StatusOr<ReadTransaction> ReadTransaction::Begin(SqliteConnection& connection) {
  TW_RETURN_IF_ERROR(connection.RequireInPlace());
  TW_RETURN_IF_ERROR(connection.Run("BEGIN"));
  return ReadTransaction(&connection);
}

ReadTransaction::ReadTransaction(ReadTransaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

ReadTransaction::~ReadTransaction() {
  if (connection_ == nullptr || sqlite3_get_autocommit(connection_->raw()) != 0) return;
  sqlite3_exec(connection_->raw(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace topicwall::store
