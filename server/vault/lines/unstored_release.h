// A release that is paid for and computed, and that the ledger could not write: it waits in memory
// for room, so that the same request again computes nothing and uses up no recomputation.
//
// There is one at most. Whoever has the turn of the queue next stores it, and as long as that fails
// nothing else is charged: so nobody pays for what there is no room for, and no more memory is
// taken than one release takes. If the vault dies first, the charge has its key, as after any
// crash.
//
// Privacy: its noise is in; PRIVATE all the same until it is published. Threads: belongs to whoever
// has the turn.
#ifndef TOPICWALL_SERVER_VAULT_LINES_UNSTORED_RELEASE_H_
#define TOPICWALL_SERVER_VAULT_LINES_UNSTORED_RELEASE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "proto/ledger.pb.h"
#include "server/ledger/privacy_ledger.h"
#include "server/mechanism/noise_mechanism.h"

namespace topicwall::server {

struct ServedCorpus;

struct UnstoredRelease {
  const ServedCorpus* corpus;
  mechanism::NoisyStatistics noisy;
  v1::StoredRelease header;

  // As PrivacyLedger::Store.
  absl::Status StoreIn(ledger::PrivacyLedger& ledger,
                       std::optional<int64_t> late_at_ms = std::nullopt) const {
    return ledger.Store(noisy.receipt(), header, noisy.statistics(), late_at_ms);
  }
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_LINES_UNSTORED_RELEASE_H_
