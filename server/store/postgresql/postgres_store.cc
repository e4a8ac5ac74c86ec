#include "server/store/postgresql/postgres_store.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/store/postgresql/postgres_append.h"
#include "server/store/postgresql/postgres_connection.h"
#include "server/store/store_rows.h"

namespace topicwall::store {
namespace {

using Mode = PostgresConnection::Mode;

// As in one SQLite file, but for the chains: how long each is, and its head, are rows that can be
// locked. Ids are hexadecimal text; digests, request ids and heads are bytes.
constexpr char kSchema[] = R"sql(
CREATE SCHEMA IF NOT EXISTS topicwall;
CREATE TABLE topicwall.ledger (one BIGINT PRIMARY KEY CHECK (one = 1), format BIGINT NOT NULL,
  ledger_id TEXT NOT NULL, epoch BIGINT NOT NULL CHECK (epoch >= 1), is_backup BIGINT NOT NULL,
  key_check BYTEA NOT NULL);
CREATE TABLE topicwall.chain (place BIGINT GENERATED ALWAYS AS IDENTITY,
  budget_id TEXT PRIMARY KEY, length BIGINT NOT NULL, head BYTEA NOT NULL);
CREATE TABLE topicwall.event (budget_id TEXT NOT NULL REFERENCES topicwall.chain,
  sequence BIGINT NOT NULL, event BYTEA NOT NULL, salt BYTEA NOT NULL, commitment BYTEA NOT NULL,
  head BYTEA NOT NULL, PRIMARY KEY (budget_id, sequence));
CREATE TABLE topicwall.open_charge (place BIGINT GENERATED ALWAYS AS IDENTITY,
  budget_id TEXT NOT NULL, sequence BIGINT NOT NULL, sealed_key BYTEA NOT NULL,
  header_sha256 BYTEA NOT NULL, release_sha256 BYTEA NOT NULL,
  owner TEXT NOT NULL,
  PRIMARY KEY (budget_id, sequence));
CREATE TABLE topicwall.plan (plan_id TEXT PRIMARY KEY, principal TEXT NOT NULL,
  request_id BYTEA NOT NULL, UNIQUE (principal, request_id));
CREATE TABLE topicwall.blob (sha256 BYTEA NOT NULL, part BIGINT NOT NULL, bytes BYTEA NOT NULL,
  PRIMARY KEY (sha256, part));
)sql";

constexpr char kChains[] = "SELECT budget_id, length, head FROM chain ORDER BY place";

int64_t Int64Of(const PostgresRow& row) { return row.Int64(0); }

absl::Status ChainsDiffer() {
  return absl::DataLossError("the ledger's database has chains that are not as long as it says.");
}

class PostgresStore final : public RowStore<PostgresConnection, PostgresRow, Bytea> {
 public:
  PostgresStore(PostgresConnection connection, PostgresUse use)
      : RowStore(std::move(connection)), use_(use) {}

  // There is no file that could lose its name: what an answer is worth, the chains' heads tell.
  absl::Status RequireInPlace() override { return absl::OkStatus(); }

  bool OthersWrite() const override { return true; }

  absl::StatusOr<std::vector<Chain>> Chains() override {
    absl::MutexLock lock(&mutex_);
    return connection_.Collect(ChainOf<PostgresRow>, kChains);
  }

  absl::StatusOr<std::vector<OpenCharge>> OpenCharges() override {
    absl::MutexLock lock(&mutex_);
    return connection_.Collect(
        OpenChargeOf<PostgresRow>,
        "SELECT budget_id, sequence, sealed_key, "
        "header_sha256, release_sha256, owner FROM open_charge ORDER BY place");
  }

  // One statement, so one moment: first the chains, as rows whose number is negative, with a digest
  // where there are events behind the last.
  absl::StatusOr<Moment> ReadMoment() override {
    absl::MutexLock lock(&mutex_);
    TW_ASSIGN_OR_RETURN(
        const std::vector<OpenCharge> rows,
        connection_.Collect(
            OpenChargeOf<PostgresRow>,
            "SELECT budget_id, number, bytes, header_sha256, release_sha256, owner FROM (SELECT 0 "
            "AS kind, place, budget_id, -length AS number, head AS bytes, CASE WHEN EXISTS (SELECT "
            "1 FROM event WHERE event.budget_id = chain.budget_id AND sequence > length) THEN head "
            "ELSE ''::bytea END AS header_sha256, ''::bytea AS release_sha256, '' AS owner FROM "
            "chain UNION ALL SELECT 1, place, budget_id, sequence, sealed_key, header_sha256, "
            "release_sha256, owner FROM open_charge) AS moment ORDER BY kind, place"));
    Moment moment;
    for (const OpenCharge& row : rows) {
      if (row.sequence > 0) {
        moment.open_charges.push_back(row);
        continue;
      }
      if (!row.header_sha256.empty()) return ChainsDiffer();
      moment.chains.push_back({row.budget_id, -row.sequence, row.sealed_key});
    }
    return moment;
  }

  absl::Status Append(const Change& change) override {
    if (use_ == PostgresUse::kReadOnly) {
      return absl::FailedPreconditionError("the ledger was opened for reading only.");
    }
    absl::MutexLock lock(&mutex_);
    return connection_.Write([&] { return WriteChange(connection_, change); },
                             [&] { return IsWritten(connection_, change); });
  }

  absl::Status CheckStructure() override {
    absl::MutexLock lock(&mutex_);
    TW_ASSIGN_OR_RETURN(
        const auto wrong,
        connection_.First(Int64Of,
                          "SELECT COUNT(*) FROM chain WHERE length <> (SELECT COUNT(*) FROM event "
                          "WHERE event.budget_id = chain.budget_id) OR head IS DISTINCT FROM "
                          "(SELECT head FROM event WHERE event.budget_id = chain.budget_id "
                          "AND sequence = length)"));
    if (wrong == 0) return absl::OkStatus();
    return ChainsDiffer();
  }

 private:
  const PostgresUse use_;
};

// By the catalogue, since asking a table that is not there is an error that reads as damage.
absl::StatusOr<std::optional<int64_t>> FormatOf(PostgresConnection& connection) {
  TW_ASSIGN_OR_RETURN(const auto tables,
                      connection.First(Int64Of,
                                       "SELECT COUNT(*) FROM pg_catalog.pg_tables "
                                       "WHERE schemaname = 'topicwall' AND tablename = 'ledger'"));
  if (tables == 0) return std::nullopt;
  return connection.First(Int64Of, "SELECT format FROM ledger");
}

}  // namespace

absl::Status MakePostgresStore(const std::string& service, const Identity& identity) {
  TW_ASSIGN_OR_RETURN(PostgresConnection connection,
                      PostgresConnection::Open(service, Mode::kReadWrite));
  TW_ASSIGN_OR_RETURN(const auto format, FormatOf(connection));
  if (format.has_value()) {
    return absl::AlreadyExistsError("the database has a ledger already: use it, or another one.");
  }
  // Tables and identity in one transaction: there is no half-made ledger.
  const auto make = [&]() -> absl::Status {
    TW_RETURN_IF_ERROR(connection.RunScript(kSchema));
    return WriteChange(connection, {.name = "create", .identity = identity});
  };
  const auto made = [&]() -> absl::StatusOr<bool> {
    TW_ASSIGN_OR_RETURN(const auto there, FormatOf(connection));
    return there.has_value();
  };
  return connection.Write(make, made);
}

absl::Status RetirePostgresStore(const std::string& service, const std::vector<Chain>& chains) {
  TW_ASSIGN_OR_RETURN(PostgresConnection connection,
                      PostgresConnection::Open(service, Mode::kReadWrite));
  const auto retire = [&]() -> absl::Status {
    // Every Append that moves a chain writes this table: whoever is first is waited for, and
    // whoever comes later finds no tables.
    TW_RETURN_IF_ERROR(connection.RunScript("LOCK TABLE chain IN ACCESS EXCLUSIVE MODE"));
    TW_ASSIGN_OR_RETURN(const std::vector<Chain> there,
                        connection.Collect(ChainOf<PostgresRow>, kChains));
    if (there != chains) return absl::AbortedError("the ledger has moved: stop all its servers.");
    return connection.RunScript(
        "DO $$ BEGIN EXECUTE 'ALTER SCHEMA topicwall RENAME TO topicwall_moved_' || "
        "to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD_HH24MISS'); END $$");
  };
  const auto retired = [&]() -> absl::StatusOr<bool> {
    TW_ASSIGN_OR_RETURN(const auto format, FormatOf(connection));
    return !format.has_value();
  };
  return connection.Write(retire, retired);
}

absl::StatusOr<std::unique_ptr<EventStore>> OpenPostgresStore(const std::string& service,
                                                              PostgresUse use) {
  TW_ASSIGN_OR_RETURN(
      PostgresConnection connection,
      PostgresConnection::Open(
          service, use == PostgresUse::kReadWrite ? Mode::kReadWrite : Mode::kReadOnly));
  TW_ASSIGN_OR_RETURN(const auto format, FormatOf(connection));
  if (!format.has_value()) return absl::NotFoundError("the database has no ledger.");
  if (format != kPostgresFormat) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the ledger in the database is of format ", *format,
        *format > kPostgresFormat ? ", written by a newer version" : "", "; this program reads ",
        kPostgresFormat, ": use the program that wrote it, and restore nothing."));
  }
  return std::make_unique<PostgresStore>(std::move(connection), use);
}

}  // namespace topicwall::store
