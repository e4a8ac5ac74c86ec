// The gate to the data: takes the receipt of a charge and gives the release's randomness
// for choosing who and what takes part.
//
//   absl::StatusOr<ReleaseCoins> coins = ReleaseCoins::Create(std::move(receipt));
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
// The digest must cover everything else that the sum depends on (clip norm, E-step options,
// topics): two different sums under the same noise would reveal their difference.
//
// Privacy: SampledUnits, their number and all keys are PRIVATE.
// Errors: INTERNAL if OpenSSL fails, or if the receipt's numbers are outside
// mechanism_limits.h (the ledger never charges such a plan). The receipt is then gone; the
// iteration stays charged.
// Threads: const methods may be called from many threads at once.
#ifndef TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_
#define TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/ledger/charge_receipt.h"
#include "server/mechanism/poisson_sampler.h"
#include "server/mechanism/unit_cut.h"
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
  static absl::StatusOr<ReleaseCoins> Create(ledger::ChargeReceipt&& receipt);

  ReleaseCoins(ReleaseCoins&&) = default;
  ReleaseCoins& operator=(ReleaseCoins&&) = default;

  // Replaces *sampled by those of `units` that take part, in their order. Give every unit
  // of the corpus to Sample once per release.
  absl::Status Sample(absl::Span<const random::UnitId> units,
                      std::vector<SampledUnit>* sampled) const;

  // The cut to the paid max_words.
  const UnitCut& cut() const { return cut_; }

  // What was paid for.
  const ledger::PaidMechanism& mechanism() const { return receipt_.mechanism(); }

 private:
  friend class NoisyStatistics;  // derives the noise's keys and turns in the receipt

  ReleaseCoins(ledger::ChargeReceipt receipt, PoissonSampler sampler, UnitCut cut)
      : receipt_(std::move(receipt)), sampler_(std::move(sampler)), cut_(std::move(cut)) {}

  ledger::ChargeReceipt receipt_;
  PoissonSampler sampler_;
  UnitCut cut_;
};

// The key of one use of a paid release: Derive(release key, purpose, digest ‖ version).
absl::StatusOr<random::SecretKey> DeriveReleaseKey(const ledger::ChargeReceipt& receipt,
                                                   absl::string_view purpose);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_RELEASE_COINS_H_
