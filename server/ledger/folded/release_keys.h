// Release keys: which one is a charge's, and how it rests.
//
// A charge has one key, and its event says which, by a digest
// (IterationCharged.release_key_sha256): two keys are two draws of noise for the same sum, at the
// price of one. It rests sealed under the custodian's key to its place, which is the ledger, its
// epoch, the plan, the iteration and the request's digest. Moved to another place a sealed key is
// as good as damaged; another one that was sealed to the same place, as when a database refused the
// charge that it was shown, is not taken.
//
// Privacy: keys are secret. A digest is PUBLIC: of another key that is derived from the release key
// for this alone, and so is independent of what coins and noise are derived from
// (key_derivation.h). Errors: INTERNAL if OpenSSL fails. Threads: any. Cost: some µs each.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_KEYS_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_KEYS_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "server/random/secret_key.h"
#include "server/sealing/sealing_key.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// What a charge says of its key: 32 bytes.
absl::StatusOr<std::string> DigestOf(const random::SecretKey& key);

class ReleaseKeys {
 public:
  ReleaseKeys(sealing::SealingKey key, store::Identity identity)
      : key_(std::move(key)), identity_(std::move(identity)) {}

  absl::StatusOr<std::string> Seal(const random::SecretKey& key,
                                   const v1::IterationCharged& charge) const;
  // None if it does not open: damaged, or of another place; nor for a charge that names no key.
  // DATA_LOSS (NotTheCustodians) if it opens and is not the charge's own.
  absl::StatusOr<std::optional<random::SecretKey>> Unseal(absl::string_view sealed,
                                                          const v1::IterationCharged& charge) const;

 private:
  std::string PlaceOf(const v1::IterationCharged& charge) const;

  sealing::SealingKey key_;
  store::Identity identity_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_RELEASE_KEYS_H_
