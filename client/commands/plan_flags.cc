#include "client/commands/plan_flags.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/commands/command.h"
#include "client/terminal.h"

namespace topicwall::client {
namespace {

// The budget's promise for more than one unit added or removed.
void AddOtherUnits(const v1::PlanPrice& price, Table& table) {
  if (price.replace_one_epsilon() == 0) return;  // a wall that does not say
  table.AddRow(
      {"replacing", absl::StrFormat("one unit by another: epsilon %.4f at delta %.3g",
                                    price.replace_one_epsilon(), price.replace_one_delta())});
  for (const v1::GroupGuarantee& group : price.groups()) {
    const std::string of = absl::StrCat(group.units(), " units together: ");
    table.AddRow({"", group.delta() < 1 ? absl::StrFormat("%sepsilon %.4f at delta %.3g", of,
                                                          group.epsilon(), group.delta())
                                        : absl::StrCat(of, "no promise (delta would be 1)")});
  }
}

}  // namespace

void AddPlanFlags(CLI::App& command, PlanFlags& flags) {
  PlanRequest& request = flags.request;
  command.add_option("corpus", request.corpus, "Name of the corpus")->required();
  command.add_option("--topics", request.num_topics, "Number of topics, K")
      ->required()
      ->check(Positive());
  CLI::Option_group* noise = command.add_option_group("noise", "How much to spend");
  noise
      ->add_option("--epsilon", request.epsilon,
                   "Price of the whole plan; the least noise for it is found")
      ->check(Positive());
  noise
      ->add_option("--noise-multiplier", request.noise_multiplier,
                   "Noise standard deviation over clip norm")
      ->check(Positive());
  noise->require_option(1);
  command
      .add_option("--sampling-rate", request.sampling_rate,
                  "Share of the privacy units that take part in an iteration, in (0, 1]")
      ->capture_default_str();
  command.add_option("--iterations", request.iterations, "Iterations, J")
      ->check(Positive())
      ->capture_default_str();
  command.add_option("--clip-norm", flags.clip_norm, "Largest statistic of one unit, in words")
      ->check(Positive())
      ->capture_default_str();
  command
      .add_option("--max-words", request.max_words,
                  "Words of a document that count (otherwise the wall's limit)")
      ->check(Positive());
}

std::string OfferText(const PlanOffer& offer, double clip_norm) {
  const v1::PlanSpec& plan = offer.plan;
  const v1::PlanPrice& price = offer.price;
  const v1::AttackBounds& attack = price.attack_bounds();
  Table table;
  table.AddRow(
      {"plan", absl::StrCat(plan.lda().num_topics(), " topics of ", plan.corpus(), ", ",
                            plan.iterations(), " iterations, sampling rate ", plan.sampling_rate(),
                            ", noise multiplier ", plan.noise_multiplier())});
  table.AddRow({"price", absl::StrFormat("epsilon %.4f at delta %g, for the plan alone",
                                         price.epsilon_alone(), price.delta())});
  table.AddRow({"budget", absl::StrFormat("%.4f of %.4f spent now, %.4f with the plan",
                                          offer.budget.epsilon_spent(), price.epsilon_total(),
                                          price.epsilon_with_plan())});
  table.AddRow({"fits", price.fits() ? absl::StrCat("yes; ", price.most_iterations(),
                                                    " iterations of this kind would")
                                     : absl::StrCat("no; at most ", price.most_iterations(),
                                                    " iterations of this kind would")});
  table.AddRow(
      {"noise", absl::StrFormat("standard deviation %.4g words in every entry, at clip norm %g",
                                price.noise_standard_deviation() * clip_norm, clip_norm)});
  for (const v1::AccountantEpsilon& other : price.information()) {
    table.AddRow({absl::StrCat("by ", other.accountant()),
                  absl::StrFormat("epsilon %.4f, for information", other.epsilon_upper())});
  }
  table.AddRow(
      {"attacker",
       absl::StrFormat("once all is spent: at most %.1f %% sure from even odds that a unit is in, "
                       "finds at most %.1f %% of units at 1 %% false alarms",
                       100 * attack.best_posterior_at_even_odds(),
                       100 * attack.true_positive_rate_at_fpr_1_percent())});
  AddOtherUnits(price, table);
  return table.Text();
}

}  // namespace topicwall::client
