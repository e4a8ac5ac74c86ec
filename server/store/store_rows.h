// A store's records out of the rows of a database, whichever it is.
//
//   connection.First(IdentityOf<Row>, "SELECT ledger_id, epoch, is_backup, key_check FROM ledger");
//
// Columns are selected in the order of the fields. Row has Bytes(column) and Int64(column).
// Privacy: as what is read. Threads: pure functions.
#ifndef TOPICWALL_SERVER_STORE_STORE_ROWS_H_
#define TOPICWALL_SERVER_STORE_STORE_ROWS_H_

#include <string>

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
PlanRecord PlanOf(const Row& row) {
  return {row.Bytes(0), row.Bytes(1), row.Bytes(2)};
}

// A single column.
template <typename Row>
std::string BytesOf(const Row& row) {
  return row.Bytes(0);
}

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_STORE_ROWS_H_
