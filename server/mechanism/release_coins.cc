#include "server/mechanism/release_coins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "server/mechanism/mechanism_limits.h"
#include "server/random/key_derivation.h"

namespace topicwall::mechanism {

namespace {

// None if the plan holds nobody out.
absl::StatusOr<std::optional<HeldOutUnits>> HeldOutOf(const ledger::PaidMechanism& paid,
                                                      const random::SecretKey* key) {
  absl::Status status = ValidateHeldOutShare(paid.held_out_share, paid.document_completion);
  if (!status.ok()) return status;
  if (paid.held_out_share == 0) return std::optional<HeldOutUnits>();
  if (key == nullptr) return absl::InternalError("the plan holds units out: there must be a key");
  absl::StatusOr<HeldOutUnits> held_out = HeldOutUnits::Create(*key, paid.held_out_share);
  if (!held_out.ok()) return held_out.status();
  return std::optional<HeldOutUnits>(*std::move(held_out));
}

}  // namespace

absl::StatusOr<random::SecretKey> DeriveReleaseKey(const ledger::ChargeReceipt& receipt,
                                                   absl::string_view purpose) {
  std::array<uint8_t, 48> context;  // request digest (32) ‖ corpus version (16)
  auto* end =
      std::copy(receipt.request_digest().begin(), receipt.request_digest().end(), context.begin());
  std::copy(receipt.corpus_version().begin(), receipt.corpus_version().end(), end);
  return random::Derive(receipt.release_key(), purpose, context);
}

absl::StatusOr<ReleaseCoins> ReleaseCoins::Create(ledger::ChargeReceipt&& receipt,
                                                  const random::SecretKey* held_out_key) {
  ledger::ChargeReceipt taken = std::move(receipt);  // also when an error follows
  absl::StatusOr<Parts> parts = PartsOf(taken, held_out_key);
  // Whatever is wrong with a receipt, it is not the request.
  if (!parts.ok()) return absl::InternalError(parts.status().message());
  return ReleaseCoins(std::move(taken), *std::move(parts));
}

absl::StatusOr<ReleaseCoins::Parts> ReleaseCoins::PartsOf(const ledger::ChargeReceipt& receipt,
                                                          const random::SecretKey* held_out_key) {
  absl::StatusOr<random::SecretKey> coin_key = DeriveReleaseKey(receipt, "release coins");
  if (!coin_key.ok()) return coin_key.status();
  absl::StatusOr<random::SecretKey> bits_key = DeriveReleaseKey(receipt, "release halves");
  if (!bits_key.ok()) return bits_key.status();
  const ledger::PaidMechanism& paid = receipt.mechanism();
  absl::StatusOr<PoissonSampler> sampler = PoissonSampler::Create(*coin_key, paid.sampling_rate);
  if (!sampler.ok()) return sampler.status();
  absl::StatusOr<std::optional<HeldOutUnits>> held_out = HeldOutOf(paid, held_out_key);
  if (!held_out.ok()) return held_out.status();
  absl::Status status = ValidateMaxWords(paid.max_words);
  if (!status.ok()) return status;
  return Parts{.sampler = *std::move(sampler),
               .held_out = *std::move(held_out),
               .bits_key = *std::move(bits_key)};
}

absl::StatusOr<random::SecretKey> ReleaseCoins::TruncationKey() const {
  return DeriveReleaseKey(receipt_, "release cuts");
}

absl::Status ReleaseCoins::Sample(absl::Span<const random::UnitId> units,
                                  std::vector<SampledUnit>* sampled) const {
  sampled->clear();
  std::vector<std::size_t> positions;
  absl::Status status = sampler_.Sample(units, &positions);
  if (status.ok() && held_out_.has_value()) {
    const bool evaluates = mechanism().document_completion;
    status =
        held_out_->Keep(evaluates ? HeldOutUnits::Side::kHeldOut : HeldOutUnits::Side::kTraining,
                        units, &positions);
  }
  if (!status.ok()) return status;
  sampled->reserve(positions.size());
  for (std::size_t position : positions) {
    sampled->push_back(SampledUnit(position, units[position]));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::mechanism
