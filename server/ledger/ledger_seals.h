// What only a holder of the custodian's key can write into a ledger, wherever that is kept: its
// events, and which release is the one that was stored for a charge.
//
//   TW_ASSIGN_OR_RETURN(const LedgerSeals seals, LedgerSeals::Of(keys.seals, identity.ledger_id));
//   TW_ASSIGN_OR_RETURN(std::string salt, seals.SaltOf(previous_head, event));
//   TW_RETURN_IF_ERROR(seals.CheckSalt(previous_head, entry));
//
// An event's salt (proto/ledger_chain.h) is the first 16 bytes of an HMAC-SHA-256 of the head
// before it and of the event, under a key that is this ledger's alone. To who has not the key it is
// as good as random, so a commitment hides its event; and no salt fits an event that he makes up,
// or puts in another place or in another ledger of the same custodian. What it does not tell: that
// events at the end are missing (folded/seen_heads.h).
//
// Of the identity secret and the ledger's id, both of which a rekey leaves as they are. Privacy:
// the key is secret; a salt is as public as its event, a release's seal PRIVATE. Errors: INTERNAL
// if OpenSSL fails. Threads: any. Cost: 2 µs each.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_SEALS_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_SEALS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"
#include "server/random/secret_key.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// DATA_LOSS of a ledger that somebody edited without the key, in words that the log makes an alarm
// of (server/log/storage_watch.h).
absl::Status NotTheCustodians(absl::string_view what);

class LedgerSeals {
 public:
  // Of sealing::CustodianKey::LedgerSealsKey.
  static absl::StatusOr<LedgerSeals> Of(const random::SecretKey& key, absl::string_view ledger_id);

  absl::StatusOr<std::string> SaltOf(absl::string_view previous_head,
                                     absl::string_view event) const;
  // DATA_LOSS if the entry's salt is another.
  absl::Status CheckSalt(absl::string_view previous_head, const v1::LedgerEntry& entry) const;

  // Of the digests in the row, for this charge: 32 bytes.
  absl::StatusOr<std::string> SealOf(const v1::IterationCharged& charge,
                                     const store::OpenCharge& row) const;
  // DATA_LOSS if the row's seal is another.
  absl::Status CheckSeal(const v1::IterationCharged& charge, const store::OpenCharge& row) const;

 private:
  explicit LedgerSeals(random::SecretKey key) : key_(std::move(key)) {}

  random::SecretKey key_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_SEALS_H_
