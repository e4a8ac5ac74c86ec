// What an Append writes into the tables of postgres_store.h, inside a transaction.
//
// Each chain's row is moved from the expected head to the new one by a single UPDATE, which waits
// for whoever moves it at the moment and then finds another head; open charges' rows likewise. So
// nothing stronger than READ COMMITTED is needed, and of two that append to one chain exactly one
// does.
#ifndef TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_APPEND_H_
#define TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_APPEND_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/event_store.h"
#include "server/store/postgresql/postgres_connection.h"

namespace topicwall::store {

// Of the tables, kept beside the identity.
inline constexpr int64_t kPostgresFormat = 1;

// ABORTED if a chain or a row is not what it must be.
absl::Status WriteChange(PostgresConnection& connection, const Change& change);

// After a commit whose answer was lost, over another session. Waits, in what was there before, for
// the lost one to end, and with its own commit for whatever a commit waits for. True: it was made.
// False: it was not, or not yet.
absl::StatusOr<bool> IsWritten(PostgresConnection& connection, const Change& change);

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_APPEND_H_
