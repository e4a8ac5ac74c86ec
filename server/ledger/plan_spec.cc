#include "server/ledger/plan_spec.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/sha256.h"
#include "base/status_macros.h"

namespace topicwall::ledger {
namespace {

// Weights are taken from the message as they lie. A big-endian machine needs a swap here, in
// proto/matrix_codec.cc, proto/request_digest.cc and in release_blobs.cc.
static_assert(std::endian::native == std::endian::little);

absl::Status DamagedSpec() {
  return absl::DataLossError("the ledger's plans differ from its events.");
}

}  // namespace

void AddWeights(const v1::ReleaseSpec& spec, store::Change* change) {
  const std::string& weights = spec.weights();
  if (weights.empty()) return;
  change->blobs.push_back({.sha256 = base::DigestBytes(base::Sha256Of(weights)), .bytes = weights});
}

// The event decides; the store's table and blob are held against it. Weights are part of what was
// priced, so others than those of the digest must not come back here, whoever put them there.
absl::StatusOr<v1::ReleaseSpec> SpecOf(store::EventStore& store,
                                       const accountant::ledger::Plan& plan) {
  // Plans that were taken over from a lost ledger's export came without the rows beside its chain.
  if (!plan.taken_over) {
    TW_ASSIGN_OR_RETURN(const std::optional<store::PlanRecord> record,
                        store.FindPlan(plan.terms.plan_id()));
    if (!record.has_value() || record->principal != plan.principal) return DamagedSpec();
  }
  v1::ReleaseSpec spec = plan.terms.spec();
  if (!spec.has_weights_sha256()) return spec;
  TW_ASSIGN_OR_RETURN(std::optional<std::string> weights, store.ReadBlob(spec.weights_sha256(), 0));
  const bool sound =
      weights.has_value() && base::DigestBytes(base::Sha256Of(*weights)) == spec.weights_sha256();
  if (sound) {
    spec.set_weights(*std::move(weights));
  } else if (!plan.taken_over) {
    // A plan that was taken over may lack them: it is paused for ever, and only shown.
    return DamagedSpec();
  }
  return spec;
}

PaidMechanism MechanismOf(const v1::ReleaseSpec& spec) {
  PaidMechanism mechanism{.sampling_rate = spec.sampling_rate(),
                          .noise_multiplier = spec.gaussian().noise_multiplier(),
                          .histogram_noise_multiplier = std::nullopt,
                          .max_words = spec.max_tokens(),
                          .weights = {},
                          .held_out_share = spec.held_out_share(),
                          .held_out_only = spec.held_out_only()};
  if (spec.gaussian().has_histogram_noise_multiplier()) {
    mechanism.histogram_noise_multiplier = spec.gaussian().histogram_noise_multiplier();
  }
  mechanism.weights.resize(spec.weights().size() / sizeof(float));
  if (!mechanism.weights.empty()) {
    std::memcpy(mechanism.weights.data(), spec.weights().data(),
                mechanism.weights.size() * sizeof(float));
  }
  return mechanism;
}

}  // namespace topicwall::ledger
