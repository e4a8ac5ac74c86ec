#include "server/ledger/folded/plan_text.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "base/sha256.h"
#include "base/status_macros.h"
#include "proto/plan_model.h"

namespace topicwall::ledger {
namespace {

// Weights are taken from the message as they lie. A big-endian machine needs a swap here, in
// proto/matrix_codec.cc and in release_blobs.cc.
static_assert(std::endian::native == std::endian::little);

v1::PlanSpec WhatIsPriced(const v1::PlanReserved& terms) {
  v1::PlanSpec spec;
  spec.set_corpus(terms.corpus());
  spec.set_corpus_version(terms.corpus_version());
  spec.set_sampling_rate(terms.sampling_rate());
  spec.set_noise_multiplier(terms.noise_multiplier());
  if (terms.has_histogram_noise_multiplier()) {
    spec.set_histogram_noise_multiplier(terms.histogram_noise_multiplier());
  }
  spec.set_iterations(terms.iterations());
  spec.set_max_words(terms.max_words());
  spec.set_held_out_share(terms.held_out_share());
  if (terms.document_completion()) {
    spec.mutable_document_completion()->set_num_topics(terms.num_topics());
  } else {
    spec.mutable_lda()->set_num_topics(terms.num_topics());
  }
  return spec;
}

absl::Status Damaged() { return absl::DataLossError("the ledger's plans differ from its events."); }

}  // namespace

std::string BytesOfPlan(const v1::PlanSpec& plan) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream output(&stream);
    output.SetSerializationDeterministic(true);
    plan.SerializeToCodedStream(&output);
  }
  return bytes;
}

void AddText(const v1::PlanSpec& plan, store::PlanRecord record, store::Change* change) {
  const std::string& weights = plan.term_weights();
  if (!weights.empty()) {
    record.weights_sha256 = base::DigestBytes(base::Sha256Of(weights));
    change->blobs.push_back({.sha256 = record.weights_sha256, .bytes = weights});
  }
  v1::PlanSpec rest = plan;
  rest.clear_term_weights();
  record.spec = BytesOfPlan(rest);
  change->plan = std::move(record);
}

absl::StatusOr<v1::PlanSpec> TextOf(store::EventStore& store,
                                    const accountant::ledger::Plan& plan) {
  if (plan.taken_over) return WhatIsPriced(plan.terms);
  TW_ASSIGN_OR_RETURN(const std::optional<store::PlanRecord> record,
                      store.FindPlan(plan.terms.plan_id()));
  v1::PlanSpec spec;
  if (!record.has_value() || record->principal != plan.principal ||
      !spec.ParseFromString(record->spec)) {
    return Damaged();
  }
  if (!record->weights_sha256.empty()) {
    TW_ASSIGN_OR_RETURN(std::optional<std::string> weights,
                        store.ReadBlob(record->weights_sha256, 0));
    if (!weights.has_value()) return Damaged();
    spec.set_term_weights(*std::move(weights));
  }
  if (base::DigestBytes(base::Sha256Of(BytesOfPlan(spec))) != plan.terms.plan_sha256()) {
    return Damaged();
  }
  return spec;
}

PaidMechanism MechanismOf(const v1::PlanSpec& plan) {
  PaidMechanism mechanism{.sampling_rate = plan.sampling_rate(),
                          .noise_multiplier = plan.noise_multiplier(),
                          .histogram_noise_multiplier = std::nullopt,
                          .num_topics = proto::ReleaseShapeOf(plan, /*vocabulary_size=*/0).rows,
                          .max_words = plan.max_words(),
                          .term_weights = {},
                          .held_out_share = plan.held_out_share(),
                          .document_completion = plan.has_document_completion()};
  if (plan.has_histogram_noise_multiplier()) {
    mechanism.histogram_noise_multiplier = plan.histogram_noise_multiplier();
  }
  mechanism.term_weights.resize(plan.term_weights().size() / sizeof(float));
  if (!mechanism.term_weights.empty()) {
    std::memcpy(mechanism.term_weights.data(), plan.term_weights().data(),
                mechanism.term_weights.size() * sizeof(float));
  }
  return mechanism;
}

}  // namespace topicwall::ledger
