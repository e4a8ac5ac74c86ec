// One session with the database that keeps a shared ledger: its statements and its transactions.
//
//   auto charges = connection.Collect(OpenChargeOf, "SELECT … WHERE budget_id = $1", id);
//   auto written = connection.Write([&] { return connection.Run("DELETE FROM blob"); });
//
// Over a network it is TLS, and the database must show a certificate of its name from a
// certification authority that the service names (verify-full), whatever else the service says. A
// session that is lost is opened again by the next call. So is one that says nothing for `patience`
// though whoever holds its other end lives, which no clock of TCP sees: a proxy or a database that
// stands still.
//
// Errors of every call: UNAVAILABLE if the database cannot be reached, says nothing, is full, only
// takes questions, or lets somebody else finish first for too long; ABORTED if another transaction
// was there first; DATA_LOSS if it is damaged or has other tables; FAILED_PRECONDITION if the role
// may not; INTERNAL otherwise. Messages never carry values of a row. Threads: one at a time.
#ifndef TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_CONNECTION_H_
#define TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_CONNECTION_H_

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "server/store/postgresql/postgres_values.h"

namespace topicwall::store {

struct PostgresEnd {
  void operator()(PGconn* session) const { PQfinish(session); }
  void operator()(PGresult* result) const { PQclear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, PostgresEnd>;

class PostgresConnection {
 public:
  // `service` is a libpq connection string, in the server "service=NAME".
  enum class Mode { kReadWrite, kReadOnly };
  // `patience`: above whatever a commit that will be made, or a look at every row, takes.
  static absl::StatusOr<PostgresConnection> Open(const std::string& service, Mode mode,
                                                 absl::Duration patience = absl::Minutes(1));

  // Whether the session has ended; the next call opens another.
  bool IsLost() const { return PQstatus(session_.get()) != CONNECTION_OK; }

  // What `make` makes of each row.
  template <typename T, typename... Arguments>
  absl::StatusOr<std::vector<T>> Collect(T (*make)(const PostgresRow& row), const char* sql,
                                         const Arguments&... arguments) {
    TW_ASSIGN_OR_RETURN(const PostgresResult result, Ask(sql, arguments...));
    std::vector<T> made;
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      made.push_back(make(PostgresRow(result.get(), row)));
    }
    return made;
  }

  // Of the first row; none if there is none.
  template <typename T, typename... Arguments>
  absl::StatusOr<std::optional<T>> First(T (*make)(const PostgresRow& row), const char* sql,
                                         const Arguments&... arguments) {
    TW_ASSIGN_OR_RETURN(std::vector<T> made, Collect(make, sql, arguments...));
    return made.empty() ? std::nullopt : std::optional<T>(std::move(made.front()));
  }

  // How many rows were changed.
  template <typename... Arguments>
  absl::StatusOr<int64_t> Run(const char* sql, const Arguments&... arguments) {
    TW_ASSIGN_OR_RETURN(const PostgresResult result, Ask(sql, arguments...));
    return Changed(*result);
  }

  // Several statements without parameters.
  absl::Status RunScript(const char* sql);
  // In one round trip, inside a Write, which must end with an error of this: the first statement's
  // that fails, ABORTED where one has not changed its row.
  absl::Status RunTogether(absl::Span<const PostgresStatement> statements);

  // One transaction: what `changes` writes through this connection, or nothing if it does not
  // answer OK. Durable when this answers OK. Where the answer to the commit was lost `is_there`
  // is asked, over another session, whether it was made, and must wait for the lost one to end.
  absl::Status Write(absl::FunctionRef<absl::Status()> changes,
                     absl::FunctionRef<absl::StatusOr<bool>()> is_there);

 private:
  PostgresConnection(std::string service, Mode mode, absl::Duration patience)
      : service_(std::move(service)), mode_(mode), patience_(patience) {}

  absl::Status Connect();
  template <typename... Arguments>
  absl::StatusOr<PostgresResult> Ask(const char* sql, const Arguments&... arguments) {
    const std::vector<PostgresParameter> parameters = {PostgresParameter(arguments)...};
    return AskWith(sql, parameters);
  }
  absl::StatusOr<PostgresResult> AskWith(const char* sql,
                                         absl::Span<const PostgresParameter> parameters);
  // The next result of what was sent, null after the last; null and no session if it never came.
  PostgresResult Next();
  // The last result, or the first error, of what was sent alone, if it was.
  absl::StatusOr<PostgresResult> Answer(bool sent);
  absl::StatusOr<PostgresResult> Checked(PostgresResult result);
  static int64_t Changed(PGresult& result);

  std::string service_;
  Mode mode_;
  absl::Duration patience_;
  bool was_connected_ = false, in_transaction_ = false;
  std::unique_ptr<PGconn, PostgresEnd> session_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_CONNECTION_H_
