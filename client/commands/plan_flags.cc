#include "client/commands/plan_flags.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/commands/command.h"
#include "client/commands/expectation_text.h"
#include "client/exit_code.h"
#include "client/fit/fit_planner.h"

namespace topicwall::client {
namespace {

std::string AttackText(const v1::AttackBounds& attack) {
  return absl::StrFormat(
      "at most %.1f %% sure from even odds that a unit is in, finds at most %.1f %% of units at 1 "
      "%% "
      "false alarms",
      100 * attack.best_posterior_at_even_odds(),
      100 * attack.true_positive_rate_at_fpr_1_percent());
}

// A promise for more than one unit added or removed: of the budget, or of all together.
struct OtherUnits {
  double replace_one_epsilon;
  double replace_one_delta;
  const google::protobuf::RepeatedPtrField<v1::GroupGuarantee>& groups;
};

void AddOtherUnits(absl::string_view name, const OtherUnits& units, base::Table& table) {
  if (units.replace_one_epsilon == 0) return;  // a wall that does not say
  table.AddRow(
      {std::string(name), absl::StrFormat("one unit by another: epsilon %.4f at delta %.3g",
                                          units.replace_one_epsilon, units.replace_one_delta)});
  for (const v1::GroupGuarantee& group : units.groups) {
    const std::string of = absl::StrCat(group.units(), " units together: ");
    table.AddRow({"", group.delta() < 1 ? absl::StrFormat("%sepsilon %.4f at delta %.3g", of,
                                                          group.epsilon(), group.delta())
                                        : absl::StrCat(of, "no promise (delta would be 1)")});
  }
}

// What another choice of the custodian's at opening would have made of it, if it was better.
void AddPlannedOtherwise(const PlanOffer& offer, base::Table& table) {
  const absl::StatusOr<accountant::AdmissionPolicy> policy = PolicyOf(offer.budget);
  if (!policy.ok() || policy->filter() == nullptr) return;
  v1::PlanSpec all = offer.plans.unigram.value_or(offer.plans.topics);
  all.set_iterations(offer.plans.topics.iterations() +
                     (offer.plans.unigram.has_value() ? all.iterations() : 0));
  const absl::StatusOr<std::optional<double>> lower = LowerPriceIfPlannedOtherwise(*policy, all);
  if (!lower.ok() || !lower->has_value()) return;
  const accountant::PlannedUse use = PlannedUseOf(policy->filter()->spec());
  table.AddRow({"", absl::StrFormat("%.4f in a budget opened with --planned %s; this one is "
                                    "planned for %s releases, for ever",
                                    **lower, NameOf(Other(use)), NameOf(use))});
}

// What all budgets that may concern the same people promise together.
void AddSum(const v1::PlanPrice& price, const v1::BudgetSum& sum, base::Table& table) {
  if (!IsShared(sum)) return;
  AddSumRow(sum, table);
  if (price.has_sum_attack_bounds()) {
    table.AddRow({"", absl::StrCat("once all of that is spent, an attacker is ",
                                   AttackText(price.sum_attack_bounds()))});
  }
  AddOtherUnits("",
                {.replace_one_epsilon = price.sum_replace_one_epsilon(),
                 .replace_one_delta = price.sum_replace_one_delta(),
                 .groups = price.sum_groups()},
                table);
}

struct AlgorithmDefaults {
  int iterations;
  double sampling_rate;
  double clip_norm;
};

AlgorithmDefaults DefaultsOf(absl::string_view algorithm) {
  if (algorithm == kPaper) return {.iterations = 20, .sampling_rate = 0.05, .clip_norm = 50};
  if (algorithm == kSignedAverage) return {.iterations = 10, .sampling_rate = 1, .clip_norm = 4};
  return {.iterations = kMostUsefulIterations, .sampling_rate = 1, .clip_norm = 0.7};
}

}  // namespace

void AddPlanFlags(base::Command command, PlanFlags& flags) {
  command.Add("corpus", flags.corpus, "Name of the corpus").Required();
  AddTopicsFlag(command, flags.num_topics);
  base::Command noise = command.AddGroup("noise", "How much to spend");
  noise.Add("--epsilon", flags.epsilon, "Price of the whole fit; the least noise for it is found")
      .Positive();
  noise
      .Add("--noise-multiplier", flags.noise_multiplier,
           "Noise standard deviation over clip norm, of each release")
      .Positive();
  noise.RequireOption();
  command
      .Add("--algorithm", flags.algorithm,
           "How releases become topics: denoised (a private unigram first), "
           "signed-average, or paper (its Algorithm 1)")
      .OneOf({kDenoised, kSignedAverage, kPaper})
      .ShowDefault();
  command.Add("--sampling-rate", flags.sampling_rate,
              "Share of the privacy units that take part in an iteration, in (0, 1]; 1, for "
              "paper 0.05");
  command
      .Add("--iterations", flags.iterations,
           "Iterations, J; 40, for signed-average 10, for paper 20")
      .Positive();
  command
      .Add("--clip-norm", flags.clip_norm,
           "Largest statistic of one unit, in words; for signed-average 4, for paper 50. "
           "denoised begins with 0.7 and goes on with what the noisy norm histogram says")
      .Positive();
  command
      .Add("--held-out-share", flags.held_out_share,
           "Share of the privacy units to leave out, in [0, 1), so that `perplexity "
           "--behind-the-wall` can judge the model by them")
      .ShowDefault();
  command
      .Add("--max-words", flags.max_words,
           "Words of a document that count (otherwise the wall's limit)")
      .Positive();
  AddGuessFlags(command, flags.guess);
}

void AddTopicsFlag(base::Command command, std::optional<int>& num_topics) {
  command
      .AddParsed(
          "--topics",
          [&num_topics](const std::string& text) -> absl::Status {
            num_topics.reset();
            int number = 0;
            if (text == "auto") return absl::OkStatus();
            if (!absl::SimpleAtoi(text, &number) || number < 1) {
              return absl::InvalidArgumentError("must be a number above 0, or auto");
            }
            num_topics = number;
            return absl::OkStatus();
          },
          "Number of topics, K; \"auto\" where a plan is proposed")
      .Called("INT|auto");
}

void AddGuessFlags(base::Command command, CorpusGuess& guess) {
  command
      .Add("--nominal-size", guess.num_documents,
           "How many documents you take the corpus to have, for what is expected of a fit "
           "(otherwise what the custodian states)")
      .Positive();
  command
      .Add("--words-per-unit,--words-per-document", guess.words_per_document,
           "How many known words you take a privacy unit to have, for the same: a document, "
           "or all documents of an owner together")
      .Positive()
      .ShowDefault();
}

absl::Status CheckTopicsGiven(const PlanFlags& flags) {
  if (flags.num_topics.has_value()) return absl::OkStatus();
  return UsageError("--topics is required, as a number: `topicwall plan` proposes one.");
}

PlanRequest RequestOf(const PlanFlags& flags) {
  const AlgorithmDefaults defaults = DefaultsOf(flags.algorithm);
  return {.corpus = flags.corpus,
          .algorithm = flags.algorithm,
          .num_topics = flags.num_topics.value_or(0),
          .iterations = flags.iterations.value_or(defaults.iterations),
          .sampling_rate = flags.sampling_rate.value_or(defaults.sampling_rate),
          .epsilon = flags.epsilon,
          .noise_multiplier = flags.noise_multiplier,
          .max_words = flags.max_words,
          .held_out_share = flags.held_out_share,
          .guess = flags.guess};
}

double ClipNormOf(const PlanFlags& flags) {
  return flags.clip_norm.value_or(DefaultsOf(flags.algorithm).clip_norm);
}

std::string OfferText(const PlanOffer& offer, double clip_norm) {
  const v1::PlanSpec& plan = offer.plans.topics;
  const v1::PlanPrice& price = offer.price;
  base::Table table;
  table.AddRow(
      {"plan", absl::StrCat(plan.lda().num_topics(), " topics of ", plan.corpus(), ", ",
                            plan.iterations(), " iterations, sampling rate ", plan.sampling_rate(),
                            ", noise multiplier ", plan.noise_multiplier())});
  if (offer.plans.unigram.has_value()) {
    table.AddRow({"", "and before them one of word frequencies"});
  }
  table.AddRow({"price", absl::StrFormat("epsilon %.4f at delta %g, for the fit alone",
                                         price.epsilon_alone(), price.delta())});
  AddPlannedOtherwise(offer, table);
  table.AddRow({"budget", absl::StrFormat("%.4f of %.4f spent now, %.4f with the fit",
                                          offer.budget.epsilon_spent(), price.epsilon_total(),
                                          price.epsilon_with_plan())});
  table.AddRow({"fits", price.fits() ? absl::StrCat("yes; ", price.most_iterations(),
                                                    " releases of this kind would")
                                     : absl::StrCat("no; at most ", price.most_iterations(),
                                                    " releases of this kind would")});
  table.AddRow(
      {"noise", absl::StrFormat("standard deviation %.4g words in every entry, at clip norm %g",
                                plan.noise_multiplier() * clip_norm, clip_norm)});
  if (offer.expected.has_value()) {
    table.AddRow({"expected", ExpectationLine(*offer.expected)});
    table.AddRow({"", AssumptionOf(offer)});
  }
  for (const v1::AccountantEpsilon& other : price.information()) {
    table.AddRow({absl::StrCat("by ", other.accountant()),
                  absl::StrFormat("epsilon %.4f, for information", other.epsilon_upper())});
  }
  table.AddRow(
      {"attacker", absl::StrCat("once all is spent: ", AttackText(price.attack_bounds()))});
  AddOtherUnits("replacing",
                {.replace_one_epsilon = price.replace_one_epsilon(),
                 .replace_one_delta = price.replace_one_delta(),
                 .groups = price.groups()},
                table);
  AddSum(price, offer.description.sum(), table);
  return table.Text();
}

}  // namespace topicwall::client
