// The gate to the data: a release's randomness for choosing who and what takes part, and all that
// summing knows of the release.
//
//   absl::StatusOr<ReleaseKeys> keys = SplitReceipt(std::move(receipt), …);  // noise_mechanism.h
//   const ReleaseCoins& coins = keys->coins;
//   std::vector<SampledUnit> sampled;
//   absl::Status status = coins.Sample(ids_of_a_block, &sampled);
//   for (SampledUnit& unit : sampled) { … block.document(unit.position(), d) … }
//
// Nothing gives a SampledUnit but Sample, and a sum (partial_sum.h) adds nothing but what stands
// for one: it is move-only, so that a unit is added once.
//
// Coins are made when a receipt is split, and from nothing else but the bytes of such coins, in a
// process that sums a part (server/cluster). They hold the keys of the coins, of the cuts and of
// the model's bits, and neither the release key nor anything that the noise could be derived from:
// who only sums cannot take the noise off.
//
// Every key derives from the receipt's release key by random::Derive with the context
// request digest ‖ corpus version. The release is therefore a function of (release key,
// digest, corpus): computing it again after a crash gives the same bits.
// The digest must cover everything else that the sum depends on (the plan, clip norm, options and
// parameters of the model): two different sums under the same noise would reveal their difference.
// Who is held out (held_out_units.h) is not drawn: it is the same in every release.
//
// Privacy: who is sampled, how many, and all keys are PRIVATE.
// Errors: INTERNAL if OpenSSL fails.
// Threads: const methods may be called from many threads at once.
#ifndef TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_
#define TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/ledger/charge_receipt.h"
#include "server/mechanism/held_out_units.h"
#include "server/mechanism/keyed_unit_bits.h"
#include "server/mechanism/poisson_sampler.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"

namespace topicwall::mechanism {

// One unit that the coins let in. PRIVATE.
class SampledUnit {
 public:
  SampledUnit(SampledUnit&&) = default;
  SampledUnit& operator=(SampledUnit&&) = default;
  SampledUnit(const SampledUnit&) = delete;
  SampledUnit& operator=(const SampledUnit&) = delete;

  std::size_t position() const { return position_; }  // among the units given to Sample
  const random::UnitId& id() const { return id_; }

 private:
  friend class ReleaseCoins;
  SampledUnit(std::size_t position, const random::UnitId& id) : position_(position), id_(id) {}

  std::size_t position_;
  random::UnitId id_;
};

// Which release a sum is of, in which attempt to compute it, and in how many shards: ranges of the
// corpus that are public and the same for every release, whoever is drawn.
struct ReleaseTag {
  std::array<uint8_t, 32> release;  // derived like a key: no other charge, request or corpus has it
  int64_t begun_at_ms;              // the charge, or the last restart
  int num_shards;

  friend bool operator==(const ReleaseTag&, const ReleaseTag&) = default;
};

class ReleaseCoins {
 public:
  ReleaseCoins(ReleaseCoins&&) = default;
  ReleaseCoins& operator=(ReleaseCoins&&) = default;

  // Replaces *sampled by those of `units` that take part, in their order: on the plan's side of
  // the held-out share, and drawn. Give every unit of the corpus to Sample once per release.
  absl::Status Sample(absl::Span<const random::UnitId> units,
                      std::vector<SampledUnit>* sampled) const;

  // For the cut of units to their caps (server/executor/unit_cut.h).
  const random::SecretKey& truncation_key() const { return parts_.truncation_key; }
  // For the model. Must not outlive this, nor see it moved.
  KeyedUnitBits NewUnitBits() const { return KeyedUnitBits(&parts_.bits_key); }

  // For another process of the wall: whoever has these bytes knows who takes part; the caller wipes
  // them. Of every number the lowest byte first:
  //   "TWCOIN01" · release (32) · begun_at_ms (8) · number of shards (8) · keys of coins, cuts and
  //   bits (32 each) · ν, σ, σ_h or 0, h (8 each, of a double) · N (8) · held out only, 0 or 1 (8)
  //   · the weights (4 each, of a float)
  std::string Serialise() const;
  // INVALID_ARGUMENT for what is none. `held_out_key` as for SplitReceipt.
  static absl::StatusOr<ReleaseCoins> Parse(absl::string_view bytes,
                                            const random::SecretKey* held_out_key);

  // What was paid for.
  const ledger::PaidMechanism& mechanism() const { return parts_.mechanism; }
  const ReleaseTag& tag() const { return parts_.tag; }

 private:
  friend class NoiseKey;  // makes them, and takes the receipt

  // How Serialise begins, and how long that is without the weights.
  static constexpr absl::string_view kMagic = "TWCOIN01";
  static constexpr std::size_t kBytesBeforeWeights =
      8 + 32 + 8 + 8 + 3 * random::SecretKey::kSize + 4 * 8 + 8 + 8;

  struct Parts {
    ReleaseTag tag;
    ledger::PaidMechanism mechanism;
    random::SecretKey coin_key;
    random::SecretKey truncation_key;
    random::SecretKey bits_key;
    PoissonSampler sampler;                // by the coin key
    std::optional<HeldOutUnits> held_out;  // none: nobody is
  };
  struct Keys {
    random::SecretKey coins;
    random::SecretKey cuts;
    random::SecretKey bits;
  };
  explicit ReleaseCoins(Parts parts) : parts_(std::move(parts)) {}

  static absl::StatusOr<ReleaseCoins> Of(const ledger::ChargeReceipt& receipt, int num_shards,
                                         const random::SecretKey* held_out_key);
  static absl::StatusOr<ReleaseCoins> Make(const ReleaseTag& tag, ledger::PaidMechanism paid,
                                           Keys keys, const random::SecretKey* held_out_key);

  Parts parts_;
};

// The key of one use of a paid release: Derive(release key, purpose, digest ‖ version).
absl::StatusOr<random::SecretKey> DeriveReleaseKey(const ledger::ChargeReceipt& receipt,
                                                   absl::string_view purpose);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_
