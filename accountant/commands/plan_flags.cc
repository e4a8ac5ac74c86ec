#include "accountant/commands/plan_flags.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "accountant/commands/number_text.h"
#include "accountant/events/privacy_params.h"
#include "base/status_macros.h"

namespace topicwall::accountant {

// Flags are kept as text: numbers of the command line and of a file are then read by one function,
// with one set of rules and messages, and a flag that is missing is told from one that is 0.
absl::StatusOr<std::string> Given(absl::string_view field, const FlagText& flag) {
  if (flag.has_value()) return *flag;
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is missing. Give --", absl::StrReplaceAll(field, {{"_", "-"}}), "."));
}

void AddPlanFlags(base::Command command, PlanFlags& flags) {
  command.Add("--noise-multiplier", flags.noise_multiplier, "σ: std ÷ L2 sensitivity, > 0");
  command.Add("--histogram-noise-multiplier", flags.histogram_noise_multiplier,
              "σ of a second statistic of every release, from the same coins");
  command.Add("--sampling-rate", flags.sampling_rate, "chance ν of each unit, in (0, 1]");
  command.Add("--steps", flags.steps, "number of releases");
}

absl::StatusOr<DpEvent> PlanOf(const PlanFlags& flags) {
  SubsampledGaussian::Params params;
  TW_ASSIGN_OR_RETURN(const std::string sigma, Given("noise_multiplier", flags.noise_multiplier));
  TW_ASSIGN_OR_RETURN(const double noise_multiplier, ParseNumber("noise_multiplier", sigma));
  params.noise_multipliers.push_back(noise_multiplier);
  if (flags.histogram_noise_multiplier.has_value()) {
    TW_ASSIGN_OR_RETURN(const double histogram, ParseNumber("histogram_noise_multiplier",
                                                            *flags.histogram_noise_multiplier));
    params.noise_multipliers.push_back(histogram);
  }
  TW_ASSIGN_OR_RETURN(const std::string rate, Given("sampling_rate", flags.sampling_rate));
  TW_ASSIGN_OR_RETURN(params.sampling_rate, ParseNumber("sampling_rate", rate));
  TW_ASSIGN_OR_RETURN(const std::string steps, Given("steps", flags.steps));
  TW_ASSIGN_OR_RETURN(const int64_t count, ParseSteps("steps", steps));
  TW_ASSIGN_OR_RETURN(const SubsampledGaussian release, SubsampledGaussian::Create(params));
  return DpEvent{.release = release, .count = count};
}

Row PlanFields(const DpEvent& plan) {
  // What is cheaper, if anything: the ε beside it holds for what is read back.
  return {AtMost("noise_multiplier", plan.release.noise_multiplier()),
          AtLeast("sampling_rate", plan.release.sampling_rate()), Count("steps", plan.count)};
}

void AddAccountantFlags(base::Command command, AccountantFlags& flags, All all) {
  flags.accountant = "pld";  // the tightest
  std::vector<std::string> names = AccountantNames();
  if (all == All::kOffered) names.push_back("all");
  command.Add("--accountant", flags.accountant, "which accountant").OneOf(names).ShowDefault();
  command.Add("--max-order", flags.max_order, "moments: the largest λ").ShowDefault();
  command.AddFlag("--paper-cap", flags.paper_cap, "moments: also λ ≤ σ² ln(1/(νσ))");
  command.Add("--strong", flags.strong, "strong, basic: ε of one release, split of δ")
      .OneOf(std::vector<std::string>{"analytic-best", "analytic-half", "classical-best",
                                      "classical-half"})
      .ShowDefault();
}

AccountantOptions OptionsOf(const AccountantFlags& flags) {
  const bool classical = absl::StartsWith(flags.strong, "classical");
  const bool half = absl::EndsWith(flags.strong, "half");
  return {
      .moments = {.max_order = flags.max_order, .paper_cap = flags.paper_cap},
      .strong = {.split = half ? StrongComposition::Split::kHalf : StrongComposition::Split::kBest,
                 .gaussian = classical ? StrongComposition::Gaussian::kClassical
                                       : StrongComposition::Gaussian::kAnalytic}};
}

std::vector<std::string> NamesOf(const AccountantFlags& flags) {
  return flags.accountant == "all" ? AccountantNames() : std::vector<std::string>{flags.accountant};
}

absl::StatusOr<double> EpsilonOf(const FlagText& flag) {
  TW_ASSIGN_OR_RETURN(const std::string text, Given("epsilon", flag));
  TW_ASSIGN_OR_RETURN(const double epsilon, ParseNumber("epsilon", text));
  TW_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  return epsilon;
}

absl::StatusOr<double> DeltaOf(const FlagText& flag) {
  TW_ASSIGN_OR_RETURN(const std::string text, Given("delta", flag));
  TW_ASSIGN_OR_RETURN(const double delta, ParseNumber("delta", text));
  TW_RETURN_IF_ERROR(ValidateDelta(delta));
  return delta;
}

}  // namespace topicwall::accountant
