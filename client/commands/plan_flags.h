// The flags that describe a plan, the same for `price` and `fit`, and how its price is shown.
#ifndef TOPICWALL_CLIENT_COMMANDS_PLAN_FLAGS_H_
#define TOPICWALL_CLIENT_COMMANDS_PLAN_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/command_line.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/fit_expectation.h"
#include "client/fit/plan_offer.h"

namespace topicwall::client {

// Every default is shown by --help and by the price before anything is reserved.
struct PlanFlags {
  std::string corpus;
  std::string algorithm = kDenoised;
  std::optional<int> num_topics;  // as "auto" where a planner may choose
  std::optional<double> epsilon;
  std::optional<double> noise_multiplier;
  // What is not given is the algorithm's own.
  std::optional<int> iterations;
  std::optional<double> sampling_rate;
  std::optional<double> clip_norm;
  std::optional<int64_t> max_words;
  double held_out_share = 0;
  CorpusGuess guess;
};

// Adds CORPUS, --topics, --epsilon | --noise-multiplier, --algorithm, --sampling-rate,
// --iterations, --held-out-share, --clip-norm, --max-words and those of AddGuessFlags. `flags` must
// outlive the parsing.
void AddPlanFlags(base::Command app, PlanFlags& flags);

// --topics K | auto.
void AddTopicsFlag(base::Command app, std::optional<int>& num_topics);
// --nominal-size and --words-per-unit.
void AddGuessFlags(base::Command app, CorpusGuess& guess);
// A usage error unless --topics is a number.
absl::Status CheckTopicsGiven(const PlanFlags& flags);

// With the algorithm's own values where none were given. denoised: J = 20, ν = 1, first C = 0.7;
// signed-average: J = 10, ν = 1, C = 4; paper: S = 20,000 of 400,000 documents and one epoch of
// them, C = aN = 50 (J = 20, ν = 0.05; N = 500 is the wall's to say).
PlanRequest RequestOf(const PlanFlags& flags);
double ClipNormOf(const PlanFlags& flags);

// What the fit is, costs and can be expected to give, in a few lines.
std::string OfferText(const PlanOffer& offer, double clip_norm);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_PLAN_FLAGS_H_
