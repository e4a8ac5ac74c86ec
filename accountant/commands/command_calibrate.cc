// `calibrate`: the noise or the number of releases for a target, one or a whole frontier.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/accountants/noise_calibration.h"
#include "accountant/commands/command.h"
#include "accountant/commands/number_text.h"
#include "accountant/commands/plan_flags.h"
#include "accountant/commands/report.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

struct CalibrateFlags {
  FlagText epsilon;
  FlagText delta;
  std::vector<std::string> sampling_rates;
  std::vector<std::string> noise_multipliers;
  std::vector<std::string> steps;
  FlagText histogram_share;
  AccountantFlags accountant;
};

absl::StatusOr<std::vector<double>> Numbers(absl::string_view field,
                                            const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    TW_ASSIGN_OR_RETURN(const double number, ParseNumber(field, text));
    numbers.push_back(number);
  }
  if (!numbers.empty()) return numbers;
  return Given(field, std::nullopt).status();
}

// One schedule that the budget allows: the smallest σ for its ν and J, or the most J for its ν and
// σ.
struct FrontierPoint {
  double sampling_rate;
  double noise_multiplier;  // +infinity: no σ up to kLargestNoiseMultiplier is enough
  int64_t steps;            // 0 where not even one fits
};

absl::StatusOr<FrontierPoint> SmallestNoise(const NoiseTarget& target,
                                            const PrivacyAccountant& accountant) {
  const absl::StatusOr<double> sigma = SmallestNoiseMultiplier(target, accountant);
  if (!sigma.ok() && !absl::IsFailedPrecondition(sigma.status())) return sigma.status();
  return FrontierPoint{.sampling_rate = target.sampling_rate,
                       .noise_multiplier = sigma.value_or(INFINITY),
                       .steps = target.steps};
}

absl::StatusOr<FrontierPoint> MostStepsAt(double rate, double sigma, const PrivacyParams& budget,
                                          const PrivacyAccountant& accountant) {
  TW_ASSIGN_OR_RETURN(
      const SubsampledGaussian release,
      SubsampledGaussian::Create({.sampling_rate = rate, .noise_multipliers = {sigma}}));
  TW_ASSIGN_OR_RETURN(const int64_t steps,
                      MostSteps({.budget = budget, .release = release}, accountant));
  return FrontierPoint{.sampling_rate = rate, .noise_multiplier = sigma, .steps = steps};
}

// Every ν (outer) with every J or σ (inner).
absl::StatusOr<std::vector<FrontierPoint>> Frontier(const CalibrateFlags& flags,
                                                    const PrivacyParams& budget,
                                                    const PrivacyAccountant& accountant) {
  TW_ASSIGN_OR_RETURN(const std::vector<double> rates,
                      Numbers("sampling_rate", flags.sampling_rates));
  if (flags.steps.empty() == flags.noise_multipliers.empty()) {
    return absl::InvalidArgumentError(
        "steps, noise_multiplier: exactly one of them must be given. Give --steps to find the "
        "smallest noise, --noise-multiplier to find the most steps.");
  }
  std::vector<double> sigmas;
  if (flags.steps.empty()) {
    TW_ASSIGN_OR_RETURN(sigmas, Numbers("noise_multiplier", flags.noise_multipliers));
  }
  std::vector<int64_t> counts;
  for (const std::string& text : flags.steps) {
    TW_ASSIGN_OR_RETURN(counts.emplace_back(), ParseSteps("steps", text));
  }
  std::vector<FrontierPoint> frontier;
  for (const double rate : rates) {
    for (const double sigma : sigmas) {
      TW_ASSIGN_OR_RETURN(frontier.emplace_back(), MostStepsAt(rate, sigma, budget, accountant));
    }
    for (const int64_t steps : counts) {
      TW_ASSIGN_OR_RETURN(
          frontier.emplace_back(),
          SmallestNoise({.budget = budget, .sampling_rate = rate, .steps = steps}, accountant));
    }
  }
  return frontier;
}

// What was found is priced once more and shown: how near the target it comes, and by a two-sided
// accountant how much of the rest is the accountant's own doubt.
absl::Status AddPrice(const FrontierPoint& point, const PrivacyParams& budget,
                      const PrivacyAccountant& accountant, Row& row) {
  // Where no noise meets the target there is nothing to price, and the row keeps its columns.
  EpsilonBracket epsilon = {.lower = INFINITY, .upper = INFINITY};
  if (std::isfinite(point.noise_multiplier)) {
    TW_ASSIGN_OR_RETURN(
        const SubsampledGaussian release,
        SubsampledGaussian::Create(
            {.sampling_rate = point.sampling_rate, .noise_multipliers = {point.noise_multiplier}}));
    const std::unique_ptr<PrivacyAccountant> trial = accountant.Clone();
    TW_RETURN_IF_ERROR(trial->Compose({.release = release, .count = point.steps}));
    TW_ASSIGN_OR_RETURN(epsilon, trial->Epsilon(budget.delta));
  }
  row.push_back(AtMost("delta", budget.delta));
  AddBracket("epsilon", epsilon.lower, epsilon.upper, row);
  return absl::OkStatus();
}

absl::Status AddSplit(const FlagText& share_text, double noise_multiplier, Row& row) {
  if (!share_text.has_value() || !std::isfinite(noise_multiplier)) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const double share, ParseNumber("histogram_share", *share_text));
  TW_ASSIGN_OR_RETURN(const JointNoise split,
                      SplitNoise({.noise_multiplier = noise_multiplier, .histogram_share = share}));
  row.push_back(AtMost("sums_noise_multiplier", split.noise_multiplier));
  row.push_back(AtMost("histogram_noise_multiplier", split.histogram_noise_multiplier));
  return absl::OkStatus();
}

absl::StatusOr<std::string> Calibrate(const CalibrateFlags& flags, bool json) {
  PrivacyParams budget;
  TW_ASSIGN_OR_RETURN(budget.epsilon, EpsilonOf(flags.epsilon));
  TW_ASSIGN_OR_RETURN(budget.delta, DeltaOf(flags.delta));
  std::vector<Row> rows;
  for (const std::string& name : NamesOf(flags.accountant)) {
    TW_ASSIGN_OR_RETURN(const auto accountant, MakeAccountant(name, OptionsOf(flags.accountant)));
    TW_ASSIGN_OR_RETURN(const auto frontier, Frontier(flags, budget, *accountant));
    // One question without an answer is an error; in a table of many it is a row that says
    // infinity.
    const bool alone = frontier.size() == 1 && flags.accountant.accountant != "all";
    for (const FrontierPoint& point : frontier) {
      if (alone && !std::isfinite(point.noise_multiplier)) {
        return absl::FailedPreconditionError(
            absl::StrCat("no noise_multiplier up to ", kLargestNoiseMultiplier,
                         " meets the target. Ask for fewer steps, a smaller sampling_rate or a "
                         "larger epsilon."));
      }
      Row& row = rows.emplace_back();
      row = {Text("accountant", name), AtMost("noise_multiplier", point.noise_multiplier),
             AtLeast("sampling_rate", point.sampling_rate), Count("steps", point.steps)};
      TW_RETURN_IF_ERROR(AddPrice(point, budget, *accountant, row));
      TW_RETURN_IF_ERROR(AddSplit(flags.histogram_share, point.noise_multiplier, row));
    }
  }
  if (!json) return TableText(rows);
  if (rows.size() == 1) return JsonText(rows.front()) + "\n";
  return absl::StrCat("{\"results\":", JsonArray(rows), "}\n");
}

}  // namespace

void AddCalibrate(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<CalibrateFlags>();
  base::Command command = AddCommand(
      app, invocation,
      {.name = "calibrate",
       .description = "smallest σ for --steps, or most steps for --noise-multiplier",
       .example = "topicwall-accountant calibrate --epsilon 2.44 --delta 1e-6 --sampling-rate 1 "
                  "--steps 10 --json\n"
                  "  topicwall-accountant calibrate --epsilon 1 --delta 1e-6 "
                  "--sampling-rate 0.01,0.05,1 --steps 10,20,50\n"
                  "Several values, separated by commas, give every combination: the frontier at "
                  "one budget."});
  command.Add("--epsilon", flags->epsilon, "target ε, nats, > 0");
  command.Add("--delta", flags->delta, "target δ in (0, 1)");
  command.Add("--sampling-rate", flags->sampling_rates, "chance ν of each unit, in (0, 1]")
      .SeparatedBy(',');
  command.Add("--steps", flags->steps, "number of releases: finds the smallest σ").SeparatedBy(',');
  command.Add("--noise-multiplier", flags->noise_multipliers, "σ: finds the most steps")
      .SeparatedBy(',');
  command.Add("--histogram-share", flags->histogram_share,
              "share of 1/σ² for a second statistic: also prints the two multipliers");
  AddAccountantFlags(command, flags->accountant, All::kOffered);
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation] { return Calibrate(*flags, invocation.json); };
  });
}

}  // namespace topicwall::accountant
