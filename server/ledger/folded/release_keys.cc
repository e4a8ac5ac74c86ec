#include "server/ledger/folded/release_keys.h"

#include <openssl/crypto.h>

#include <array>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "server/ledger/ledger_seals.h"
#include "server/random/key_derivation.h"

namespace topicwall::ledger {

absl::StatusOr<std::string> DigestOf(const random::SecretKey& key) {
  TW_ASSIGN_OR_RETURN(const random::SecretKey name,
                      random::Derive(key, "digest of a release key", {}));
  base::Sha256 hash;
  hash.Update(name.ExposeBytes());
  return base::DigestBytes(std::move(hash).Finish());
}

// Decimal and hexadecimal digits between spaces, and the digest last, whose length is fixed: no two
// places are alike.
// The place is authenticated with the key, so that a sealed key is good for no charge but the one
// that it was drawn for: whoever can write to the file cannot put it beside another. The epoch
// keeps keys of before a restore from being brought back after it.
std::string ReleaseKeys::PlaceOf(const v1::IterationCharged& charge) const {
  return absl::StrCat("topicwall.ledger.release_key ", identity_.ledger_id, " ", identity_.epoch,
                      " ", charge.plan_id(), " ", charge.iteration(), " ", charge.request_digest());
}

absl::StatusOr<std::string> ReleaseKeys::Seal(const random::SecretKey& key,
                                              const v1::IterationCharged& charge) const {
  const absl::Span<const uint8_t> bytes = key.ExposeBytes();
  return key_.Seal({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, PlaceOf(charge));
}

absl::StatusOr<std::optional<random::SecretKey>> ReleaseKeys::Unseal(
    absl::string_view sealed, const v1::IterationCharged& charge) const {
  // By a program of before the first version: nothing binds it to one key.
  if (charge.release_key_sha256().empty()) return std::nullopt;
  absl::StatusOr<std::string> bytes = key_.Open(sealed, PlaceOf(charge));
  if (absl::IsDataLoss(bytes.status())) return std::nullopt;
  TW_RETURN_IF_ERROR(bytes.status());
  if (bytes->size() != random::SecretKey::kSize) return std::nullopt;
  std::array<uint8_t, random::SecretKey::kSize> copy;
  bytes->copy(reinterpret_cast<char*>(copy.data()), copy.size());
  random::SecretKey key(copy);
  OPENSSL_cleanse(copy.data(), copy.size());
  OPENSSL_cleanse(bytes->data(), bytes->size());
  TW_ASSIGN_OR_RETURN(const std::string digest, DigestOf(key));
  if (digest == charge.release_key_sha256()) return key;
  return NotTheCustodians(
      "the key that is kept for a charge is not the one that its event names: somebody put another "
      "in its place. Nothing is computed with it; see the runbook.");
}

}  // namespace topicwall::ledger
