// Whether a ledger is what it was when it was last written.
//
// Recomputes each budget's chain from the stored event bytes, does all acts over again
// (budget_replay.h), and compares chain and outcome with the tables. A file that was cut,
// or edited anywhere in events, budgets, plans or charges, does not pass. What it cannot
// see: an older, whole copy put in the place of the newer one, or a forger who rewrites
// everything: for that, compare the head with one that a reader noted.
//
// Callers hold a transaction (one moment of the file) and the ledger's mutex.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_VERIFICATION_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_VERIFICATION_H_

#include "absl/status/status.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// DATA_LOSS, saying what does not verify. Cost: about 10 µs an event; reads no release.
// At every start.
absl::Status VerifyBudgets(SqliteConnection& connection);

// The file's own structure and every stored release, too. Cost: reads the whole file.
// For topicwall-admin verify-ledger.
absl::Status VerifyWholeFile(SqliteConnection& connection);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_VERIFICATION_H_
