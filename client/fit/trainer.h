// The fit: ask the wall for noisy statistics, take them in, over and over, and survive anything.
//
// One stage after another (checkpoint.h), all with the same code. One iteration t of a stage
// (Algorithm 1 of the paper, seen from the analyst's side):
//   ℓ and C from the algorithm → RunRelease(plan, t, C, ℓ) → check the release → the algorithm
//   takes it in → checkpoint
// and before the first one the algorithm completes the plan, and ReservePlan, its request_id
// durable beforehand. What the stages are is the algorithm's to say (fit_algorithm.h).
//
// After a crash at any instant, and when Train is called again with the checkpoint that is then in
// the folder, no plan and no iteration is paid twice and none that was paid is lost
// (client/wall/paid_release.h): the state is the same to the last bit, so is ℓ, so is the request,
// and so is the model in the end. All else that is ever sent again stands in the checkpoint.
//
// Errors: the wall's, the folder's, the algorithm's, DATA_LOSS for a release that does not check.
// After a refusal for lack of budget, or of the plan as invalid, the checkpoint is removed if
// nothing was paid: another plan may be tried. After all others it stays, to be resumed. A budget's
// refusal of a stage behind one that was paid says what was paid, and how the fit can go on.
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
  // Told once a stage has its reservation, and after each of its iterations.
  std::function<void(const v1::FitStage& stage)> on_progress;
  // Asked before each iteration, when all that is paid is durable; true: CANCELLED. May be empty.
  std::function<bool()> should_stop = {};
};

struct TrainedFit {
  v1::CheckpointFile checkpoint;  // the last one written
  std::unique_ptr<FitAlgorithm> algorithm;
};

// Whether a later stage is not reserved and those before it are done: others may have taken what it
// was quoted at, and the fit can go on with fewer iterations.
bool MayBeShortened(const v1::CheckpointFile& fit);
// The same fit with `iterations` in all, fewer than it has, by those that are not reserved; what
// was paid stays as it is, and so does σ. Nothing is written; the prices are those of before. If a
// plan of the old ones may have been asked for, it is asked for once more, so that none is left
// reserved under an id that is forgotten. FAILED_PRECONDITION, with what to do, if it is reserved
// now: it stays so. INVALID_ARGUMENT for fewer than one iteration a stage; the wall's errors.
absl::StatusOr<v1::CheckpointFile> Shortened(WallPort& wall, v1::CheckpointFile fit,
                                             int iterations);

// Goes on from `checkpoint`, whether it is in the folder already or new, to the end of the last
// stage. Nothing is finished in the folder then (ModelDirectory::Finish).
absl::StatusOr<TrainedFit> Train(const TrainerParams& params, v1::CheckpointFile checkpoint);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_TRAINER_H_
