#include "server/store/postgresql/postgres_connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/threads/steady_wait.h"

namespace topicwall::store {
namespace {

constexpr int kBinary = 1;  // format of parameters and answers

// A role or a database may have other defaults. A commit is on the disk before it is reported, and
// on that of a synchronous standby: a timeout for statements would end that wait, and PostgreSQL
// then says that it has committed. Whoever is cut off in a transaction lets go of its rows soon.
constexpr char kSettings[] =
    "SET synchronous_commit = on; SET client_min_messages = error; SET lock_timeout = '10s';"
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = '10s';"
    "SET default_transaction_isolation = 'read committed'; SET search_path = topicwall, pg_temp;";
constexpr char kReadOnly[] = "SET default_transaction_read_only = on;";

absl::Status OthersWereFirst() {
  return absl::AbortedError("the ledger was changed by another server meanwhile.");
}

absl::Status Unreachable(absl::string_view why) {
  return absl::UnavailableError(absl::StrCat(
      "the ledger's database cannot be reached: ", why,
      " Check the service in the file of services (pg_service.conf), and that it runs."));
}

// By the SQLSTATE alone: the text of the database's own message may quote a row.
absl::Status ErrorOf(absl::string_view state) {
  // serialization_failure, deadlock_detected, unique_violation: two have opened one chain, or made
  // one row, at the same time.
  if (state == "40001" || state == "40P01" || state == "23505") return OthersWereFirst();
  // read_only_sql_transaction.
  if (state == "25006") {
    return absl::UnavailableError(
        "the ledger's database only takes questions: it is a standby. Let the service name the "
        "primary.");
  }
  // insufficient_privilege.
  if (state == "42501") {
    return absl::FailedPreconditionError(
        "the database's role may not do this: grant it the schema topicwall, or for a new ledger "
        "CREATE on the database.");
  }
  // Internal errors, corrupted data among them; undefined_table, undefined_column,
  // invalid_schema_name: our statements are constants, so it is the tables that differ.
  if (absl::StartsWith(state, "XX") || state == "42P01" || state == "42703" || state == "3F000") {
    return absl::DataLossError("the ledger's database is damaged or has other tables.");
  }
  // Sessions, resources, locks that were waited for, the operator, the system.
  for (const absl::string_view prefix : {"08", "53", "55", "57", "58", "25P03"}) {
    if (absl::StartsWith(state, prefix)) {
      return absl::UnavailableError(absl::StrCat("the ledger's database does not answer (SQLSTATE ",
                                                 state, "): look at it, then try again."));
    }
  }
  return absl::InternalError(absl::StrCat("the ledger's database refuses: SQLSTATE ", state, "."));
}

// Parameters as libpq takes them, while they and this live.
struct Bound {
  explicit Bound(absl::Span<const PostgresParameter> parameters) {
    for (const PostgresParameter& parameter : parameters) {
      const absl::string_view bytes = parameter.bytes();
      types.push_back(parameter.type());
      values.push_back(bytes.data() == nullptr ? "" : bytes.data());  // null would be NULL
      lengths.push_back(static_cast<int>(bytes.size()));
      formats.push_back(kBinary);
    }
  }
  int count() const { return static_cast<int>(types.size()); }

  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths, formats;
};

}  // namespace

absl::StatusOr<PostgresConnection> PostgresConnection::Open(const std::string& service, Mode mode,
                                                            absl::Duration patience) {
  PostgresConnection connection(service, mode, patience);
  TW_RETURN_IF_ERROR(connection.Connect());
  return connection;
}

// Parameters that are given here are stronger than those of the service. A network that swallows
// everything is noticed by the clocks of TCP.
absl::Status PostgresConnection::Connect() {
  const std::string target = absl::StrCat(
      service_,
      " sslmode=verify-full connect_timeout=5 keepalives_idle=5 keepalives_interval=2 "
      "keepalives_count=3 tcp_user_timeout=10000 application_name=topicwall client_encoding=UTF8 "
      "gssencmode=disable",
      mode_ == Mode::kReadWrite ? " target_session_attrs=read-write" : "");
  session_.reset(PQconnectdb(target.c_str()));
  if (session_ == nullptr) return absl::ResourceExhaustedError("no memory for a session.");
  // A notice may quote a row, and standard error is a log.
  PQsetNoticeProcessor(
      session_.get(), [](void*, const char*) {}, nullptr);  // else: to stderr
  if (IsLost()) {
    // Before there is a session no row can be quoted, and the custodian needs to know why. Later it
    // may be an analyst who is told, whom neither name nor address concern.
    if (was_connected_) return Unreachable("it does not answer.");
    std::string why = PQerrorMessage(session_.get());
    std::replace(why.begin(), why.end(), '\n', ' ');
    return Unreachable(why);
  }
  was_connected_ = true;
  absl::Status set = RunScript(kSettings);
  if (set.ok() && mode_ == Mode::kReadOnly) set = RunScript(kReadOnly);
  // Or the next call would take it for one that commits as it should.
  if (!set.ok()) session_.reset();
  return set;
}

PostgresResult PostgresConnection::Next() {
  const absl::Duration end = base::SteadyNow() + patience_;
  while (PQisBusy(session_.get()) == 1) {
    const absl::Duration left = end - base::SteadyNow();
    if (left <= absl::ZeroDuration()) {
      session_.reset();
      break;
    }
    pollfd readable{.fd = PQsocket(session_.get()), .events = POLLIN, .revents = 0};
    poll(&readable, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    // What has gone wrong is in the result.
    if (PQconsumeInput(session_.get()) != 1) break;
  }
  return PostgresResult(PQgetResult(session_.get()));
}

absl::StatusOr<PostgresResult> PostgresConnection::Answer(bool sent) {
  PostgresResult last;
  while (sent) {
    PostgresResult next = Next();
    if (next == nullptr) break;
    last = std::move(next);
  }
  // Of several statements the first may have been answered before.
  if (session_ == nullptr) last.reset();
  return Checked(std::move(last));
}

absl::StatusOr<PostgresResult> PostgresConnection::Checked(PostgresResult result) {
  switch (PQresultStatus(result.get())) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
      return result;
    default:
      break;
  }
  const char* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  if (state != nullptr) return ErrorOf(state);
  // Without a SQLSTATE the error is libpq's own, not the database's.
  if (IsLost()) return Unreachable("the session has ended.");
  return absl::ResourceExhaustedError("the ledger's database answers more than fits in memory.");
}

// A question that was lost with its session is asked again: it has changed nothing, as without a
// transaction only questions are.
absl::StatusOr<PostgresResult> PostgresConnection::AskWith(
    const char* sql, absl::Span<const PostgresParameter> parameters) {
  const Bound bound(parameters);
  // In a transaction nothing is opened anew: over another session each of its other statements
  // would commit by itself.
  for (bool again = !in_transaction_;; again = false) {
    if (IsLost() && !in_transaction_) TW_RETURN_IF_ERROR(Connect());
    auto result = Answer(PQsendQueryParams(session_.get(), sql, bound.count(), bound.types.data(),
                                           bound.values.data(), bound.lengths.data(),
                                           bound.formats.data(), kBinary) == 1);
    if (result.ok() || !IsLost() || !again) return result;
  }
}

int64_t PostgresConnection::Changed(PGresult& result) {
  int64_t changed = 0;
  return absl::SimpleAtoi(PQcmdTuples(&result), &changed) ? changed : 0;
}

absl::Status PostgresConnection::RunScript(const char* sql) {
  return Answer(PQsendQuery(session_.get(), sql) == 1).status();
}

// libpq reads while it cannot send, so neither side waits for the other for ever. A session that
// was not sent everything is of no more use.
absl::Status PostgresConnection::RunTogether(absl::Span<const PostgresStatement> statements) {
  PGconn* const session = session_.get();
  bool sent = PQenterPipelineMode(session) == 1;
  for (const PostgresStatement& statement : statements) {
    const Bound bound(statement.parameters);
    sent = sent && PQsendQueryParams(session, statement.sql.c_str(), bound.count(),
                                     bound.types.data(), bound.values.data(), bound.lengths.data(),
                                     bound.formats.data(), kBinary) == 1;
  }
  if (!sent || PQpipelineSync(session) != 1) {
    session_.reset();
    return Unreachable("the session has ended.");
  }
  absl::Status first;
  for (const PostgresStatement& statement : statements) {
    const absl::StatusOr<PostgresResult> result = Checked(Next());
    if (IsLost()) return first.ok() ? result.status() : first;
    Next();  // the null after each
    // All results are taken, also after an error: a pipeline that is not empty cannot be left.
    if (!first.ok()) continue;
    first = result.status();
    if (first.ok() && statement.changes_one_row && Changed(**result) != 1) {
      // To the database no error, so it has run the rest as well: the caller's rollback takes all
      // back.
      first = OthersWereFirst();
    }
  }
  Next();  // of the sync
  if (PQexitPipelineMode(session_.get()) != 1) session_.reset();
  return first;
}

absl::Status PostgresConnection::Write(absl::FunctionRef<absl::Status()> changes,
                                       absl::FunctionRef<absl::StatusOr<bool>()> is_there) {
  if (IsLost()) TW_RETURN_IF_ERROR(Connect());
  absl::Status written = RunScript("BEGIN");
  if (!written.ok() && IsLost()) {  // It was lost before, and nobody had noticed.
    TW_RETURN_IF_ERROR(Connect());
    written = RunScript("BEGIN");
  }
  TW_RETURN_IF_ERROR(written);
  in_transaction_ = true;
  written = changes();
  const bool tried = written.ok();
  if (tried) written = RunScript("COMMIT");
  if (!written.ok() && !IsLost()) RunScript("ROLLBACK").IgnoreError();
  in_transaction_ = false;
  // Up to the commit a lost session has written nothing.
  if (!tried || written.ok() || !IsLost()) return written;
  TW_ASSIGN_OR_RETURN(const bool there, is_there());
  return there ? absl::OkStatus() : written;
}

}  // namespace topicwall::store
