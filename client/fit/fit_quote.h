// From what an analyst wants to plans with a price: nothing is reserved here.
//
//   absl::StatusOr<FitQuote> quote = MakeQuote(wall, spec);
//   quote->price;   // of all releases of the fit together; see RefusalOf
//
// A fit is releases of one price, J of them and those of the algorithm's other stages: σ_eff of
// each is given, or the smallest that takes what is to be spent (spend.h), or that an ε of the fit
// alone allows. It is found by the enforced policy (enforced_price.h), and PricePlan must confirm
// what all releases together cost alone: σ is never too small, whatever the two sides' arithmetic.
// What the fit can be expected to give comes with it, so that nobody pays for noise without having
// been told. PUBLIC. Errors: those of spend.h; INVALID_ARGUMENT for a field out of its domain, or
// more releases in all than the wall lets one plan have, and for an initial model or anchors that
// the fit would not begin with; FAILED_PRECONDITION if no budget is open, no σ is enough, or the
// initial model is a mock's and the wall is none; INTERNAL if the wall's prices contradict its own
// policy; DATA_LOSS if it says something else of the budget than its chain (wall_audit.h); the
// planner's (fit_planner.h); the wall's others.
#ifndef TOPICWALL_CLIENT_FIT_FIT_QUOTE_H_
#define TOPICWALL_CLIENT_FIT_FIT_QUOTE_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/audit/spend.h"
#include "client/fit/algorithms/paper_noise.h"
#include "client/fit/fit_spec.h"
#include "client/wall/wall_port.h"
#include "model/data/vocabulary.h"
#include "model/gaussian/expected_components.h"
#include "model/lda/denoise/noise_model.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// What a fit begins with.
struct FitStart {
  lda::Vocabulary vocabulary;
  v1::CheckpointFile checkpoint;  // NewCheckpoint
};

struct FitQuote : PaidQuote {
  FitSpec spec;  // what was asked for, with nothing left open: ε and σ_eff too
  std::vector<v1::FitStage> stages;  // not begun
  // None if nobody says how large the corpus is, or of an algorithm of which nothing is expected
  // (fit_planner.h): of words, of a mixture of Gaussians, or of algorithm `paper`.
  std::optional<lda::ExpectedSignal> expected;
  std::optional<gaussian::ExpectedComponents> expected_components;
  std::optional<PaperNoise> expected_paper;
  // There already with an initial model or anchors, which a fit would refuse before it reserves
  // anything, so that no quote says that it fits.
  std::optional<FitStart> start;

  // The plan that most releases are of.
  const v1::ReleaseSpec& topics() const { return stages.back().plan().plan(); }
};

std::vector<v1::ReleaseSpec> PlansOf(const std::vector<v1::FitStage>& stages);

// α = 1/K, of `denoised` 2/K (deploy/study/EXPERIMENTS.md); term weights are not there yet.
absl::StatusOr<FitQuote> MakeQuote(WallPort& wall, const FitSpec& spec);

// INVALID_ARGUMENT for an initial model or anchors that are not of the corpus; the wall's.
absl::StatusOr<FitStart> StartOf(WallPort& wall, const FitQuote& quote);

// FAILED_PRECONDITION, saying why and what to do, with the corpus' state as a value (WithDetail,
// exit_code.h), where nothing can be charged at present.
absl::Status CheckOpen(const v1::CorpusDescription& description);

// OK if what was quoted can be reserved. FAILED_PRECONDITION where nothing can be charged at
// present, saying why and what to do, or with a PrivacyBudgetExhausted.
absl::Status RefusalOf(const PaidQuote& quote);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_QUOTE_H_
