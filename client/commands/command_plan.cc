#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/commands/expectation_text.h"
#include "client/commands/plan_flags.h"
#include "client/commands/wish_flags.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/fit_planner.h"
#include "client/json.h"
#include "model/lda/denoise/denoised_trainer.h"

namespace topicwall::client {
namespace {

struct Flags {
  PlanFlags plan;
  WishFlags wishes;
  std::optional<double> delta;
};

// Parts of the price in μ² = Σ 1/σ²: of J + 1 releases the first and the flat ones count words, and
// all but the first also release a norm histogram.
struct Shares {
  double counts;
  double histograms;
  double topics;
};

Shares SharesOf(int iterations) {
  const auto releases = static_cast<double>(DenoisedReleases(iterations));
  const auto flat = static_cast<double>(lda::FlatIterations(iterations));
  const double histograms = kHistogramShare * iterations / releases;
  const double counts = (1 + (1 - kHistogramShare) * flat) / releases;
  return {.counts = counts, .histograms = histograms, .topics = 1 - counts - histograms};
}

double Hours(const ProposedFit& fit) {
  return fit.seconds_per_release * static_cast<double>(DenoisedReleases(fit.iterations)) / 3600;
}

std::string TextOf(const Flags& flags, const ProposedFit& fit, const PlanOffer& offer) {
  const Shares shares = SharesOf(fit.iterations);
  const v1::PlanSpec& plan = offer.plans.topics;
  base::Table table;
  table.AddRow({"shares", absl::StrFormat("of the price: %.1f %% word counts, %.1f %% norm "
                                          "histograms, %.1f %% topics",
                                          100 * shares.counts, 100 * shares.histograms,
                                          100 * shares.topics)});
  table.AddRow({"clip norm", absl::StrFormat("%g words at first, then as the histograms say; about "
                                             "%.2g expected",
                                             ClipNormOf(flags.plan), fit.expected.clip_norm)});
  table.AddRow({"words", absl::StrCat(plan.max_words(), " of a document, at most")});
  table.AddRow({"time", fit.seconds_per_release > 0
                            ? absl::StrFormat("%d releases of at least %g s: %.2g hours",
                                              DenoisedReleases(fit.iterations),
                                              fit.seconds_per_release, Hours(fit))
                            : absl::StrCat(DenoisedReleases(fit.iterations),
                                           " releases; nobody says how long one takes")});
  return absl::StrCat(
      OfferText(offer, ClipNormOf(flags.plan)), "\n", table.Text(), "\n\nexpected ",
      AssumptionOf(offer), ":\n", ExpectationTable(fit.expected),
      absl::StrFormat("\n\n  topicwall fit %s --epsilon %g --topics %d --iterations %d --model DIR",
                      flags.plan.corpus, *flags.plan.epsilon, fit.num_topics, fit.iterations));
}

std::string JsonTextOf(const Flags& flags, const ProposedFit& fit, const PlanOffer& offer) {
  const Shares shares = SharesOf(fit.iterations);
  base::JsonObject proposed;
  proposed.SetInteger("topics", fit.num_topics)
      .SetInteger("iterations", fit.iterations)
      .SetNumber("sampling_rate", offer.plans.topics.sampling_rate())
      .SetNumber("noise_multiplier", fit.noise_multiplier)
      .SetNumber("counts_share", shares.counts)
      .SetNumber("histogram_share", shares.histograms)
      .SetNumber("topics_share", shares.topics)
      .SetNumber("clip_norm", ClipNormOf(flags.plan))
      .SetInteger("max_words", offer.plans.topics.max_words())
      .SetNumber("seconds_per_release", fit.seconds_per_release)
      .SetNumber("hours", Hours(fit));
  return base::JsonObject()
      .SetRaw("proposed", proposed.Text())
      .SetRaw("plan", JsonOf(offer.plans.topics))
      .SetRaw("price", JsonOf(offer.price))
      .SetRaw("expected", ExpectationJson(fit.expected))
      .SetString("warning", WarningOf(offer))
      .Text();
}

absl::Status Plan(const Flags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  FitWishes wishes = WishesOf(flags.plan, flags.wishes);
  wishes.delta = flags.delta;
  TW_ASSIGN_OR_RETURN(const ProposedFit fit, ProposeFit(*wall, flags.plan.corpus, wishes));
  PlanRequest request = RequestOf(flags.plan);
  request.num_topics = fit.num_topics;
  request.iterations = fit.iterations;
  TW_ASSIGN_OR_RETURN(const PlanOffer offer, MakeOffer(*wall, request));
  terminal.Print(invocation.json ? JsonTextOf(flags, fit, offer) : TextOf(flags, fit, offer));
  if (!WarningOf(offer).empty()) terminal.Remark(WarningOf(offer));
  return absl::OkStatus();
}

}  // namespace

void AddPlan(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<Flags>();
  base::Command command = AddWallCommand(
      app, invocation,
      {.name = "plan",
       .description = "Propose a fit for a budget and some hours, with what can be expected of it. "
                      "Nothing is reserved",
       .example = "topicwall plan notes --epsilon 1 --hours 2"});
  command.Add("corpus", flags->plan.corpus, "Name of the corpus").Required();
  command.Add("--epsilon", flags->plan.epsilon, "Price of the whole fit").Required().Positive();
  command.Add("--delta", flags->delta, "Only checked: everything is priced at the budget's delta")
      .Positive();
  AddTopicsFlag(command, flags->plan.num_topics);
  command.Add("--iterations", flags->plan.iterations, "Iterations, J; proposed if not given")
      .Positive();
  AddWishFlags(command, flags->wishes);
  AddGuessFlags(command, flags->plan.guess);
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation](Terminal& terminal) {
      return Plan(*flags, invocation, terminal);
    };
  });
}

}  // namespace topicwall::client
