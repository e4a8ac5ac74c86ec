// Release keys as they rest: sealed under the custodian's key to their place, which is the ledger,
// its epoch, the plan, the iteration and the request's digest. Moved to another place a sealed key
// is as good as damaged.
//
// Privacy: secret. Errors: INTERNAL if OpenSSL fails; DATA_LOSS for what does not open. Threads:
// any.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_KEYS_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_KEYS_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "server/random/secret_key.h"
#include "server/sealing/sealing_key.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

class ReleaseKeys {
 public:
  ReleaseKeys(sealing::SealingKey key, store::Identity identity)
      : key_(std::move(key)), identity_(std::move(identity)) {}

  absl::StatusOr<std::string> Seal(const random::SecretKey& key,
                                   const v1::IterationCharged& charge) const;
  absl::StatusOr<random::SecretKey> Unseal(absl::string_view sealed,
                                           const v1::IterationCharged& charge) const;

 private:
  std::string PlaceOf(const v1::IterationCharged& charge) const;

  sealing::SealingKey key_;
  store::Identity identity_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_KEYS_H_
