// checkpoint.pb: all that a fit needs to go on after a crash, and to never pay twice.
//
//   checkpoint with a fresh request_id   durable BEFORE ReservePlan is first sent
//   + plan_id                            once the reservation was answered
//   + state after iteration t            once the release of t was taken in
//
// Algorithm `denoised` does that twice: for the unigram's plan, and with its release for the plan
// of the topics. A fit that dies anywhere and is run again sends the same request_id (the same plan
// comes back) and, because the state is kept in the precision it is computed in, the same topics to
// the last bit, so the same request digest (the stored release comes back, free).
// PUBLIC.
#ifndef TOPICWALL_CLIENT_FIT_CHECKPOINT_H_
#define TOPICWALL_CLIENT_FIT_CHECKPOINT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kCheckpointFormatVersion = 4;
inline constexpr size_t kRequestIdSize = 16;

// 16 bytes from the operating system. UNAVAILABLE if it has none to give.
absl::StatusOr<std::string> NewRequestId();

// What a fit reserves.
struct FitPlans {
  std::string algorithm;  // a name of fit_algorithm.h
  v1::PlanSpec topics;
  std::optional<v1::PlanSpec> unigram;  // of algorithm `denoised`
};

// What the analyst chooses beside the plans. All of it is free: it costs no privacy.
struct FitChoices {
  double clip_norm;  // C of the first iteration, of `denoised` of the first not flat, in words
  uint64_t seed;     // of the initial topics
  // What initial_model.h made of an earlier model; of algorithm `denoised`.
  std::optional<v1::WarmStart> warm_start = {};
};

// A checkpoint at the very beginning: no reservation yet. The constants of each algorithm are set
// here: α comes with the plan. signed-average: η = 1/K, ρ = 0.3 after the first iteration; paper:
// η = 1/K, τ0 = 1024, κ = 0.7; those of denoised are DenoisedRecipe's
// (model/lda/denoise/denoised_trainer.h). INVALID_ARGUMENT for an unknown algorithm, a shape that
// lda refuses, or a unigram's plan where the algorithm wants none or the other way round.
absl::StatusOr<v1::CheckpointFile> NewCheckpoint(const FitPlans& plans,
                                                 const v1::CorpusDescription& description,
                                                 const FitChoices& choices);

// INVALID_ARGUMENT, naming `path`, if the bytes are no checkpoint, of another format version,
// or contradict themselves (iterations, size of the state, algorithm).
absl::StatusOr<v1::CheckpointFile> ParseCheckpoint(absl::string_view bytes, absl::string_view path);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_CHECKPOINT_H_
