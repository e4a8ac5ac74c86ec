// What one server of a shared ledger has seen of it, on its own disk: how long each chain was, and
// its head. A database that went back (a standby that missed events was promoted, rows were edited
// or dropped, an old backup was put in) has chains that are shorter than that, or others; nothing
// inside it can tell.
//
//   TW_ASSIGN_OR_RETURN(SeenHeads seen, SeenHeads::Open(std::move(lock)));
//   TW_RETURN_IF_ERROR(seen.Check(store));             // once, before anything is folded
//   TW_RETURN_IF_ERROR(seen.Note(state));              // before a question or an act is answered
//
// The file is ledger.seen in the data directory (v1.SeenHeads). It also has the server's random id,
// by which open charges name who computes them. Without the file the server is a new one, which has
// seen nothing. What only a refused act has
// seen is noted with the next one. What was seen by this server only, other servers do not
// know: when one of them finds the database to have gone back, all are to be stopped.
//
// PUBLIC but for the id. Threads: one at a time.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_SEEN_HEADS_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_SEEN_HEADS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/ledger/ledger_state.h"
#include "proto/store.pb.h"
#include "server/store/data_directory_lock.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

std::string SeenHeadsPath(absl::string_view directory);

class SeenHeads {
 public:
  // The file of the lock's directory, made if there is none. DATA_LOSS if it is damaged;
  // UNAVAILABLE if it cannot be read or written.
  static absl::StatusOr<SeenHeads> Open(store::DataDirectoryLock lock);

  const std::string& server_id() const { return seen_.server_id(); }

  // DATA_LOSS, with what to do, unless every chain has the head that was seen, where it was.
  absl::Status Check(store::EventStore& store) const;
  // Durable when it answers OK; writes nothing if nothing has moved. UNAVAILABLE. Cost: a sync.
  absl::Status Note(const accountant::ledger::LedgerState& state);

 private:
  SeenHeads(store::DataDirectoryLock lock, v1::SeenHeads seen)
      : lock_(std::move(lock)), seen_(std::move(seen)) {}

  store::DataDirectoryLock lock_;
  v1::SeenHeads seen_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_SEEN_HEADS_H_
