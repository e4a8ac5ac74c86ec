// What the analyst asked of `topicwall fit`, and whether a fit already begun is that fit.
//
// A fit is resumed by typing the same command again. A command that means something else must
// not silently continue the old one (the old plan is paid for), nor silently pay for a new
// one: it is an error that names the first flag that differs.
// PUBLIC. Pure functions.
#ifndef TOPICWALL_CLIENT_FIT_FIT_SETTINGS_H_
#define TOPICWALL_CLIENT_FIT_FIT_SETTINGS_H_

#include <optional>

#include "absl/status/status.h"
#include "accountant/filters/admission_policy.h"
#include "client/fit/checkpoint.h"
#include "client/fit/fit_planner.h"
#include "client/fit/plan_offer.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct FitSettings {
  PlanRequest plan;
  FitChoices choices;
  // `--plan auto`: what is not wished for is the planner's to choose (fit_planner.h) when the fit
  // begins, whatever `plan` says of K and J, and that of the fit itself from then on: what a
  // planner would choose on another day does not matter.
  std::optional<FitWishes> automatic = {};
  // `--init`: whose topics the fit begins with, if they fit (initial_model.h).
  std::optional<v1::ModelFile> initial_model = {};
};

// How σ was found for an ε.
struct NoiseRules {
  accountant::AdmissionPolicy policy;
  v1::CorpusDescription description;  // the wall's limits
};

// INVALID_ARGUMENT, naming flag and both values, if `checkpoint` is of another fit. With an
// ε, σ is found again and may differ by one part in a thousand: a newer version of this
// program may price more tightly, and what was reserved stays as it was.
absl::Status CheckSameFit(const FitSettings& settings, const v1::CheckpointFile& checkpoint,
                          const NoiseRules& rules);

// The same for a finished model, as far as the file knows: corpus, K, J, algorithm, initial model.
absl::Status CheckSameModel(const FitSettings& settings, const v1::ModelFile& model);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_SETTINGS_H_
