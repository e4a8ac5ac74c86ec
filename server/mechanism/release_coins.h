// The gate to the data: takes the receipt of a charge and gives the release's randomness
// for choosing who and what takes part.
//
//   absl::StatusOr<ReleaseCoins> coins =
//       ReleaseCoins::Create(std::move(receipt), &corpus.held_out_key());
//   std::vector<SampledUnit> sampled;
//   absl::Status status = coins->Sample(ids_of_a_block, &sampled);
//   for (SampledUnit& unit : sampled) { … block.document(unit.position(), d) … }
//
// Nothing gives a SampledUnit but Sample, and a lattice sum (lattice_sum.h) adds nothing
// but what stands for one: it is move-only, so that a unit is added once.
//
// Every key derives from the receipt's release key by random::Derive with the context
// request digest ‖ corpus version. The release is therefore a function of (release key,
// digest, corpus): computing it again after a crash gives the same bits.
// The digest must cover everything else that the sum depends on (the plan, clip norm, options and
// parameters of the model): two different sums under the same noise would reveal their difference.
// Who is held out (held_out_units.h) is not drawn: it is the same in every release.
//
// Privacy: SampledUnits, their number and all keys are PRIVATE.
// Errors: INTERNAL if OpenSSL fails, if the receipt's numbers are outside mechanism_limits.h (the
// ledger never charges such a plan), or if its plan holds units out and there is no key for it. The
// receipt is then gone; the iteration stays charged.
// Threads: const methods may be called from many threads at once.
#ifndef TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_
#define TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_

#include <cstddef>
#include <optional>
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

class ReleaseCoins {
 public:
  // `held_out_key`: the custodian's, for a plan that holds units out; else it is not looked at.
  static absl::StatusOr<ReleaseCoins> Create(ledger::ChargeReceipt&& receipt,
                                             const random::SecretKey* held_out_key = nullptr);

  ReleaseCoins(ReleaseCoins&&) = default;
  ReleaseCoins& operator=(ReleaseCoins&&) = default;

  // Replaces *sampled by those of `units` that take part, in their order: on the plan's side of
  // the held-out share, and drawn. Give every unit of the corpus to Sample once per release.
  absl::Status Sample(absl::Span<const random::UnitId> units,
                      std::vector<SampledUnit>* sampled) const;

  // For the cut of units to their caps (server/vault/unit_cut.h).
  absl::StatusOr<random::SecretKey> TruncationKey() const;
  // For the model. Must not outlive this, nor see it moved.
  KeyedUnitBits NewUnitBits() const { return KeyedUnitBits(&bits_key_); }

  // What was paid for.
  const ledger::PaidMechanism& mechanism() const { return receipt_.mechanism(); }

 private:
  friend class NoisyStatistics;  // derives the noise's keys and turns in the receipt

  struct Parts {
    PoissonSampler sampler;
    std::optional<HeldOutUnits> held_out;
    random::SecretKey bits_key;
  };
  static absl::StatusOr<Parts> PartsOf(const ledger::ChargeReceipt& receipt,
                                       const random::SecretKey* held_out_key);

  ReleaseCoins(ledger::ChargeReceipt receipt, Parts parts)
      : receipt_(std::move(receipt)),
        sampler_(std::move(parts.sampler)),
        held_out_(std::move(parts.held_out)),
        bits_key_(std::move(parts.bits_key)) {}

  ledger::ChargeReceipt receipt_;
  PoissonSampler sampler_;
  std::optional<HeldOutUnits> held_out_;  // none: nobody is
  random::SecretKey bits_key_;
};

// The key of one use of a paid release: Derive(release key, purpose, digest ‖ version).
absl::StatusOr<random::SecretKey> DeriveReleaseKey(const ledger::ChargeReceipt& receipt,
                                                   absl::string_view purpose);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_
