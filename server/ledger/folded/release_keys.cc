#include "server/ledger/folded/release_keys.h"

#include <openssl/crypto.h>

#include <array>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::ledger {

// Decimal and hexadecimal digits between spaces, and the digest last, whose length is fixed: no two
// places are alike.
// The place is authenticated with the key, so that a sealed key is good for the one charge that it
// was drawn for: whoever can write to the file cannot put it beside another. The epoch keeps keys
// of before a restore from being brought back after it.
std::string ReleaseKeys::PlaceOf(const v1::IterationCharged& charge) const {
  return absl::StrCat("topicwall.ledger.release_key ", identity_.ledger_id, " ", identity_.epoch,
                      " ", charge.plan_id(), " ", charge.iteration(), " ", charge.request_digest());
}

absl::StatusOr<std::string> ReleaseKeys::Seal(const random::SecretKey& key,
                                              const v1::IterationCharged& charge) const {
  const absl::Span<const uint8_t> bytes = key.ExposeBytes();
  return key_.Seal({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, PlaceOf(charge));
}

absl::StatusOr<random::SecretKey> ReleaseKeys::Unseal(absl::string_view sealed,
                                                      const v1::IterationCharged& charge) const {
  TW_ASSIGN_OR_RETURN(std::string bytes, key_.Open(sealed, PlaceOf(charge)));
  if (bytes.size() != random::SecretKey::kSize) {
    return absl::DataLossError("the release's key cannot be read.");
  }
  std::array<uint8_t, random::SecretKey::kSize> copy;
  bytes.copy(reinterpret_cast<char*>(copy.data()), copy.size());
  random::SecretKey key(copy);
  OPENSSL_cleanse(copy.data(), copy.size());
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return key;
}

}  // namespace topicwall::ledger
