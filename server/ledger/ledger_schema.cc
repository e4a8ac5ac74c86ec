#include "server/ledger/ledger_schema.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "server/ledger/ledger_tables.h"
#include "server/ledger/sqlite_transaction.h"
#include "server/random/secure_random.h"

namespace topicwall::ledger {
namespace {

constexpr int kSchemaVersion = 4;
constexpr int kOldestVersion = 2;           // that can be upgraded
constexpr int kApplicationId = 0x54574c31;  // "TWL1"

constexpr absl::string_view kKeyCheck = "topicwall ledger key check";

std::string KeyCheckPlace(absl::string_view ledger_id) {
  return absl::StrCat("topicwall.ledger.key_check ", ledger_id);
}

absl::StatusOr<int> ReadPragma(SqliteConnection& connection, absl::string_view pragma) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row, connection.Prepare(absl::StrCat("PRAGMA ", pragma)));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  return found ? row.Int(0) : 0;
}

}  // namespace

std::string DatabasePath(absl::string_view directory) {
  return absl::StrCat(directory, "/ledger.db");
}
std::string IdentityPath(absl::string_view directory) {
  return absl::StrCat(directory, "/ledger.id");
}

absl::StatusOr<std::string> RandomId() {
  TW_ASSIGN_OR_RETURN(const auto bytes, random::Random128());
  return base::Hex(bytes);
}

absl::Status CreateTables(SqliteConnection& connection, absl::string_view ledger_id,
                          const sealing::SealingKey& key) {
  TW_ASSIGN_OR_RETURN(const std::string sealed, key.Seal(kKeyCheck, KeyCheckPlace(ledger_id)));
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection));
  TW_RETURN_IF_ERROR(connection.RunScript(
      absl::StrCat(kWeightsTable, kSchema, kSigningKeyColumn, kReceiptTable, kVoidColumns,
                   kPlanColumns, kThawTable, "PRAGMA application_id = ", kApplicationId,
                   "; PRAGMA user_version = ", kSchemaVersion, ";")));
  TW_RETURN_IF_ERROR(
      connection.Run("INSERT INTO ledger VALUES (1, ?, 1, 0, ?)", ledger_id, Blob{sealed}));
  return transaction.Commit();
}

absl::StatusOr<int> OlderVersion(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(const int application, ReadPragma(connection, "application_id"));
  TW_ASSIGN_OR_RETURN(const int version, ReadPragma(connection, "user_version"));
  const bool older = version >= kOldestVersion && version < kSchemaVersion;
  return application == kApplicationId && older ? version : 0;
}

absl::Status AddReceiptTables(SqliteConnection& connection) {
  return connection.RunScript(
      absl::StrCat(kSigningKeyColumn, kReceiptTable, "PRAGMA user_version = 3;"));
}

absl::Status AddVersion4(SqliteConnection& connection) {
  return connection.RunScript(absl::StrCat(kVoidColumns, kWeightsTable, kPlanColumns, kThawTable,
                                           "PRAGMA user_version = 4;"));
}

absl::StatusOr<LedgerIdentity> ReadIdentity(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(const int application, ReadPragma(connection, "application_id"));
  if (application != kApplicationId) return absl::DataLossError("the file is no ledger.");
  TW_ASSIGN_OR_RETURN(const int version, ReadPragma(connection, "user_version"));
  if (version >= kOldestVersion && version < kSchemaVersion) {
    return absl::FailedPreconditionError(
        "the ledger was written by an earlier version of this program: start the server once, "
        "which brings it up to date.");
  }
  if (version != kSchemaVersion) {
    return absl::DataLossError(absl::StrCat("the ledger has version ", version,
                                            "; this program reads version ", kSchemaVersion, "."));
  }
  TW_ASSIGN_OR_RETURN(SqliteStatement row,
                      connection.Prepare("SELECT ledger_id, epoch, is_backup FROM ledger"));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return absl::DataLossError("the ledger has lost its identity.");
  return LedgerIdentity{
      .ledger_id = row.Bytes(0), .epoch = row.Int64(1), .is_backup = row.Int64(2) != 0};
}

absl::Status CheckKey(SqliteConnection& connection, const LedgerIdentity& identity,
                      const sealing::SealingKey& key) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row, connection.Prepare("SELECT key_check FROM ledger"));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (found && key.Open(row.Bytes(0), KeyCheckPlace(identity.ledger_id)).ok()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "the ledger is sealed under another custodian key: check key_file.");
}

absl::Status ReplaceKeyCheck(SqliteConnection& connection, absl::string_view ledger_id,
                             const sealing::SealingKey& key) {
  TW_ASSIGN_OR_RETURN(const std::string sealed, key.Seal(kKeyCheck, KeyCheckPlace(ledger_id)));
  return connection.Run("UPDATE ledger SET key_check = ?", Blob{sealed});
}

absl::Status WriteIdentityFile(absl::string_view directory, absl::string_view ledger_id) {
  const std::string path = IdentityPath(directory);
  if (base::WriteNewFileDurably(path, absl::StrCat(ledger_id, "\n")).ok()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": look at the disk."));
}

absl::StatusOr<std::string> ReadIdentityFile(absl::string_view directory) {
  std::ifstream file(IdentityPath(directory), std::ios::binary);
  if (!file) return absl::DataLossError(absl::StrCat("cannot read ", IdentityPath(directory), "."));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return std::string(absl::StripSuffix(text, "\n"));
}

bool HasIdentityFile(absl::string_view directory) {
  return base::FileExists(IdentityPath(directory));
}

absl::Status CheckFilesPresent(absl::string_view directory) {
  const bool database = base::FileExists(DatabasePath(directory));
  const bool identity = base::FileExists(IdentityPath(directory));
  if (database && identity) return absl::OkStatus();
  if (!database && !identity) {
    return absl::NotFoundError(absl::StrCat("there is no ledger in ", directory,
                                            ": open a budget with topicwall-admin open-budget."));
  }
  return absl::DataLossError(absl::StrCat(
      database ? IdentityPath(directory) : DatabasePath(directory),
      " is missing. Put it back, or restore a backup with topicwall-admin restore; what was "
      "released before cannot be forgotten by opening a new budget."));
}

}  // namespace topicwall::ledger
