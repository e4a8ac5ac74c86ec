// Entries of a chain, for readers who may be slow: events never change, so no lock is held while
// they take them, and few entries wait with the server, for there may be many such readers.
//
//   ReadEntriesSlowly(store, budget_id, 1, length, [&](v1::LedgerEntry entry) { … });
//
// Threads: any. Cost: a read of the store for 64 entries, or for 16 KiB of longer ones.
#ifndef TOPICWALL_SERVER_STORE_ENTRY_READER_H_
#define TOPICWALL_SERVER_STORE_ENTRY_READER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "server/store/event_store.h"

namespace topicwall::store {

// Gives `take` the entries first … last in order. Beside the one that it was given at most 16 KiB
// of others are kept. DATA_LOSS if the store has fewer; what the store or `take` says ends it.
absl::Status ReadEntriesSlowly(EventStore& store, absl::string_view budget_id, int64_t first,
                               int64_t last, absl::FunctionRef<absl::Status(v1::LedgerEntry)> take);

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_ENTRY_READER_H_
