// The last step behind the wall: adds the noise, and only then makes numbers that may leave.
//
//   absl::StatusOr<ReleaseKeys> keys =
//       SplitReceipt(std::move(receipt), /*num_shards=*/1, &corpus.held_out_key());
//   … a PartialSum from keys->coins …
//   absl::StatusOr<NoisyStatistics> noisy =
//       AddNoise(*std::move(sum), std::move(keys->noise), /*num_threads=*/2);
//   absl::Span<const float> statistics = noisy->statistics();    // to be stored and sent
//   const ledger::NoisedReceipt& receipt = noisy->receipt();      // to store it against
//
// The sum must be of the key's release and attempt, with every shard in it exactly once; whatever
// else it is, it is refused before any noise is drawn. A shard that is in twice would move the sum
// by twice what is priced.
//
// To every entry of the grid, zero or not, an independent round(N(0, 2^60)) is added modulo 2^64
// (rounded_gaussian.h); the result is read as a signed integer and becomes
//
//   float32( integer · C/(M·w_c) )   in column c,
//
// the noisy SUM over the sampled units, in the unit of C: signed, unclamped, dense, never divided
// by the number of units. Its noise has standard deviation noise_standard_deviation()/w_c. Where
// rows have directions, A/τ times one more round(N(0, 2^60)) of the row is added, exactly, before
// that (row_directions.h). A norm histogram's entries become integer/M_h: noisy numbers of units.
//
// Guarantee: the release is dominated, in both directions, by the Poisson-subsampled Gaussian pair
// (σ_eff, ν) of the receipt, σ_eff = (σ^-2 + σ_h^-2)^-1/2, against anybody who cannot tell AES from
// coins. Proof: unit_clipper.h bounds a unit's vector by M (and M_h), grid_scale.h makes 2^30 >=
// M·σ, rounded_gaussian.h turns rounding into post-processing, poisson_sampler.h has rate <= ν; all
// that follows the addition is post-processing. (Park et al., Algorithm 1, with the clip per unit.)
//
// The noise of an entry is a function of (release key, request digest, corpus version, entry), not
// of threads: entries are grouped into blocks of whole columns with a stream each, in which they
// are drawn column by column. Computing a release again from the same receipt gives the same bits.
//
// Errors: INVALID_ARGUMENT for a sum of another release, FAILED_PRECONDITION if a shard is left
// out, ALREADY_EXISTS if one is in more than once: sum and key are then left as they were. INTERNAL
// if the key was used before or OpenSSL fails. Nothing leaves; the iteration stays charged.
// Threads: NoisyStatistics is immutable. Cost: about 20 ns an entry, divided by the threads.
#ifndef TOPICWALL_SERVER_MECHANISM_NOISE_MECHANISM_H_
#define TOPICWALL_SERVER_MECHANISM_NOISE_MECHANISM_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/ledger/charge_receipt.h"
#include "server/mechanism/partial_sum.h"
#include "server/mechanism/release_coins.h"
#include "server/random/secret_key.h"

namespace topicwall::mechanism {

// Entries that share a stream, about: enough that making one costs nothing, few enough
// that threads share the work evenly. Part of what a release's bits are a function of.
inline constexpr int64_t kEntriesPerNoiseBlock = 4096;

struct ReleaseKeys;

// What the noise of one release derives from: its receipt. A release uses it up; who sums has none.
class NoiseKey {
 public:
  NoiseKey(NoiseKey&&) = default;
  NoiseKey& operator=(NoiseKey&&) = default;

 private:
  friend absl::StatusOr<ReleaseKeys> SplitReceipt(ledger::ChargeReceipt&& receipt, int num_shards,
                                                  const random::SecretKey* held_out_key);
  friend class NoisyStatistics;

  static absl::StatusOr<ReleaseKeys> Split(ledger::ChargeReceipt receipt, int num_shards,
                                           const random::SecretKey* held_out_key);
  NoiseKey(const ReleaseTag& tag, std::unique_ptr<ledger::ChargeReceipt> receipt)
      : tag_(tag), receipt_(std::move(receipt)) {}

  ReleaseTag tag_;
  std::unique_ptr<ledger::ChargeReceipt> receipt_;  // none: used up
};

struct ReleaseKeys {
  ReleaseCoins coins;  // for whoever sums
  NoiseKey noise;      // for AddNoise
};

// `num_shards`: of the corpus, 1 to kMaxShards. `held_out_key`: the custodian's, for a plan that
// holds units out; else it is not looked at. INTERNAL if OpenSSL fails, if the receipt's numbers
// are outside mechanism_limits.h (the ledger never charges such a plan), if its plan holds units
// out and there is no key for it, or if there cannot be so many shards. The receipt is used up
// either way.
absl::StatusOr<ReleaseKeys> SplitReceipt(ledger::ChargeReceipt&& receipt, int num_shards,
                                         const random::SecretKey* held_out_key);

// A release, safe to show to the plan's owner (when the schedule says so). Nothing but
// AddNoise makes one.
class NoisyStatistics {
 public:
  NoisyStatistics(NoisyStatistics&&) = default;
  NoisyStatistics& operator=(NoisyStatistics&&) = default;

  const model::StatisticShape& shape() const { return shape_; }
  double clip_norm() const { return clip_norm_; }  // C

  // D of them: entry i is in column i mod P; in the unit of C. Every entry is finite.
  absl::Span<const float> statistics() const { return statistics_; }
  // 48 noisy numbers of units (norm_histogram.h), or empty if the plan has no histogram.
  absl::Span<const float> norm_histogram() const { return norm_histogram_; }

  // Of an entry of weight 1, in the unit of C; divide by w_c in column c.
  double noise_standard_deviation() const { return noise_standard_deviation_; }
  double direction_noise() const { return direction_noise_; }  // r; 0 = none
  // In units; 0 without a histogram.
  double histogram_noise_standard_deviation() const { return histogram_noise_; }

  // What the ledger stores this release against.
  const ledger::NoisedReceipt& receipt() const { return receipt_; }

 private:
  friend absl::StatusOr<NoisyStatistics> AddNoise(PartialSum&& sum, NoiseKey&& key,
                                                  int num_threads);

  static absl::Status RequireWhole(const PartialSum& sum, const NoiseKey& key);
  static absl::StatusOr<NoisyStatistics> Make(PartialSum sum, NoiseKey key, int num_threads);
  static absl::Status NoiseStatistics(const ledger::ChargeReceipt& receipt, int num_threads,
                                      PartialSum* sum);
  static absl::Status NoiseColumns(const random::SecretKey& noise_key, int64_t block,
                                   PartialSum* sum);
  static absl::StatusOr<std::vector<float>> NoiseHistogram(const ledger::ChargeReceipt& receipt,
                                                           const PartialSum& sum);
  NoisyStatistics(PartialSum sum, ledger::ChargeReceipt receipt, std::vector<float> norm_histogram);

  ledger::NoisedReceipt receipt_;
  model::StatisticShape shape_;
  double clip_norm_;
  std::vector<float> statistics_;
  std::vector<float> norm_histogram_;
  double noise_standard_deviation_;
  double direction_noise_;
  double histogram_noise_;
};

// `num_threads` (below 1 counts as 1) changes the time, not a bit of the result.
absl::StatusOr<NoisyStatistics> AddNoise(PartialSum&& sum, NoiseKey&& key, int num_threads);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_NOISE_MECHANISM_H_
