// One `topicwall fit` from beginning to end, or from wherever the last one stopped.
//
//   absl::StatusOr<FitResult> result = Fit(wall, *directory, settings, {.agree = ask, …});
//
// Order, so that nothing is paid before everything free has been checked: a finished model
// ends it at once → description, filter and vocabulary are fetched and checked → with a
// checkpoint, that it is this fit; without one, the offer is shown and agreed to → Train
// (trainer.h: request_id durable, reserve, iterate) → model.pb in place, checkpoint gone.
//
// Errors: those of plan_offer.h, fit_settings.h, corpus_vocabulary.h and trainer.h. A plan
// that does not fit is refused before anything is asked or written.
// PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_FIT_FIT_H_
#define TOPICWALL_CLIENT_FIT_FIT_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/fit/fit_settings.h"
#include "client/fit/model_directory.h"
#include "client/fit/plan_offer.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct FitHooks {
  // Shows a new plan; OK to reserve it, else what Fit returns.
  std::function<absl::Status(const PlanOffer& offer)> agree;
  // Told at the start (an old checkpoint or a reserved plan) and after each iteration.
  std::function<void(const v1::CheckpointFile& checkpoint)> on_progress;
};

struct FitResult {
  v1::ModelFile model;
  bool was_finished;  // before this call: nothing was asked of the wall
};

absl::StatusOr<FitResult> Fit(WallPort& wall, ModelDirectory& directory,
                              const FitSettings& settings, const FitHooks& hooks);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_H_
