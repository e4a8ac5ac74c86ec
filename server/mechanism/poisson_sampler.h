// Who takes part in a release: every unit by its own coin, with probability at most ν.
//
//   absl::StatusOr<PoissonSampler> sampler = PoissonSampler::Create(coin_key, 0.05);
//   absl::Status status = sampler->Sample(ids, &positions);
//
// A unit takes part if 64 uniform bits u, which depend on (coin key, unit id) alone, have
// u < floor(ν·2^64). So the true rate is ν rounded down to a multiple of 2^-64: never
// above the rate that was accounted (ν below 2^-64 samples nobody). ν = 1 tosses nothing:
// everybody takes part. All statistics of one release use the same coins.
//
// Poisson sampling is the one the subsampled-Gaussian bounds are about; a batch of fixed
// size would need others. (Park et al., Private Topic Modeling, Algorithm 1, line "sample
// a minibatch"; Abadi et al. 2016.)
//
// Privacy: positions and their number are PRIVATE and never leave the wall.
// Threads: Sample may be called from many threads at once. Cost: about 10 ns a unit.
#ifndef TOPICWALL_SERVER_MECHANISM_POISSON_SAMPLER_H_
#define TOPICWALL_SERVER_MECHANISM_POISSON_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/random/secret_key.h"
#include "server/random/unit_coins.h"
#include "server/random/unit_id.h"

namespace topicwall::mechanism {

// floor(ν·2^64), exactly. Precondition: 0 < ν < 1.
uint64_t CoinThreshold(double sampling_rate);

class PoissonSampler {
 public:
  // INVALID_ARGUMENT unless sampling_rate is in (0, 1]; INTERNAL if OpenSSL fails.
  static absl::StatusOr<PoissonSampler> Create(const random::SecretKey& coin_key,
                                               double sampling_rate);

  // Replaces *positions by the ascending indices into `units` of those that take part.
  // INTERNAL if OpenSSL fails: *positions is then empty and the release must not go on.
  absl::Status Sample(absl::Span<const random::UnitId> units,
                      std::vector<std::size_t>* positions) const;

 private:
  PoissonSampler(std::optional<random::UnitCoins> coins, uint64_t threshold)
      : coins_(std::move(coins)), threshold_(threshold) {}

  std::optional<random::UnitCoins> coins_;  // none: everybody takes part
  uint64_t threshold_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_POISSON_SAMPLER_H_
