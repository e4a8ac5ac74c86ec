#include "server/ledger/ledger_schema.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/ledger/sqlite_transaction.h"
#include "server/random/secure_random.h"

namespace topicwall::ledger {
namespace {

constexpr int kSchemaVersion = 4;
constexpr int kOldestVersion = 2;           // that can be upgraded
constexpr int kApplicationId = 0x54574c31;  // "TWL1"

// Every table but `event` can be derived from the events, except sealed keys, plans' full
// text and the releases themselves; ledger_verification.h compares. Ids are hexadecimal
// text; versions, digests, request ids and cost vectors (see spent_vector.h) are blobs.
constexpr char kSchema[] = R"sql(
CREATE TABLE ledger (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  ledger_id TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch >= 1),
  is_backup INTEGER NOT NULL CHECK (is_backup IN (0, 1)),
  key_check BLOB NOT NULL
) STRICT;

CREATE TABLE budget (
  budget_id TEXT NOT NULL UNIQUE,
  privacy_unit INTEGER NOT NULL,
  policy BLOB NOT NULL,                   -- a serialized PolicyRecord
  spent BLOB NOT NULL,                    -- charged or reserved, by everybody
  events INTEGER NOT NULL,                -- length of the chain
  head BLOB NOT NULL,
  restored_at INTEGER NOT NULL            -- number of the BudgetRestored event; 0 unless frozen
) STRICT;

CREATE TABLE analyst (
  budget_id TEXT NOT NULL REFERENCES budget (budget_id),
  principal TEXT NOT NULL,
  spent BLOB NOT NULL,
  PRIMARY KEY (budget_id, principal)
) STRICT;

CREATE TABLE corpus (
  corpus_version BLOB NOT NULL UNIQUE,
  corpus TEXT NOT NULL,
  budget_id TEXT NOT NULL REFERENCES budget (budget_id),
  overruns INTEGER NOT NULL,
  acknowledged INTEGER NOT NULL           -- of the overruns and the voided
) STRICT;

CREATE TABLE plan (
  plan_id TEXT NOT NULL UNIQUE,
  corpus_version BLOB NOT NULL REFERENCES corpus (corpus_version),
  principal TEXT NOT NULL,
  request_id BLOB NOT NULL,
  spec BLOB NOT NULL,                     -- a serialized PlanSpec
  cost BLOB NOT NULL,                     -- of one release; under an inventory, of the plan
  reserved_at_ms INTEGER NOT NULL,
  state INTEGER NOT NULL,                 -- PlanState.State
  iterations INTEGER NOT NULL,            -- J
  reserved_iterations INTEGER NOT NULL,   -- J, less what a cancel gave back
  refundable INTEGER NOT NULL,            -- 0 once a restore took what was left for charged
  UNIQUE (principal, request_id)
) STRICT;

CREATE TABLE charge (
  charge_id INTEGER PRIMARY KEY AUTOINCREMENT,
  plan_id TEXT NOT NULL REFERENCES plan (plan_id),
  iteration INTEGER NOT NULL,
  request_digest BLOB NOT NULL,
  charged_at_ms INTEGER NOT NULL,
  state INTEGER NOT NULL,                 -- ChargeState of plan_table.h
  recomputations INTEGER NOT NULL,
  sealed_release_key BLOB,                -- while the state is charged
  header BLOB,                            -- a serialized StoredRelease, once stored
  header_sha256 BLOB,
  release_sha256 BLOB,                    -- of the statistics
  readable_at_ms INTEGER NOT NULL,        -- 0 until published
  intervals_waited INTEGER NOT NULL,
  UNIQUE (plan_id, iteration),
  CHECK ((state = 1) = (sealed_release_key IS NOT NULL))
) STRICT;

CREATE TABLE release_chunk (
  charge_id INTEGER NOT NULL REFERENCES charge (charge_id),
  first_entry INTEGER NOT NULL,
  statistics BLOB NOT NULL,               -- little-endian float32
  PRIMARY KEY (charge_id, first_entry)
) STRICT;

CREATE TABLE event (
  budget_id TEXT NOT NULL REFERENCES budget (budget_id),
  sequence INTEGER NOT NULL,
  event BLOB NOT NULL,                    -- a serialized LedgerEvent: the bytes that were hashed
  salt BLOB NOT NULL,
  commitment BLOB NOT NULL,
  head BLOB NOT NULL,
  PRIMARY KEY (budget_id, sequence)
) STRICT;
)sql";

// Since version 3; UpgradeTables makes it in older ledgers.
constexpr char kSigningKeyColumn[] = R"sql(
ALTER TABLE budget ADD COLUMN signing_key BLOB NOT NULL DEFAULT x'';
)sql";
constexpr char kReceiptTable[] = R"sql(
CREATE TABLE receipt (
  plan_id TEXT NOT NULL,
  act INTEGER NOT NULL,                   -- LedgerEvent.ActCase
  iteration INTEGER NOT NULL,             -- 0 for acts on the whole plan
  budget_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  spent BLOB NOT NULL,                    -- charged or reserved, by everybody, after the event
  PRIMARY KEY (plan_id, act, iteration),
  FOREIGN KEY (budget_id, sequence) REFERENCES event (budget_id, sequence)
) STRICT;
)sql";

// Since version 4; likewise.
constexpr char kVoidColumns[] = R"sql(
-- T of the schedule; 0 without timing protection, -1 charged before this was recorded
ALTER TABLE charge ADD COLUMN release_interval_ms INTEGER NOT NULL DEFAULT -1;
ALTER TABLE charge ADD COLUMN kernel_name TEXT NOT NULL DEFAULT '';
ALTER TABLE charge ADD COLUMN free_processors INTEGER NOT NULL DEFAULT 0;
ALTER TABLE charge ADD COLUMN restarted_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE charge ADD COLUMN void_ground INTEGER NOT NULL DEFAULT 0;
ALTER TABLE corpus ADD COLUMN restarts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE corpus ADD COLUMN voided INTEGER NOT NULL DEFAULT 0;
ALTER TABLE corpus ADD COLUMN unreadable INTEGER NOT NULL DEFAULT 0;
)sql";

constexpr absl::string_view kKeyCheck = "topicwall ledger key check";

std::string KeyCheckPlace(absl::string_view ledger_id) {
  return absl::StrCat("topicwall.ledger.key_check ", ledger_id);
}

absl::StatusOr<int> ReadPragma(SqliteConnection& connection, absl::string_view pragma) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row, connection.Prepare(absl::StrCat("PRAGMA ", pragma)));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  return found ? row.Int(0) : 0;
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

absl::Status CannotWrite(absl::string_view path) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": look at the disk."));
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
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

absl::Status CreateTables(SqliteConnection& connection, absl::string_view ledger_id,
                          const sealing::SealingKey& key) {
  TW_ASSIGN_OR_RETURN(const std::string sealed, key.Seal(kKeyCheck, KeyCheckPlace(ledger_id)));
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection));
  TW_RETURN_IF_ERROR(connection.RunScript(absl::StrCat(
      kSchema, kSigningKeyColumn, kReceiptTable, kVoidColumns, "PRAGMA application_id = ",
      kApplicationId, "; PRAGMA user_version = ", kSchemaVersion, ";")));
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

absl::Status AddVoidColumns(SqliteConnection& connection) {
  return connection.RunScript(absl::StrCat(kVoidColumns, "PRAGMA user_version = 4;"));
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
  const std::string text = absl::StrCat(ledger_id, "\n");
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return CannotWrite(path);
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(file) == 0;
  close(file);
  if (!written) {
    unlink(path.c_str());
    return CannotWrite(path);
  }
  return SyncDirectory(directory);
}

absl::StatusOr<std::string> ReadIdentityFile(absl::string_view directory) {
  std::ifstream file(IdentityPath(directory), std::ios::binary);
  if (!file) return absl::DataLossError(absl::StrCat("cannot read ", IdentityPath(directory), "."));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return std::string(absl::StripSuffix(text, "\n"));
}

bool HasIdentityFile(absl::string_view directory) { return Exists(IdentityPath(directory)); }

absl::Status SyncDirectory(absl::string_view directory) {
  const std::string path(directory);
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  return synced ? absl::OkStatus() : CannotWrite(path);
}

absl::Status CheckFilesPresent(absl::string_view directory) {
  const bool database = Exists(DatabasePath(directory));
  const bool identity = Exists(IdentityPath(directory));
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
