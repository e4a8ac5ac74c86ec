// One repeatable random block per privacy unit: AES-256_key(unit id).
//
//   absl::StatusOr<UnitCoins> coins = UnitCoins::Create(coin_key);
//   std::vector<uint64_t> bits(ids.size());
//   absl::Status status = coins->Toss(ids, absl::MakeSpan(bits));
//
// The coin of a unit is a function of (key, unit id) alone: not of its place, its block,
// the other units or the thread. Distinct ids get distinct cipher blocks; the first 64
// bits of n of them cannot be told from n independent uniform numbers (the distance of a
// random permutation of 128-bit blocks from a random function is below n^2/2^129, 2^-77
// for the most units a corpus may have).
//
// Privacy: ids and coins are PRIVATE (coins decide who is in the sample).
// Errors: INTERNAL if OpenSSL fails; the output is then all ones (no unit's coin says
// yes) and must not be used.
// Threads: Toss may be called from many threads at once.
// Cost: about 0.5 µs a call plus a few ns a unit: toss for a block of units at a time.
#ifndef TOPICWALL_SERVER_RANDOM_UNIT_COINS_H_
#define TOPICWALL_SERVER_RANDOM_UNIT_COINS_H_

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"

namespace topicwall::random {

class UnitCoins {
 public:
  static absl::StatusOr<UnitCoins> Create(const SecretKey& key);

  UnitCoins(UnitCoins&&) = default;
  UnitCoins& operator=(UnitCoins&&) = default;

  // coins[i] = the first 8 bytes, little-endian, of the block of units[i]: 64 uniform
  // bits. `coins` must be as long as `units` (INVALID_ARGUMENT).
  absl::Status Toss(absl::Span<const UnitId> units, absl::Span<uint64_t> coins) const;

 private:
  struct FreeContext {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

  explicit UnitCoins(Context context) : context_(std::move(context)) {}

  Context context_;  // holds the key schedule; only ever copied after construction
};

}  // namespace topicwall::random

#endif  // TOPICWALL_SERVER_RANDOM_UNIT_COINS_H_
