// One receipt, many keys: each has a purpose of its own, "release coins" and so on, and no two uses
// share one. Purposes are part of what a release's bits are a function of; to rename one changes
// every release, and a charge that a crash left behind would be computed with other bits under the
// same receipt.
#include "server/mechanism/release_coins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/random/key_derivation.h"

namespace topicwall::mechanism {

namespace {

// None if the plan holds nobody out.
absl::StatusOr<std::optional<HeldOutUnits>> HeldOutOf(const ledger::PaidMechanism& paid,
                                                      const random::SecretKey* key) {
  TW_RETURN_IF_ERROR(ValidateHeldOutShare(paid.held_out_share, paid.held_out_only));
  if (paid.held_out_share == 0) return std::optional<HeldOutUnits>();
  if (key == nullptr) return absl::InternalError("the plan holds units out: there must be a key");
  TW_ASSIGN_OR_RETURN(HeldOutUnits held_out, HeldOutUnits::Create(*key, paid.held_out_share));
  return std::optional<HeldOutUnits>(std::move(held_out));
}

// A tag stands beside every sum, also in bytes. As a derived key it tells apart charges, requests
// and corpora, and says nothing about the release key.
absl::StatusOr<ReleaseTag> TagOf(const ledger::ChargeReceipt& receipt, int num_shards) {
  TW_RETURN_IF_ERROR(ValidateNumShards(num_shards));
  TW_ASSIGN_OR_RETURN(const random::SecretKey name, DeriveReleaseKey(receipt, "release tag"));
  ReleaseTag tag = {.release = {}, .begun_at_ms = receipt.begun_at_ms(), .num_shards = num_shards};
  std::copy(name.ExposeBytes().begin(), name.ExposeBytes().end(), tag.release.begin());
  return tag;
}

}  // namespace

// Two fields of fixed lengths: no other digest and version make the same 48 bytes.
absl::StatusOr<random::SecretKey> DeriveReleaseKey(const ledger::ChargeReceipt& receipt,
                                                   absl::string_view purpose) {
  std::array<uint8_t, 48> context;  // request digest (32) ‖ corpus version (16)
  auto* end =
      std::copy(receipt.request_digest().begin(), receipt.request_digest().end(), context.begin());
  std::copy(receipt.corpus_version().begin(), receipt.corpus_version().end(), end);
  return random::Derive(receipt.release_key(), purpose, context);
}

absl::StatusOr<ReleaseCoins> ReleaseCoins::Of(const ledger::ChargeReceipt& receipt, int num_shards,
                                              const random::SecretKey* held_out_key) {
  TW_ASSIGN_OR_RETURN(random::SecretKey coin_key, DeriveReleaseKey(receipt, "release coins"));
  TW_ASSIGN_OR_RETURN(random::SecretKey truncation_key, DeriveReleaseKey(receipt, "release cuts"));
  TW_ASSIGN_OR_RETURN(random::SecretKey bits_key, DeriveReleaseKey(receipt, "release halves"));
  TW_ASSIGN_OR_RETURN(const ReleaseTag tag, TagOf(receipt, num_shards));
  return Make(tag, receipt.mechanism(),
              {.coins = std::move(coin_key),
               .cuts = std::move(truncation_key),
               .bits = std::move(bits_key)},
              held_out_key);
}

absl::StatusOr<ReleaseCoins> ReleaseCoins::Make(const ReleaseTag& tag, ledger::PaidMechanism paid,
                                                Keys keys, const random::SecretKey* held_out_key) {
  TW_RETURN_IF_ERROR(ValidateMaxWords(paid.max_words));
  absl::StatusOr<PoissonSampler> sampler = PoissonSampler::Create(keys.coins, paid.sampling_rate);
  if (!sampler.ok()) return sampler.status();
  absl::StatusOr<std::optional<HeldOutUnits>> held_out = HeldOutOf(paid, held_out_key);
  if (!held_out.ok()) return held_out.status();
  return ReleaseCoins(Parts{.tag = tag,
                            .mechanism = std::move(paid),
                            .coin_key = std::move(keys.coins),
                            .truncation_key = std::move(keys.cuts),
                            .bits_key = std::move(keys.bits),
                            .sampler = *std::move(sampler),
                            .held_out = *std::move(held_out)});
}

// Held-out units toss a coin like others, and are taken out afterwards: the coins of a release are
// the same whether or not its plan holds anybody out.
absl::Status ReleaseCoins::Sample(absl::Span<const random::UnitId> units,
                                  std::vector<SampledUnit>* sampled) const {
  sampled->clear();
  std::vector<std::size_t> positions;
  absl::Status status = parts_.sampler.Sample(units, &positions);
  if (status.ok() && parts_.held_out.has_value()) {
    const bool evaluates = mechanism().held_out_only;
    status = parts_.held_out->Keep(
        evaluates ? HeldOutUnits::Side::kHeldOut : HeldOutUnits::Side::kTraining, units,
        &positions);
  }
  if (!status.ok()) return status;
  sampled->reserve(positions.size());
  for (std::size_t position : positions) {
    sampled->push_back(SampledUnit(position, units[position]));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::mechanism
