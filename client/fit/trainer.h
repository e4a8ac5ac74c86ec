// The fit: ask the wall for noisy statistics, take them in, J times over, and survive anything.
//
//   absl::StatusOr<std::unique_ptr<FitAlgorithm>> fitted =
//       Train({.wall = wall, .directory = directory, .on_progress = show}, checkpoint);
//
// One iteration t (Algorithm 1 of the paper, seen from the analyst's side):
//   ℓ and C from the algorithm → RunEStep(plan, t, C, ℓ) → check the release → the algorithm takes
//   it in → checkpoint
// and before the first one ReservePlan, its request_id durable beforehand. Algorithm `denoised`
// first does the same with the plan of the unigram, whose release gives the term weights that the
// plan of the topics is then reserved with, and decides whether an initial model is used
// (initial_model.h).
//
// What holds after a crash at any instant, and when Train is called again with the checkpoint
// that is then in the folder:
//  · a plan is reserved once: the same request_id gives the same plan;
//  · no iteration is paid twice, and none that was paid is lost: the state is the same to the
//    last bit, so is ℓ, so is the request digest, and the wall answers from its store;
//  · the model is the same to the last bit as without the crash.
// So too on another machine: no algorithm's bits depend on the processor
// (model/lda/math/array_math.h). If ℓ differs all the same (another version of this program), the
// wall says ALREADY_EXISTS for the one iteration that was under way; its stored release is read
// with GetRelease instead, or is UNAVAILABLE until it is readable.
//
// Errors: the wall's, the folder's, the algorithm's, DATA_LOSS for a release that does not check.
// After a refusal for lack of budget, or of the plan as invalid, the checkpoint is removed if
// nothing was paid: another plan may be tried. After all others it stays, to be resumed.
// PUBLIC. Threads: one caller; the algorithm uses all processors, which changes no bits. Cost: K·V
// floats sent and received per iteration.
#ifndef TOPICWALL_CLIENT_FIT_TRAINER_H_
#define TOPICWALL_CLIENT_FIT_TRAINER_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/model_directory.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct TrainerParams {
  WallPort& wall;
  ModelDirectory& directory;
  // Told once the topics' plan has its id, and after each iteration, what is done.
  std::function<void(const v1::CheckpointFile& checkpoint)> on_progress;
};

// Goes on from `checkpoint`, whether it is in the folder already or new, and leaves it as the
// last one written. Returns the algorithm after all iterations; nothing is finished in the folder
// yet (ModelDirectory::Finish).
absl::StatusOr<std::unique_ptr<FitAlgorithm>> Train(const TrainerParams& params,
                                                    v1::CheckpointFile& checkpoint);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_TRAINER_H_
