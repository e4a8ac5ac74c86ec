// The keys of the custodian that a ledger works with.
//
//   TW_ASSIGN_OR_RETURN(LedgerKeys keys, LedgerKeys::Of(custodian_key));
//
// `sealing` hides release keys on the disk, and a rekey changes it. `signing` puts the
// custodian's name under receipts: its public half is recorded in every budget's chain and never
// changes. Of `seals` LedgerSeals are made, which say that a row is the custodian's; it does not
// change either. Privacy: secret,
// but for the public half. Move-only.
#ifndef TOPICWALL_SERVER_LEDGER_LEDGER_KEYS_H_
#define TOPICWALL_SERVER_LEDGER_LEDGER_KEYS_H_

#include <utility>

#include "absl/status/statusor.h"
#include "base/ed25519.h"
#include "base/status_macros.h"
#include "server/random/secret_key.h"
#include "server/sealing/custodian_key.h"
#include "server/sealing/sealing_key.h"

namespace topicwall::ledger {

struct LedgerKeys {
  sealing::SealingKey sealing;
  base::SigningKey signing;
  random::SecretKey seals;

  // INTERNAL if OpenSSL fails.
  static absl::StatusOr<LedgerKeys> Of(const sealing::CustodianKey& custodian) {
    TW_ASSIGN_OR_RETURN(sealing::SealingKey sealing, custodian.LedgerSealingKey());
    TW_ASSIGN_OR_RETURN(base::SigningKey signing, custodian.IdentitySigningKey());
    TW_ASSIGN_OR_RETURN(random::SecretKey seals, custodian.LedgerSealsKey());
    return LedgerKeys{
        .sealing = std::move(sealing), .signing = std::move(signing), .seals = std::move(seals)};
  }
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_LEDGER_KEYS_H_
