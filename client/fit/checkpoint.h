// checkpoint.pb: all that a fit needs to go on after a crash, and to never pay twice.
//
//   spec     what was asked for (fit_spec.h), never changed but for fewer iterations (trainer.h)
//   stages   plans, one after the other: each is reserved when the one before is done
//   state    of the algorithm, bytes that only it reads (fit_algorithm.h)
//
// Of each stage, in this order:
//   + plan, complete, and a fresh request_id   durable BEFORE ReservePlan is first sent
//   + plan_id                                  once the reservation was answered
//   + iterations_done and state                once the release of an iteration was taken in
//
// The state is kept in the precision it is computed in. What follows from all this is in trainer.h.
// PUBLIC.
#ifndef TOPICWALL_CLIENT_FIT_CHECKPOINT_H_
#define TOPICWALL_CLIENT_FIT_CHECKPOINT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/fit/fit_spec.h"
#include "model/data/vocabulary.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kCheckpointFormatVersion = 7;

// A checkpoint at the very beginning: no request, no reservation, the algorithm's first state.
// `spec` leaves nothing open, `stages` are its own (StagesOf). Without ε and δ yet.
// INVALID_ARGUMENT for an unknown algorithm, or what it refuses to begin with: nothing that it
// would refuse later.
absl::StatusOr<v1::CheckpointFile> NewCheckpoint(const FitSpec& spec,
                                                 const std::vector<v1::FitStage>& stages,
                                                 const lda::Vocabulary& vocabulary);

// INVALID_ARGUMENT, naming `path`, if the bytes are no checkpoint, of another format version,
// or contradict themselves (stages out of their order). Whether the state is one, its algorithm
// says (RestoreAlgorithm).
absl::StatusOr<v1::CheckpointFile> ParseCheckpoint(absl::string_view bytes, absl::string_view path);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_CHECKPOINT_H_
