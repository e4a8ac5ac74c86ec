// How well a fitted model predicts units behind the wall that it was not fitted to: one more
// charged plan, of releases of two numbers each (evaluation_question.h): of topics document
// completion, of Gaussians the log density of vectors.
//
// Who is held out is the custodian's secret, the same in every plan of that share: a model whose
// own plan left out the same share or more (`fit --held-out-share`) has not seen them. So in every
// version of a corpus that names units alike (SawHeldOut, model_file.h).
//
// Order, what an interruption does, and errors of all that is asked so: ask_paid.h.
//
// Errors: those of CheckHasEnded (client/fit/fit_outcome.h); NOT_FOUND without a model;
// INVALID_ARGUMENT for a number out of its range, or a model that is not of the corpus' words or
// dimensions. PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_WALL_EVALUATION_H_
#define TOPICWALL_CLIENT_EVALUATE_WALL_EVALUATION_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/evaluate/ask_paid.h"
#include "client/evaluate/evaluation_file.h"
#include "client/fit/model_directory.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct EvaluationQuote : PlanQuote {
  bool was_trained_on = false;  // ours: SawHeldOut (model_file.h)
  double words_per_unit = 0;    // assumed, as far as they count
  double clip_norm = 0;         // C
};

using EvaluationHooks = PaidHooks<EvaluationQuote>;

struct WallEvaluation : Asked<v1::EvaluationFile> {
  bool was_trained_on;  // as in the quote
};

absl::StatusOr<WallEvaluation> EvaluateBehindTheWall(WallPort& wall, ModelDirectory& directory,
                                                     const EvaluationWish& wish,
                                                     const EvaluationHooks& hooks);

// What the standard error will be, as a share of the perplexity or in nats of a log density, if the
// corpus has the nominal size that its custodian states, of typical units: of perplexities
// 2σH/(hD√J), however long they are. Nothing where nobody states a size. Of a perplexity there will
// be no number to tell from kMostRelativeError on (EstimateOf).
std::optional<double> ExpectedError(const EvaluationQuote& quote);

// The price of an evaluation, without reserving it.
absl::StatusOr<EvaluationQuote> QuoteEvaluation(WallPort& wall, const EvaluationWish& wish,
                                                const v1::ModelFile& model);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_WALL_EVALUATION_H_
