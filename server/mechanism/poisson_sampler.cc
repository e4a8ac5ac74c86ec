#include "server/mechanism/poisson_sampler.h"

#include <cmath>
#include <numeric>

#include "base/status_macros.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::mechanism {

uint64_t CoinThreshold(double sampling_rate) {
  // Scaling by a power of two is exact, and the conversion rounds down; the largest double
  // below 1 gives 2^64 - 2^11, which fits.
  return static_cast<uint64_t>(std::ldexp(sampling_rate, 64));
}

absl::StatusOr<PoissonSampler> PoissonSampler::Create(const random::SecretKey& coin_key,
                                                      double sampling_rate) {
  TW_RETURN_IF_ERROR(ValidateSamplingRate(sampling_rate));
  // The threshold would be 2^64, which does not fit; the largest that does would leave out one
  // coin.
  if (sampling_rate == 1) return PoissonSampler(std::nullopt, 0);
  TW_ASSIGN_OR_RETURN(random::UnitCoins coins, random::UnitCoins::Create(coin_key));
  return PoissonSampler(std::move(coins), CoinThreshold(sampling_rate));
}

absl::Status PoissonSampler::Sample(absl::Span<const random::UnitId> units,
                                    std::vector<std::size_t>* positions) const {
  positions->clear();
  if (!coins_.has_value()) {
    positions->resize(units.size());
    std::iota(positions->begin(), positions->end(), std::size_t{0});
    return absl::OkStatus();
  }
  std::vector<uint64_t> coins(units.size());
  TW_RETURN_IF_ERROR(coins_->Toss(units, absl::MakeSpan(coins)));
  for (std::size_t i = 0; i < coins.size(); ++i) {
    // Below, not at most: `threshold_` of the 2^64 coins say yes.
    if (coins[i] < threshold_) positions->push_back(i);
  }
  return absl::OkStatus();
}

}  // namespace topicwall::mechanism
