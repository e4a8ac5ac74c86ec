// From a budget, a size and some hours to a fit: how many topics, how many iterations, how much
// noise, and what can be expected of it.
//
//   absl::StatusOr<ProposedFit> fit = ProposeFit(policy, description, {.epsilon = 1, .hours = 2});
//   fit->num_topics; fit->iterations; fit->noise_multiplier; fit->expected.terms;
//
// What is not wished for is chosen:
//   J  as many iterations as the hours, the wall's limits and the releases left allow, at most 40.
//      A denoised fit is J + 1 releases of one price (denoised_plans.h) and its average keeps the
//      same noise whatever J (model/lda/denoise/noise_model.h), so more iterations are more
//      annealing for nothing, until there is nothing left to anneal.
//   σ  the least that `epsilon` allows for J + 1 releases, by the policy that is enforced.
//   ν  1: a release takes one interval whatever it computes, and a full batch has the least noise
//      for a price (by a factor of four at the paper's setting).
//   K  the most of 5, 10, 20, 50, 100, 200, 500 that is at most kTopicsPerSignal times the expected
//      signal to noise of a word of rank 1,000. Calibrated on the Debian catalogue, with budgets of
//      that ε and δ = 1e-4 and some 10 % more noise than now (perplexity):
//
//      ε (expected)    K = 10      20      50     100       proposed
//      0.1 (0.42)       2,233   2,389   2,521                  5 (2,123)
//      0.2 (0.79)       1,916   1,928   1,995                 10
//      0.5 (1.8)        1,608   1,558   1,611                 20
//      1   (3.4)        1,486   1,383   1,377   1,364         50
//      2.44 (7.5)       1,384   1,242   1,154   1,152        100
//
// Errors: INVALID_ARGUMENT for a wish out of its domain or beyond a limit; FAILED_PRECONDITION if
// the hours or the releases left are not enough for any fit, no σ is enough, or nobody says how
// many documents there are. PUBLIC: of public numbers and the analyst's own. Pure. Cost: a price.
#ifndef TOPICWALL_CLIENT_FIT_FIT_PLANNER_H_
#define TOPICWALL_CLIENT_FIT_FIT_PLANNER_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/filters/admission_policy.h"
#include "client/fit/fit_expectation.h"
#include "client/wall/wall_port.h"
#include "model/lda/denoise/noise_model.h"
#include "proto/topicwall.pb.h"

namespace topicwall::client {

inline constexpr int kMostUsefulIterations = 40;
inline constexpr double kTopicsPerSignal = 16;

struct FitWishes {
  double epsilon;                 // of the whole fit, > 0
  std::optional<double> delta;    // only checked: δ is the budget's
  std::optional<int> num_topics;  // K
  std::optional<int> iterations;  // J
  std::optional<double> hours;    // that all releases may take, > 0
  // Beside the wall's release interval; what limits J without one. > 0.
  std::optional<double> seconds_per_release;
  CorpusGuess guess = {};
};

struct ProposedFit {
  int num_topics;
  int iterations;
  double noise_multiplier;  // σ_eff of each of the J + 1 releases
  // What a release takes at least; 0 if nobody says.
  double seconds_per_release;
  lda::ExpectedSignal expected;
};

absl::StatusOr<ProposedFit> ProposeFit(const accountant::AdmissionPolicy& policy,
                                       const v1::CorpusDescription& description,
                                       const FitWishes& wishes);

// The same of what the wall says of policy and corpus. FAILED_PRECONDITION if no budget is open;
// else the wall's errors as well.
absl::StatusOr<ProposedFit> ProposeFit(WallPort& wall, absl::string_view corpus,
                                       const FitWishes& wishes);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_PLANNER_H_
