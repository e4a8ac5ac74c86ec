// A quote is what somebody reads before they pay. What is promised of the whole budget, and what
// this fit alone costs, are different things, and every line says of which it speaks. ε by other
// accountants is for information and stands below the price: it decides nothing.
#include "client/commands/quote_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/audit/enforced_price.h"
#include "client/commands/spending.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/fit_planner.h"
#include "client/wall/topics_asked.h"

namespace topicwall::client {
namespace {

// Of the whole budget: what an attacker gains depends on all that is ever released, and not on one
// fit.
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
    // With δ = 1 a pair holds of anything at all; its ε, if it were printed, would look like a
    // promise.
    table.AddRow({"", group.delta() < 1 ? absl::StrFormat("%sepsilon %.4f at delta %.3g", of,
                                                          group.epsilon(), group.delta())
                                        : absl::StrCat(of, "no promise (delta would be 1)")});
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
  table.AddRow({"", absl::StrFormat("%.4f in a budget opened with --planned %s; this one is "
                                    "planned for %s releases, for ever",
                                    **lower, NameOf(Other(use)), NameOf(use))});
}

// What all budgets that may concern the same people promise together.
void AddSum(const v1::PlanPrice& price, const v1::BudgetSum& sum, base::Table& table) {
  // Below all that is said of the one budget: for whoever is in several corpora this replaces it.
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

// Of the word that decides.
std::string ExpectationLine(const lda::ExpectedSignal& expected) {
  return absl::StrFormat("a word of rank %d has about %.2g deviations of the noise in its topics",
                         expected.judged.rank, expected.judged.signal_to_noise);
}

}  // namespace

std::string AssumptionOf(const FitQuote& quote) {
  const bool of_owners = quote.description.privacy_unit() == v1::PRIVACY_UNIT_OWNER;
  const Planning& planning = quote.spec.planning;
  // Whose number it is decides how much a reader makes of what follows.
  const bool is_guess = planning.num_documents.has_value();
  return absl::StrCat("for ", planning.num_documents.value_or(quote.description.nominal_size()),
                      of_owners ? " owners (" : " documents (",
                      is_guess ? "your assumption" : "nominal, says the custodian", ") of ",
                      planning.words_per_unit, " known words each",
                      of_owners ? ", in all documents of one together" : "",
                      " (assumed: --words-per-unit)");
}

std::string ExpectationTable(const lda::ExpectedSignal& expected) {
  base::Table table;
  table.AddRow({"word rank", "words in its topics", "noise", "signal to noise"});
  for (const lda::ExpectedTerm& term : expected.terms) {
    table.AddRow({absl::StrCat(term.rank), absl::StrFormat("%.4g", term.signal),
                  absl::StrFormat("%.4g", term.noise),
                  absl::StrFormat("%.2g", term.signal_to_noise)});
  }
  return table.Text(2);
}

std::string ExpectationJson(const std::optional<lda::ExpectedSignal>& expected) {
  if (!expected.has_value()) return "null";
  std::vector<std::string> terms;
  for (const lda::ExpectedTerm& term : expected->terms) {
    terms.push_back(base::JsonObject()
                        .SetInteger("rank", term.rank)
                        .SetNumber("signal", term.signal)
                        .SetNumber("noise", term.noise)
                        .SetNumber("signal_to_noise", term.signal_to_noise)
                        .Text());
  }
  return base::JsonObject()
      .SetBool("stops_before_topics", expected->CountsAreNoise())
      .SetBool("may_be_below_word_frequencies", expected->MayBeBelowWordFrequencies())
      .SetInteger("judged_rank", expected->judged.rank)
      .SetNumber("signal_to_noise", expected->judged.signal_to_noise)
      .SetNumber("least_signal_to_noise", lda::kLeastSignal)
      .SetNumber("counts_signal", expected->counts_signal)
      .SetNumber("clip_norm", expected->clip_norm)
      .SetNumber("noise", expected->noise)
      .SetRaw("terms", base::JsonArray(terms))
      .Text();
}

std::string WarningOf(const FitQuote& quote) {
  if (!quote.expected.has_value()) return "";
  const std::string warning = WarningOf(*quote.expected, quote.price.epsilon_alone());
  return warning.empty() ? "" : absl::StrCat(warning, " This is ", AssumptionOf(quote), ".");
}

std::string QuoteText(const FitQuote& quote, bool explain) {
  const v1::ReleaseSpec& plan = quote.topics();
  const v1::PlanPrice& price = quote.price;
  const double clip_norm = *quote.spec.clip_norm;
  base::Table table;
  table.AddRow(
      {"plan", absl::StrCat(NumTopics(plan), " topics of ", plan.corpus(), ", ", plan.iterations(),
                            " iterations, sampling rate ", plan.sampling_rate(),
                            ", noise multiplier ", plan.gaussian().noise_multiplier())});
  if (quote.stages.size() > 1) {
    table.AddRow({"", "and before them one of word frequencies"});
  }
  AddTakingRows(quote.taking, quote.less, price, table);
  AddPlannedOtherwise(quote, table);
  table.AddRow({"fits", price.fits() ? absl::StrCat("yes; ", price.most_iterations(),
                                                    " releases of this kind would")
                                     : absl::StrCat("no; at most ", price.most_iterations(),
                                                    " releases of this kind would")});
  table.AddRow(
      {"noise", absl::StrFormat("standard deviation %.4g words in every entry, at clip norm %g",
                                plan.gaussian().noise_multiplier() * clip_norm, clip_norm)});
  if (quote.expected.has_value()) {
    table.AddRow({"expected", ExpectationLine(*quote.expected)});
    table.AddRow({"", AssumptionOf(quote)});
  }
  if (explain) {
    for (const v1::AccountantEpsilon& other : price.information()) {
      table.AddRow({absl::StrCat("by ", other.accountant()),
                    absl::StrFormat("epsilon %.4f, for information", other.epsilon_upper())});
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
