// What one server of a shared ledger has seen of it, on its own disk: how long each chain was, and
// its head. A database that went back (a standby that missed events was promoted, rows were edited
// or dropped, an old backup was put in) has chains that are shorter than that, or others; nothing
// inside it can tell.
//
//   TW_ASSIGN_OR_RETURN(const auto before, SeenOfShared(directory, store));
//   TW_RETURN_IF_ERROR(state.TakeFrom(store, &seals, before));  // held to it (kept_chains.h)
//   TW_ASSIGN_OR_RETURN(auto seen, SeenHeads::Open(std::move(lock)));
//   TW_RETURN_IF_ERROR(seen->Note(state.Chains()));    // before a question or an act is answered
//
// The file is ledger.seen in the data directory (v1.SeenHeads, in DurableSlots). It also has
// the server's random id, by which open charges name who computes them. Without the file the server
// is a new one, which has seen nothing. What was seen by this server only, other servers do not
// know: when one of them finds the database to have gone back, all are to be stopped.
//
// PUBLIC but for the id. Threads: any; whoever notes while another one writes is written, with all
// who do, by the next write.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_SEEN_HEADS_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_SEEN_HEADS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/ledger/folded/durable_slots.h"
#include "server/store/data_directory_lock.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

std::string SeenHeadsPath(absl::string_view directory);

// Of the shared ledger that the server of `directory` has, what that server saw; also beside it.
// Whoever folds the store then compares. DATA_LOSS if the ledger is another than ledger.id names;
// FAILED_PRECONDITION without that file, or for a copy that was never finished; ALREADY_EXISTS if a
// ledger lies in the directory.
absl::StatusOr<std::vector<store::Chain>> SeenOfShared(const std::string& directory,
                                                       store::EventStore& store);

class SeenHeads {
 public:
  // The file of the lock's directory, made if there is none. DATA_LOSS if it is damaged;
  // UNAVAILABLE if it cannot be read or written.
  static absl::StatusOr<std::unique_ptr<SeenHeads>> Open(store::DataDirectoryLock lock);

  const std::string& server_id() const { return server_id_; }

  // That all chains of the ledger have come so far, as one state after the other had them. Durable
  // when it answers OK. UNAVAILABLE. Cost: a sync, two beside another writer; nothing if that was
  // noted.
  absl::Status Note(std::vector<store::Chain> chains) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  SeenHeads(store::DataDirectoryLock lock, DurableSlots slots, std::string server_id)
      : lock_(std::move(lock)), server_id_(std::move(server_id)), slots_(std::move(slots)) {}

  const store::DataDirectoryLock lock_;
  const std::string server_id_;
  absl::Mutex mutex_;
  absl::CondVar written_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<store::Chain> newest_ ABSL_GUARDED_BY(mutex_);  // of all that was to be noted
  int64_t noted_ ABSL_GUARDED_BY(mutex_) = 0;                 // events, of all chains together
  DurableSlots slots_;                                        // the writer's
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_SEEN_HEADS_H_
