// The chains of a ledger in a PostgreSQL database (15 or later), for several servers on one budget.
//
// Tables, in the schema "topicwall": ledger (the identity), chain (length and head of each budget),
// event, open_charge, plan, blob. An Append is one transaction. Of
// two that append to one chain exactly one does (postgres_append.h).
//
// The session is as postgres_connection.h says. When the answer to a commit is lost, another
// session waits for the first to end (it holds the chain's row) and looks whether the events are
// there. UNAVAILABLE if that cannot be found out: then it may have been written or not.
//
// PostgreSQL promises neither that what is deleted is gone (it stays in the table until VACUUM and
// in the write-ahead log, archives and standbys for as long as they are kept) nor that a standby
// has every event. Sealed keys are therefore worth nothing without the custodian's; and who must
// notice a database that went back is the reader, by the heads that it noted.
//
// Threads: any; one session, one mutex. Cost of an Append: three round trips and a sync, and 15
// ms for each MB of blobs.
#ifndef TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_STORE_H_
#define TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/event_store.h"

namespace topicwall::store {

// A new ledger without budgets in the database that `service` names (a libpq connection string).
// ALREADY_EXISTS if the database has a ledger; FAILED_PRECONDITION if the role may not create the
// schema.
absl::Status MakePostgresStore(const std::string& service, const Identity& identity);

// Renames the schema to topicwall_moved_ and the time, if the ledger's chains are still these,
// which nobody can move meanwhile; servers that run then find no ledger. ABORTED if they are not.
absl::Status RetirePostgresStore(const std::string& service, const std::vector<Chain>& chains);

// NOT_FOUND if the database has no ledger; FAILED_PRECONDITION for a format of a later program.
enum class PostgresUse { kReadWrite, kReadOnly };
absl::StatusOr<std::unique_ptr<EventStore>> OpenPostgresStore(const std::string& service,
                                                              PostgresUse use);

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_STORE_H_
