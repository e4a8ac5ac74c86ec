// `explain`: what a guarantee means for whoever is in the corpus.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/commands/command.h"
#include "accountant/commands/plan_flags.h"
#include "accountant/commands/report.h"
#include "accountant/filters/attack_bounds.h"
#include "accountant/filters/sampled_profile.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr double kWidest = 16;  // × ε: how far the profile is looked at

struct ExplainFlags {
  PlanFlags plan;
  FlagText epsilon;
  FlagText delta;
  AccountantFlags accountant;
};

// A guarantee with its whole profile.
struct Guarantee {
  Row about;
  PrivacyParams params;
  std::function<double(double)> profile;
  bool is_curve;  // else all that is known is (ε, δ)
};

// A curve where there is an accountant, since it says far more of an attacker than its one point at
// δ. Points of it are dear (a composition each, by `pld`) and what asks for it asks hundreds of
// times: so it is sampled, and between samples read from above (sampled_profile.h).
absl::StatusOr<Guarantee> GuaranteeOfPlan(const ExplainFlags& flags) {
  TW_ASSIGN_OR_RETURN(const DpEvent plan, PlanOf(flags.plan));
  TW_ASSIGN_OR_RETURN(const double delta, DeltaOf(flags.delta));
  const std::string& name = flags.accountant.accountant;
  TW_ASSIGN_OR_RETURN(std::shared_ptr<PrivacyAccountant> accountant,
                      MakeAccountant(name, OptionsOf(flags.accountant)));
  TW_RETURN_IF_ERROR(accountant->Compose(plan));
  TW_ASSIGN_OR_RETURN(const EpsilonBracket epsilon, accountant->Epsilon(delta));
  if (!(epsilon.upper > 0) || !std::isfinite(epsilon.upper)) {
    return absl::FailedPreconditionError(
        absl::StrCat("epsilon must be finite and > 0 to be explained; this plan's is ",
                     epsilon.upper, " at delta ", delta, "."));
  }
  const auto exact = [accountant](double at) {
    const auto bracket = accountant->Delta(at);
    // 1 where it cannot be told, which as a bound from above is never wrong.
    return bracket.ok() ? bracket->upper : 1.0;
  };
  // Fine where one unit's ε lies, wider for the larger steps that groups need.
  std::vector<SampledProfile> scales;
  for (const double reach : {1.5, 5.0, kWidest}) {
    TW_ASSIGN_OR_RETURN(SampledProfile scale, SampledProfile::Of(exact, reach * epsilon.upper));
    scales.push_back(std::move(scale));
  }
  // Each scale is an upper bound everywhere, so the least of them is one.
  const auto least_of_scales = [scales](double at) {
    double least = 1;
    for (const SampledProfile& scale : scales) least = std::min(least, scale.DeltaUpperBound(at));
    return least;
  };
  Guarantee guarantee = {.about = {Text("accountant", name)},
                         .params = {.epsilon = epsilon.upper, .delta = delta},
                         .profile = least_of_scales,
                         .is_curve = true};
  for (Field& field : PlanFields(plan)) guarantee.about.push_back(std::move(field));
  return guarantee;
}

absl::StatusOr<Guarantee> GuaranteeOf(const ExplainFlags& flags) {
  if (!flags.epsilon.has_value()) return GuaranteeOfPlan(flags);
  PrivacyParams params;
  TW_ASSIGN_OR_RETURN(params.epsilon, EpsilonOf(flags.epsilon));
  TW_ASSIGN_OR_RETURN(params.delta, DeltaOf(flags.delta));
  return Guarantee{.about = {},
                   .params = params,
                   .profile = [params](double at) { return WorstDelta(params, at); },
                   .is_curve = false};
}

// A group's (ε, δ): from a curve at the same δ, ε infinite where it is reached nowhere; from a
// point alone at the δ that it implies.
absl::StatusOr<PrivacyParams> Group(const Guarantee& guarantee, int units) {
  if (!guarantee.is_curve) return GroupOf(guarantee.params, units);
  TW_ASSIGN_OR_RETURN(
      const double epsilon,
      GroupEpsilonUpperBound(guarantee.profile,
                             {.units = units,
                              .delta = guarantee.params.delta,
                              .largest_epsilon = kWidest * guarantee.params.epsilon}));
  return PrivacyParams{.epsilon = epsilon, .delta = guarantee.params.delta};
}

struct Explanation {
  Row summary;
  std::vector<Row> groups;
  std::vector<Row> trade_off;
};

absl::Status AddGroups(const Guarantee& guarantee, Explanation& explanation) {
  for (const int units : {2, 5, 10}) {
    TW_ASSIGN_OR_RETURN(const PrivacyParams group, Group(guarantee, units));
    explanation.groups.push_back(
        {Count("units", units), AtMost("epsilon", group.epsilon), AtMost("delta", group.delta)});
  }
  return absl::OkStatus();
}

absl::StatusOr<Explanation> Explained(const Guarantee& guarantee) {
  const double largest = guarantee.params.epsilon;
  TW_ASSIGN_OR_RETURN(const AttackBounds bounds, BoundAttacks(guarantee.profile, largest));
  // Replacing a unit is taking one out and putting one in: a group of two.
  TW_ASSIGN_OR_RETURN(const PrivacyParams replaced, Group(guarantee, 2));
  Explanation explanation;
  explanation.summary = guarantee.about;
  const Row figures = {
      AtMost("delta", guarantee.params.delta),
      AtMost("epsilon_upper", guarantee.params.epsilon),
      AtMost("best_posterior_at_even_odds", bounds.guess_at_even_odds),
      AtMost("true_positive_rate_at_fpr_0_1_percent", bounds.true_positives_at_fpr_0_1_percent),
      AtMost("true_positive_rate_at_fpr_1_percent", bounds.true_positives_at_fpr_1_percent),
      AtMost("true_positive_rate_at_fpr_10_percent", bounds.true_positives_at_fpr_10_percent),
      AtMost("replace_one_epsilon", replaced.epsilon),
      AtMost("replace_one_delta", replaced.delta)};
  explanation.summary.insert(explanation.summary.end(), figures.begin(), figures.end());
  TW_RETURN_IF_ERROR(AddGroups(guarantee, explanation));
  TW_ASSIGN_OR_RETURN(
      const std::vector<TradeOffPoint> curve,
      TradeOffCurve(guarantee.profile, largest,
                    {0, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9}));
  for (const TradeOffPoint& point : curve) {
    explanation.trade_off.push_back({Number("false_positive_rate", point.false_positive_rate),
                                     AtMost("true_positive_rate", point.true_positive_rate)});
  }
  return explanation;
}

std::string PlainText(const Explanation& explanation) {
  return absl::StrCat(ListText(explanation.summary),
                      "\nA group whose members are all in or all out of the corpus\n",
                      TableText(explanation.groups),
                      "\nThe best any test can do that tells one unit in from out, upper bounds\n",
                      TableText(explanation.trade_off));
}

absl::StatusOr<std::string> Explain(const ExplainFlags& flags, bool json) {
  TW_ASSIGN_OR_RETURN(const Guarantee guarantee, GuaranteeOf(flags));
  TW_ASSIGN_OR_RETURN(Explanation explanation, Explained(guarantee));
  if (!json) return PlainText(explanation);
  explanation.summary.push_back(Nested("groups", JsonArray(explanation.groups)));
  explanation.summary.push_back(Nested("trade_off", JsonArray(explanation.trade_off)));
  return JsonText(explanation.summary) + "\n";
}

}  // namespace

void AddExplain(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<ExplainFlags>();
  base::Command command = AddCommand(
      app, invocation,
      {.name = "explain",
       .description = "what a schedule, or (ε, δ) alone, lets an attacker learn about one unit",
       .example = "topicwall-accountant explain --noise-multiplier 1.24 --sampling-rate 0.05 "
                  "--steps 20 --delta 1e-4\n"
                  "  topicwall-accountant explain --epsilon 1 --delta 1e-6"});
  AddPlanFlags(command, flags->plan);
  const base::Option epsilon =
      command.Add("--epsilon", flags->epsilon, "ε of a guarantee, instead of a schedule");
  command.Add("--delta", flags->delta, "probability δ in (0, 1)");
  AddAccountantFlags(command, flags->accountant, All::kNotOffered);
  for (const char* flag : {"--noise-multiplier", "--histogram-noise-multiplier", "--sampling-rate",
                           "--steps", "--accountant"}) {
    epsilon.Excludes(command.Find(flag));
  }
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation] { return Explain(*flags, invocation.json); };
  });
}

}  // namespace topicwall::accountant
