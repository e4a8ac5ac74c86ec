// Creating, opening, and what is asked about the ledger as a whole.
#include "server/ledger/sqlite_ledger.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_sums.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/ledger_upgrade.h"
#include "server/ledger/ledger_verification.h"
#include "server/ledger/sqlite_transaction.h"

namespace topicwall::ledger {
namespace {

// What is wrong with the file is the custodian's to mend, and there is one way.
absl::Status NameRestore(absl::string_view directory, const absl::Status& status) {
  if (absl::IsUnavailable(status) || absl::IsFailedPrecondition(status) || status.ok()) {
    return status;
  }
  return absl::DataLossError(absl::StrCat("the ledger in ", directory,
                                          " cannot be used: ", status.message(),
                                          " Restore a backup with topicwall-admin restore."));
}

absl::StatusOr<LedgerIdentity> VerifyOpened(SqliteConnection& connection,
                                            absl::string_view directory) {
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection));
  TW_ASSIGN_OR_RETURN(LedgerIdentity identity, ReadIdentity(connection));
  TW_ASSIGN_OR_RETURN(const std::string expected, ReadIdentityFile(directory));
  if (identity.ledger_id != expected) {
    return absl::DataLossError("ledger.id names another ledger.");
  }
  TW_RETURN_IF_ERROR(VerifyBudgets(connection));
  return identity;
}

struct OpenedFile {
  SqliteConnection connection;
  LedgerIdentity identity;
};

absl::StatusOr<OpenedFile> OpenAndVerify(absl::string_view directory, SqliteConnection::Mode mode) {
  TW_RETURN_IF_ERROR(CheckFilesPresent(directory));
  absl::StatusOr<SqliteConnection> connection =
      SqliteConnection::Open(DatabasePath(directory), mode);
  if (!connection.ok()) return NameRestore(directory, connection.status());
  if (mode == SqliteConnection::Mode::kReadWrite) {
    const absl::Status upgraded = UpgradeTables(*connection);
    if (!upgraded.ok()) return NameRestore(directory, upgraded);
  }
  absl::StatusOr<LedgerIdentity> identity = VerifyOpened(*connection, directory);
  if (!identity.ok()) return NameRestore(directory, identity.status());
  if (identity->is_backup) {
    return absl::FailedPreconditionError(
        absl::StrCat(DatabasePath(directory),
                     " is a backup: install it with topicwall-admin restore, then thaw it."));
  }
  return OpenedFile{*std::move(connection), *std::move(identity)};
}

absl::StatusOr<std::vector<Restoration>> RestorationsOf(SqliteConnection& connection,
                                                        absl::string_view budget_id) {
  TW_ASSIGN_OR_RETURN(const std::vector<int64_t> thaws, ThawsOf(connection, budget_id));
  std::vector<Restoration> restorations;
  for (const int64_t sequence : thaws) {
    TW_ASSIGN_OR_RETURN(const v1::LedgerEvent event, EventAt(connection, budget_id, sequence));
    restorations.push_back({.thawed_at_ms = event.time_ms(), .thaw = event.budget_thawed()});
  }
  return restorations;
}

absl::Status MakeDatabase(const std::string& path, absl::string_view ledger_id,
                          const sealing::SealingKey& key) {
  TW_ASSIGN_OR_RETURN(SqliteConnection connection,
                      SqliteConnection::Open(path, SqliteConnection::Mode::kCreate));
  return CreateTables(connection, ledger_id, key);  // closed, and so one file, on return
}

absl::Status ThereIsOrWas(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(path, " exists: there is, or was, a ledger here."));
}

// A database without its identity file: of a creation that was interrupted in between, if it
// has no budget and so never released anything; else of a ledger that lost the file.
absl::Status FinishCreation(const std::string& directory) {
  TW_ASSIGN_OR_RETURN(
      SqliteConnection connection,
      SqliteConnection::Open(DatabasePath(directory), SqliteConnection::Mode::kReadWrite));
  TW_ASSIGN_OR_RETURN(const LedgerIdentity identity, ReadIdentity(connection));
  TW_ASSIGN_OR_RETURN(const std::vector<BudgetRow> budgets, AllBudgets(connection));
  if (!budgets.empty()) return ThereIsOrWas(DatabasePath(directory));
  return WriteIdentityFile(directory, identity.ledger_id);
}

}  // namespace

SqliteLedger::SqliteLedger(DataDirectoryLock lock, SqliteConnection connection, LedgerKeys keys,
                           LedgerIdentity identity)
    : lock_(std::move(lock)),
      identity_(std::move(identity)),
      signing_key_(std::move(keys.signing)),
      connection_(std::move(connection)),
      key_(std::move(keys.sealing)) {}

SqliteLedger::SqliteLedger(SqliteConnection connection, LedgerIdentity identity)
    : identity_(std::move(identity)), connection_(std::move(connection)) {}

absl::StatusOr<std::unique_ptr<SqliteLedger>> SqliteLedger::Create(DataDirectoryLock lock,
                                                                   LedgerKeys keys) {
  const std::string directory = lock.directory();
  if (base::FileExists(IdentityPath(directory))) return ThereIsOrWas(IdentityPath(directory));
  if (base::FileExists(DatabasePath(directory))) {
    TW_RETURN_IF_ERROR(FinishCreation(directory));
    return Open(std::move(lock), std::move(keys));
  }
  TW_ASSIGN_OR_RETURN(const std::string ledger_id, RandomId());
  // Under another name until it is whole. A half-made one of an earlier attempt has no
  // budget and no identity file, so nothing is lost with it.
  const std::string unfinished = DatabasePath(directory) + ".new";
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) unlink((unfinished + suffix).c_str());
  TW_RETURN_IF_ERROR(MakeDatabase(unfinished, ledger_id, keys.sealing));
  if (rename(unfinished.c_str(), DatabasePath(directory).c_str()) != 0) {
    return absl::UnavailableError(absl::StrCat("cannot rename ", unfinished, "."));
  }
  TOPICWALL_KILL_POINT("inside-create");
  TW_RETURN_IF_ERROR(WriteIdentityFile(directory, ledger_id));
  return Open(std::move(lock), std::move(keys));
}

absl::StatusOr<std::unique_ptr<SqliteLedger>> SqliteLedger::Open(DataDirectoryLock lock,
                                                                 LedgerKeys keys) {
  TW_ASSIGN_OR_RETURN(OpenedFile file,
                      OpenAndVerify(lock.directory(), SqliteConnection::Mode::kReadWrite));
  TW_RETURN_IF_ERROR(CheckKey(file.connection, file.identity, keys.sealing));
  TOPICWALL_KILL_POINT("inside-open");
  TW_RETURN_IF_ERROR(RecordSigningKey(file.connection, keys.signing.public_key()));
  return std::unique_ptr<SqliteLedger>(new SqliteLedger(std::move(lock), std::move(file.connection),
                                                        std::move(keys), std::move(file.identity)));
}

absl::StatusOr<std::unique_ptr<SqliteLedger>> SqliteLedger::OpenReadOnly(
    absl::string_view directory) {
  TW_ASSIGN_OR_RETURN(OpenedFile file, OpenAndVerify(directory, SqliteConnection::Mode::kReadOnly));
  return std::unique_ptr<SqliteLedger>(
      new SqliteLedger(std::move(file.connection), std::move(file.identity)));
}

absl::Status SqliteLedger::VerifyWholeLedger() {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  return VerifyWholeFile(connection_);
}

absl::StatusOr<CorpusStanding> SqliteLedger::StandingOf(const CorpusRow& corpus) {
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection_, corpus.budget_id));
  TW_ASSIGN_OR_RETURN(accountant::AdmissionPolicy policy, budget.Policy());
  TW_ASSIGN_OR_RETURN(auto releases, ReleasesReserved(connection_, corpus.budget_id));
  int64_t reserved = 0;
  for (const auto& [analyst, own] : releases) reserved += own;
  TW_ASSIGN_OR_RETURN(v1::BudgetSum sum, SumOf(connection_, corpus.budget_id));
  TW_ASSIGN_OR_RETURN(std::vector<Restoration> restorations,
                      RestorationsOf(connection_, corpus.budget_id));
  v1::CorpusState state = v1::CORPUS_STATE_OPEN;
  if (corpus.paused()) state = v1::CORPUS_STATE_PAUSED;
  if (budget.frozen()) state = v1::CORPUS_STATE_FROZEN;
  return CorpusStanding{.corpus = corpus.corpus,
                        .corpus_version = corpus.corpus_version,
                        .budget_id = corpus.budget_id,
                        .state = state,
                        .policy = std::move(policy),
                        .spent = budget.spent,
                        .releases_reserved = reserved,
                        .releases_by_analyst = std::move(releases),
                        .overruns = corpus.overruns,
                        .unacknowledged_overruns = corpus.unacknowledged(),
                        .restarts = corpus.restarts,
                        .voided = corpus.voided,
                        .events = budget.events,
                        .head = budget.head,
                        .signing_key = budget.signing_key,
                        .sum = std::move(sum),
                        .restorations = std::move(restorations)};
}

absl::StatusOr<CorpusStanding> SqliteLedger::Standing(absl::string_view corpus_version) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  const absl::StatusOr<CorpusRow> corpus = FindCorpus(connection_, corpus_version);
  if (absl::IsNotFound(corpus.status())) {
    CorpusStanding unknown{};
    unknown.corpus_version = std::string(corpus_version);
    unknown.state = v1::CORPUS_STATE_NO_BUDGET;
    return unknown;
  }
  if (!corpus.ok()) return corpus.status();
  return StandingOf(*corpus);
}

absl::StatusOr<std::vector<CorpusStanding>> SqliteLedger::Corpora() {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const std::vector<CorpusRow> rows, AllCorpora(connection_));
  std::vector<CorpusStanding> corpora;
  for (const CorpusRow& row : rows) {
    TW_ASSIGN_OR_RETURN(CorpusStanding standing, StandingOf(row));
    corpora.push_back(std::move(standing));
  }
  return corpora;
}

}  // namespace topicwall::ledger
