// A whole ledger from one kind of store into another: from a file into a database that several
// servers share, or back.
//
//   MakePostgresStore(service, Unusable(identity));
//   CopyLedger(*file, *database, keys);   // verified, with the same heads
//   MakeUnusable(*file);                        // and loses its name
//   MakeUsable(*database);
//
// In between neither is a ledger that can be spent from: both are marked as a backup is, and are
// not opened. Of two that are, the copy becomes the ledger if it still has the same chains.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_COPY_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_COPY_H_

#include <vector>

#include "absl/status/status.h"
#include "server/ledger/ledger_keys.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

store::Identity Unusable(store::Identity identity);

// Chains, open charges (without owners), plans and blobs into `to`, which has none; both verify,
// and so do all releases. Of one moment: `from` may go on meanwhile. DATA_LOSS if one does not
// verify, or does not go on from what was `seen` of it (folded/seen_heads.h); after an error `to`
// is of no use. Cost: reads and writes everything.
absl::Status CopyLedger(store::EventStore& from, store::EventStore& to, const LedgerKeys& keys,
                        const std::vector<store::Chain>& seen = {});

// As a backup is: nobody opens it, and it holds no release key.
absl::Status MakeUnusable(store::EventStore& store);
// FAILED_PRECONDITION unless it is Unusable.
absl::Status MakeUsable(store::EventStore& store);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_COPY_H_
