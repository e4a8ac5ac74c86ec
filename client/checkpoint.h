// checkpoint.pb: all that a fit needs to go on after a crash, and to never pay twice.
//
//   checkpoint with a fresh request_id   durable BEFORE ReservePlan is first sent
//   + plan_id                            once the reservation was answered
//   + state after iteration t            once the release of t was taken in
//
// A fit that dies anywhere and is run again sends the same request_id (the same plan comes
// back) and, because the M-step's state is kept in the float32 it is computed in, the same
// topics to the last bit, so the same request digest (the stored release comes back, free).
// PUBLIC. Source of the rule: "Paying" in the wall's protocol (proto/topicwall.proto).
#ifndef TOPICWALL_CLIENT_CHECKPOINT_H_
#define TOPICWALL_CLIENT_CHECKPOINT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lda/m_step.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kCheckpointFormatVersion = 1;
inline constexpr size_t kRequestIdSize = 16;

// Names of the M-steps (lda/m_step.h), as they stand in checkpoints, models and flags.
inline constexpr char kSignedAverage[] = "signed-average";
inline constexpr char kPaper[] = "paper";

// 16 bytes from the operating system. UNAVAILABLE if it has none to give.
absl::StatusOr<std::string> NewRequestId();

// What the analyst chooses beside the plan. All of it is free: it costs no privacy.
struct FitChoices {
  double clip_norm;  // C, in words
  std::string m_step;
  uint64_t seed;  // of the initial topics
};

// A checkpoint at the very beginning: random topics, no reservation yet. The constants of
// each M-step are set here: α comes with the plan, η = 1/K as in the paper; signed-average:
// ρ = 0.3 after the first iteration; paper: τ0 = 1024, κ = 0.7.
// INVALID_ARGUMENT for an unknown M-step or a shape that lda refuses.
absl::StatusOr<v1::CheckpointFile> NewCheckpoint(const v1::PlanSpec& plan,
                                                 const v1::CorpusDescription& description,
                                                 const FitChoices& choices);

// INVALID_ARGUMENT, naming `path`, if the bytes are no checkpoint, of another format version,
// or contradict themselves (iterations, size of the state, M-step).
absl::StatusOr<v1::CheckpointFile> ParseCheckpoint(absl::string_view bytes, absl::string_view path);

// V, from the size of the state.
int64_t VocabularySizeOf(const v1::CheckpointFile& checkpoint);

// The M-step as it was after `iterations_done`.
absl::StatusOr<std::unique_ptr<lda::MStep>> RestoreMStep(const v1::CheckpointFile& checkpoint);

// Takes the M-step's state over into the checkpoint.
void SaveMStep(const lda::MStep& m_step, v1::CheckpointFile& checkpoint);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_CHECKPOINT_H_
