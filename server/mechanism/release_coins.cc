#include "server/mechanism/release_coins.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "server/random/key_derivation.h"

namespace topicwall::mechanism {

absl::StatusOr<random::SecretKey> DeriveReleaseKey(const ledger::ChargeReceipt& receipt,
                                                   absl::string_view purpose) {
  std::array<uint8_t, 48> context;  // request digest (32) ‖ corpus version (16)
  auto* end =
      std::copy(receipt.request_digest().begin(), receipt.request_digest().end(), context.begin());
  std::copy(receipt.corpus_version().begin(), receipt.corpus_version().end(), end);
  return random::Derive(receipt.release_key(), purpose, context);
}

absl::StatusOr<ReleaseCoins> ReleaseCoins::Create(ledger::ChargeReceipt&& receipt) {
  ledger::ChargeReceipt taken = std::move(receipt);  // also when an error follows
  absl::StatusOr<random::SecretKey> coin_key = DeriveReleaseKey(taken, "release coins");
  if (!coin_key.ok()) return coin_key.status();
  absl::StatusOr<random::SecretKey> cut_key = DeriveReleaseKey(taken, "release cuts");
  if (!cut_key.ok()) return cut_key.status();
  const ledger::PaidMechanism& paid = taken.mechanism();
  absl::StatusOr<PoissonSampler> sampler = PoissonSampler::Create(*coin_key, paid.sampling_rate);
  if (!sampler.ok()) return absl::InternalError(sampler.status().message());
  absl::StatusOr<UnitCut> cut = UnitCut::Create(*std::move(cut_key), paid.max_words);
  if (!cut.ok()) return absl::InternalError(cut.status().message());
  return ReleaseCoins(std::move(taken), *std::move(sampler), *std::move(cut));
}

absl::Status ReleaseCoins::Sample(absl::Span<const random::UnitId> units,
                                  std::vector<SampledUnit>* sampled) const {
  sampled->clear();
  std::vector<std::size_t> positions;
  absl::Status status = sampler_.Sample(units, &positions);
  if (!status.ok()) return status;
  sampled->reserve(positions.size());
  for (std::size_t position : positions) {
    sampled->push_back(SampledUnit(position, units[position]));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::mechanism
