// A store's records out of the rows of a database, whichever it is, and what every database is
// asked in the same words.
//
//   connection.Collect(ChainOf<Row>, "SELECT budget_id, length, head FROM …");
//   class SqliteStore final : public RowStore<SqliteConnection, SqliteStatement, Blob> { … };
//
// Columns are selected in the order of the fields. Row has Bytes(column) and Int64(column);
// Connection has First and Collect, whose parameters are $1, $2 …; Binary marks one as bytes.
// Privacy: as what is read. Threads: pure functions; RowStore as EventStore.
#ifndef TOPICWALL_SERVER_STORE_STORE_ROWS_H_
#define TOPICWALL_SERVER_STORE_STORE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "proto/wall.pb.h"
#include "server/store/event_store.h"

namespace topicwall::store {

template <typename Row>
Identity IdentityOf(const Row& row) {
  return {row.Bytes(0), row.Int64(1), row.Int64(2) != 0, row.Bytes(3)};
}

template <typename Row>
Chain ChainOf(const Row& row) {
  return {row.Bytes(0), row.Int64(1), row.Bytes(2)};
}

template <typename Row>
v1::LedgerEntry EntryOf(const Row& row) {
  v1::LedgerEntry entry;
  entry.set_sequence(row.Int64(0));
  entry.set_event(row.Bytes(1));
  entry.set_salt(row.Bytes(2));
  entry.set_commitment(row.Bytes(3));
  entry.set_head(row.Bytes(4));
  return entry;
}

template <typename Row>
OpenCharge OpenChargeOf(const Row& row) {
  return {row.Bytes(0), row.Int64(1), row.Bytes(2), row.Bytes(3), row.Bytes(4), row.Bytes(5)};
}

template <typename Row>
PlanRecord PlanOf(const Row& row) {
  return {row.Bytes(0), row.Bytes(1), row.Bytes(2)};
}

// A single column.
template <typename Row>
std::string BytesOf(const Row& row) {
  return row.Bytes(0);
}

template <typename Connection, typename Row, typename Binary>
class RowStore : public EventStore {
 public:
  absl::StatusOr<Identity> ReadIdentity() override {
    absl::MutexLock lock(&mutex_);
    TW_ASSIGN_OR_RETURN(
        const auto identity,
        connection_.First(IdentityOf<Row>,
                          "SELECT ledger_id, epoch, is_backup, key_check FROM ledger"));
    if (!identity.has_value()) return absl::DataLossError("the ledger has lost its identity.");
    return *identity;
  }

  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(absl::string_view budget_id,
                                                           int64_t first, int64_t limit) override {
    absl::MutexLock lock(&mutex_);
    return connection_.Collect(EntryOf<Row>,
                               "SELECT sequence, event, salt, commitment, head FROM event "
                               "WHERE budget_id = $1 AND sequence >= $2 ORDER BY sequence LIMIT $3",
                               budget_id, first, limit);
  }

  absl::StatusOr<std::optional<PlanRecord>> FindPlan(absl::string_view plan_id) override {
    absl::MutexLock lock(&mutex_);
    return connection_.First(
        PlanOf<Row>, "SELECT plan_id, principal, request_id FROM plan WHERE plan_id = $1", plan_id);
  }

  absl::StatusOr<std::optional<PlanRecord>> FindPlanByRequest(
      absl::string_view principal, absl::string_view request_id) override {
    absl::MutexLock lock(&mutex_);
    return connection_.First(PlanOf<Row>,
                             "SELECT plan_id, principal, request_id FROM plan "
                             "WHERE principal = $1 AND request_id = $2",
                             principal, Binary{request_id});
  }

  absl::StatusOr<std::optional<std::string>> ReadBlob(absl::string_view sha256,
                                                      int64_t part) override {
    absl::MutexLock lock(&mutex_);
    return connection_.First(BytesOf<Row>, "SELECT bytes FROM blob WHERE sha256 = $1 AND part = $2",
                             Binary{sha256}, part);
  }

 protected:
  explicit RowStore(Connection connection) : connection_(std::move(connection)) {}

  absl::Mutex mutex_;
  Connection connection_;  // under mutex_
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_STORE_ROWS_H_
