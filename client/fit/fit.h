// One `topicwall fit` from beginning to end, or from wherever the last one stopped.
//
// Order, so that nothing is paid before everything free has been checked: a finished model
// ends it at once → description and vocabulary are fetched and checked → with a checkpoint, that it
// is this fit, of that corpus and ledger, or this one with fewer iterations where those may still
// be chosen (MayBeShortened); without one, the quote is shown and agreed to → Train (trainer.h:
// request_id durable, reserve, iterate) → model.pb in place, checkpoint gone.
//
// Errors: those of fit_quote.h, fit_spec.h, corpus_vocabulary.h and trainer.h; FAILED_PRECONDITION
// for a folder with a mock's model (client/mock/mock_wall.h), unless of a mock. A plan that does
// not fit is refused before anything is asked or written. PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_FIT_FIT_H_
#define TOPICWALL_CLIENT_FIT_FIT_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/fit/fit_quote.h"
#include "client/fit/fit_spec.h"
#include "client/fit/model_directory.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct FitHooks {
  // Shows a new fit; OK to reserve it, else what Fit returns.
  std::function<absl::Status(const FitQuote& quote)> agree;
  // Told once a stage has its reservation (an earlier run's as well), and after each iteration.
  std::function<void(const v1::FitStage& stage)> on_progress;
  // Asked before each iteration: true ends Fit as CANCELLED, to be gone on with. May be empty.
  std::function<bool()> should_stop = {};
};

struct FitResult {
  v1::ModelFile model;
  bool was_finished;  // before this call: nothing was asked of the wall
};

absl::StatusOr<FitResult> Fit(WallPort& wall, ModelDirectory& directory, const FitSpec& spec,
                              const FitHooks& hooks);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_H_
