// What a fit has come to: a model, whether the fit is finished or not. Its releases are paid for,
// so that what they say can be read at any time, also of a fit that was interrupted or cancelled.
//
// PUBLIC: released numbers. Threads: any. Cost: that of reading a checkpoint and of denoising once.
#ifndef TOPICWALL_CLIENT_FIT_FIT_OUTCOME_H_
#define TOPICWALL_CLIENT_FIT_FIT_OUTCOME_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/audit/chain_replay.h"
#include "client/fit/fit_algorithm.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// The model of a fit as it stands; `algorithm` is the fit's, and has topics. With `unfinished`
// until all releases are in.
v1::ModelFile OutcomeOf(const v1::CheckpointFile& fit, const FitAlgorithm& algorithm);

// The finished model of a folder (model_directory.h), or what its checkpoint has come to; without a
// lock. NOT_FOUND if no fit is in it; FAILED_PRECONDITION if no release says anything of topics
// yet; INVALID_ARGUMENT for a file that is damaged.
absl::StatusOr<v1::ModelFile> ReadModelSoFar(const std::string& directory);

// What it says that it cost, and of which plans: of none without a wall, and before all of them are
// reserved.
NotedPrice NotedPriceOf(const v1::ModelFile& file);

// OK if no release will say more of this model, which is the folder's (ReadModelSoFar): it is
// finished, a copy, or the wall says that the plan of its fit is cancelled. What is paid to be told
// of topics would be lost with the next release. FAILED_PRECONDITION; the wall's errors.
absl::Status CheckHasEnded(WallPort& wall, const v1::ModelFile& model,
                           const std::string& directory);

// "notes.model is unfinished: 12 of 41 releases…" and what to do. Looks whether the fit itself is
// in the folder: one of a copy (`merge`, `learn-prior`) cannot go on.
std::string UnfinishedText(const v1::UnfinishedFit& progress, const std::string& directory);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_OUTCOME_H_
