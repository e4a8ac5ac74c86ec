// A quote is what somebody reads before they pay. What is promised of the whole budget, and what
// this fit alone costs, are different things, and every line says of which it speaks. ε by other
// accountants is for information and stands below the price: it decides nothing.
#include "client/commands/quote_text.h"

#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "accountant/ledger/price_record.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/audit/enforced_price.h"
#include "client/commands/spending.h"
#include "client/fit/algorithms/gaussian_plan.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/fit_planner.h"
#include "client/report/text/numbers.h"
#include "client/wall/topics_asked.h"
#include "model/gaussian/expected_components.h"
#include "model/lda/denoise/noise_model.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

// Of the whole budget: what an attacker gains depends on all that is ever released, and not on one
// fit.
std::string AttackText(const v1::AttackBounds& attack) {
  // A chance of guessing right, and no bound on how sure one output can make (AttackBounds).
  return absl::StrCat(
      "guesses right of a unit at even odds at most ",
      PercentAtMost(attack.best_posterior_at_even_odds()), " of the time, finds at most ",
      PercentAtMost(attack.true_positive_rate_at_fpr_1_percent()), " of units at 1 % false alarms");
}

// A promise for more than one unit added or removed: of the budget, or of all together.
struct OtherUnits {
  double replace_one_epsilon;
  double replace_one_delta;
  const google::protobuf::RepeatedPtrField<v1::GroupGuarantee>& groups;
};

// Of a mixture whose texts nobody said the length of, and which it is for if they are short; else
// "".
std::string IfShortText(const FitQuote& quote) {
  if (quote.spec.algorithm != kMixture || quote.spec.planning.words_per_unit.has_value() ||
      !quote.expected.has_value()) {
    return "";
  }
  const double assumed = WordsOf(quote.spec, quote.description);
  if (assumed <= kWordsPerShortText) return "";
  FitSpec of_short = quote.spec;
  of_short.planning.words_per_unit = kWordsPerShortText;
  const absl::StatusOr<std::optional<lda::ExpectedSignal>> expected =
      ExpectationOf(of_short, quote.description);
  if (!expected.ok() || !expected->has_value()) return "";
  return absl::StrFormat(
      "warning: nobody said how many known words a text has, and %g are assumed, where titles have "
      "some %g: of so few a word of rank %d has %s deviations of the noise instead of %s%s. Say "
      "it by --words-per-unit; `topicwall lengths %s` measures it.",
      assumed, kWordsPerShortText, (*expected)->judged.rank,
      proto::TwoDigitsDown((*expected)->judged.signal_to_noise),
      proto::TwoDigitsDown(quote.expected->judged.signal_to_noise),
      (*expected)->CountsAreNoise() ? ", and the fit would stop before its topics, with nothing"
                                    : "",
      quote.spec.corpus);
}

void AddOtherUnits(absl::string_view name, const OtherUnits& units, base::Table& table) {
  if (units.replace_one_epsilon == 0) return;  // a wall that does not say
  table.AddRow({std::string(name),
                absl::StrCat("one unit by another: ",
                             accountant::ledger::PromiseText({.epsilon = units.replace_one_epsilon,
                                                              .delta = units.replace_one_delta}))});
  for (const v1::GroupGuarantee& group : units.groups) {
    table.AddRow({"", absl::StrCat(group.units(), " units together: ",
                                   accountant::ledger::PromiseText(
                                       {.epsilon = group.epsilon(), .delta = group.delta()}))});
  }
}

// What another choice of the custodian's at opening would have made of it, if it was better.
void AddPlannedOtherwise(const FitQuote& quote, base::Table& table) {
  // A remark and no more: what fails here must not keep the quote from being shown.
  const absl::StatusOr<accountant::AdmissionPolicy> policy = PolicyOf(quote.budget);
  if (!policy.ok() || policy->filter() == nullptr) return;
  const absl::StatusOr<std::optional<double>> lower =
      LowerPriceIfPlannedOtherwise(*policy, PricedAs(quote.stages));
  if (!lower.ok() || !lower->has_value()) return;
  const accountant::PlannedUse use = PlannedUseOf(policy->filter()->spec());
  table.AddRow({"", absl::StrFormat("%s in a budget opened with --planned %s; this one is "
                                    "planned for %s releases, for ever",
                                    proto::EpsilonText(**lower), NameOf(Other(use)), NameOf(use))});
}

// What all budgets that may concern the same people promise together.
void AddSum(const v1::PlanPrice& price, const v1::BudgetSum& sum, base::Table& table) {
  // Below all that is said of the one budget: for whoever is in several corpora this replaces it.
  if (!IsShared(sum)) return;
  AddSumRow(sum, table);
  if (price.has_sum_attack_bounds()) {
    table.AddRow({"", absl::StrCat("once all of that is spent, an attacker ",
                                   AttackText(price.sum_attack_bounds()))});
  }
  AddOtherUnits("",
                {.replace_one_epsilon = price.sum_replace_one_epsilon(),
                 .replace_one_delta = price.sum_replace_one_delta(),
                 .groups = price.sum_groups()},
                table);
}

// Of the word, or the component, that decides; "" if nothing is expected.
std::string ExpectationLine(const FitQuote& quote) {
  if (quote.expected.has_value()) {
    return absl::StrFormat("a word of rank %d has about %s deviations of the noise in its topics",
                           quote.expected->judged.rank,
                           proto::TwoDigitsDown(quote.expected->judged.signal_to_noise));
  }
  if (quote.expected_paper.has_value()) {
    return absl::StrFormat("noise leaves about %s words in the topics, all documents %s",
                           TwoDigits(quote.expected_paper->of_noise),
                           TwoDigits(quote.expected_paper->of_documents));
  }
  if (!quote.expected_components.has_value()) return "";
  const gaussian::ExpectedComponent& average = quote.expected_components->sizes.front();
  return absl::StrFormat(
      "the mean of an average component, of %.0f vectors, is off by %s of the norm bound in each "
      "dimension, 1/%s of what a vector's numbers are from 0",
      average.vectors, proto::TwoDigitsUp(average.mean_error),
      proto::TwoDigitsDown(average.signal));
}

// What stands before the last stage.
std::string StagesBefore(const FitQuote& quote) {
  if (quote.spec.algorithm != kGaussian) return "and before them one of word frequencies";
  std::vector<std::string> before;
  for (size_t i = 0; i + 1 < quote.stages.size(); ++i) {
    const v1::ReleaseSpec& plan = quote.stages[i].plan().plan();
    const int components = NumTopics(plan);
    before.push_back(absl::StrCat(plan.iterations(), " of ", components,
                                  components == 1 ? " component" : " components"));
  }
  return absl::StrCat("and before them ", absl::StrJoin(before, " and "));
}

// An α belongs to its topic by number, and others are drawn in addition (initial_model.h).
std::string LostPriorText(const FitSpec& spec) {
  if (spec.initial_model == nullptr || spec.initial_model->document_topic_prior_size() < 2 ||
      spec.initial_model->num_topics() == *spec.num_topics) {
    return "";
  }
  return absl::StrCat("the initial model's alpha is of ", spec.initial_model->num_topics(),
                      " topics and is left: the fit has ", *spec.num_topics);
}

// Of the entries of a release of the last stage.
std::string NoiseLine(const FitQuote& quote) {
  const double clip_norm = *quote.spec.clip_norm;
  const double deviation = quote.topics().gaussian().noise_multiplier() * clip_norm;
  if (quote.spec.algorithm == kGaussian) {
    return absl::StrFormat(
        "standard deviation %.4g vectors of the norm bound in every sum of theirs, "
        "at clip norm %g",
        deviation, clip_norm);
  }
  return absl::StrFormat("standard deviation %.4g words in every entry, at clip norm %g", deviation,
                         clip_norm);
}

std::string WordTable(const lda::ExpectedSignal& expected) {
  base::Table table;
  table.AddRow({"word rank", "words in its topics", "noise", "signal to noise"});
  for (const lda::ExpectedTerm& term : expected.terms) {
    table.AddRow({absl::StrCat(term.rank), absl::StrFormat("%.4g", term.signal),
                  absl::StrFormat("%.4g", term.noise), proto::TwoDigitsDown(term.signal_to_noise)});
  }
  return table.Text(2);
}

std::string ComponentTable(const gaussian::ExpectedComponents& expected) {
  base::Table table;
  table.AddRow(
      {"vectors of a component", "its share is off by", "its mean is off by", "signal to noise"});
  for (const gaussian::ExpectedComponent& size : expected.sizes) {
    table.AddRow({absl::StrFormat("%.0f", size.vectors), proto::TwoDigitsUp(size.weight_error),
                  proto::TwoDigitsUp(size.mean_error), proto::TwoDigitsDown(size.signal)});
  }
  return table.Text(2);
}

}  // namespace

std::string AssumptionOf(const FitQuote& quote) {
  const bool of_owners = quote.description.privacy_unit() == v1::PRIVACY_UNIT_OWNER;
  const Planning& planning = quote.spec.planning;
  // Whose number it is decides how much a reader makes of what follows.
  const bool is_guess = planning.num_documents.has_value();
  if (quote.spec.algorithm == kGaussian) {
    return absl::StrCat("for ", planning.num_documents.value_or(quote.description.nominal_size()),
                        of_owners ? " owners of a vector (" : " vectors (",
                        is_guess ? "your assumption)" : "nominal, says the custodian)");
  }
  const double words = WordsOf(quote.spec, quote.description);
  return absl::StrCat(
      "for ", planning.num_documents.value_or(quote.description.nominal_size()),
      of_owners ? " owners (" : " documents (",
      is_guess ? "your assumption" : "nominal, says the custodian", ") of ", words,
      " known words each", words < planning.WordsPerUnit() ? ", as no more count" : "",
      of_owners ? ", what three of four have at least, in all documents" : "",
      planning.words_folder.empty() ? " (assumed: --words-per-unit)"
                                    : absl::StrCat(" (measured: ", planning.words_folder, ")"));
}

std::string WordsFrom(const Planning& planning) {
  if (!planning.words_folder.empty()) return "measured";
  return planning.words_per_unit.has_value() ? "assumed" : "default";
}

std::string ExpectationTable(const FitQuote& quote) {
  if (quote.expected.has_value()) return WordTable(*quote.expected);
  if (quote.expected_components.has_value()) return ComponentTable(*quote.expected_components);
  return "";
}

std::string WarningOf(const FitQuote& quote) {
  std::string warning;
  const double epsilon = quote.price.epsilon_alone();
  if (quote.expected.has_value()) warning = WarningOf(*quote.expected, epsilon);
  // The first release's noise stays in what topics are made of. The usual C is 1.08 of the least.
  if (!warning.empty() && quote.expected.has_value() &&
      *quote.spec.clip_norm > 1.1 * quote.expected->clip_norm) {
    const bool stays = quote.expected->ClipNormStays();
    absl::StrAppend(&warning, " --clip-norm ", *quote.spec.clip_norm, " makes it worse: it ",
                    stays ? "would settle" : "settles", " at about ",
                    TwoDigits(quote.expected->clip_norm),
                    stays ? ", but the norms are expected to drown in noise." : ".");
  }
  if (quote.expected_paper.has_value()) warning = WarningOf(*quote.expected_paper, epsilon);
  if (quote.expected_components.has_value()) {
    warning = WarningOf(*quote.expected_components, epsilon);
  }
  if (!warning.empty()) absl::StrAppend(&warning, " This is ", AssumptionOf(quote), ".");
  const std::string if_short = IfShortText(quote);
  return absl::StrCat(warning, warning.empty() || if_short.empty() ? "" : "\n", if_short);
}

std::string QuoteText(const FitQuote& quote, bool explain) {
  const v1::ReleaseSpec& plan = quote.topics();
  const v1::PlanPrice& price = quote.price;
  base::Table table;
  table.AddRow(
      {"plan", absl::StrCat(NumTopics(plan),
                            quote.spec.algorithm == kGaussian ? " components of " : " topics of ",
                            plan.corpus(), ", ", plan.iterations(), " iterations, sampling rate ",
                            plan.sampling_rate(), ", noise multiplier ",
                            plan.gaussian().noise_multiplier())});
  if (quote.stages.size() > 1) {
    table.AddRow({"", StagesBefore(quote)});
  }
  const std::string lost = LostPriorText(quote.spec);
  if (!lost.empty()) table.AddRow({"", lost});
  AddTakingRows(quote, table);
  AddPlannedOtherwise(quote, table);
  table.AddRow({"fits", price.fits() ? absl::StrCat("yes; ", price.most_iterations(),
                                                    " releases of this kind would")
                                     : absl::StrCat("no; at most ", price.most_iterations(),
                                                    " releases of this kind would")});
  table.AddRow({"noise", NoiseLine(quote)});
  const std::string expected = ExpectationLine(quote);
  if (!expected.empty()) {
    table.AddRow({"expected", expected});
    table.AddRow({"", AssumptionOf(quote)});
  }
  if (explain) {
    for (const v1::AccountantEpsilon& other : price.information()) {
      table.AddRow({absl::StrCat("by ", other.accountant()),
                    absl::StrCat("epsilon ", proto::EpsilonText(other.epsilon_upper()),
                                 ", for information")});
    }
  }
  table.AddRow(
      {"attacker", absl::StrCat("once all is spent: ", AttackText(price.attack_bounds()))});
  AddOtherUnits("replacing",
                {.replace_one_epsilon = price.replace_one_epsilon(),
                 .replace_one_delta = price.replace_one_delta(),
                 .groups = price.groups()},
                table);
  AddSum(price, quote.description.sum(), table);
  return table.Text();
}

}  // namespace topicwall::client
