// `topicwall plan` and `topicwall price`: a quote (client/fit/fit_quote.h), printed. Nothing is
// reserved and nothing is kept: that a plan fits is true until somebody else has spent.
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/commands/command.h"
#include "client/commands/fit_flags.h"
#include "client/commands/json/told_json.h"
#include "client/commands/quote_text.h"
#include "client/commands/spending.h"
#include "client/fit/algorithms/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/fit_planner.h"
#include "client/fit/fit_quote.h"
#include "client/json.h"
#include "client/report/text/numbers.h"
#include "model/lda/denoise/denoised_trainer.h"

namespace topicwall::client {
namespace {

// Parts of the price in μ² = Σ 1/σ²: of J + 1 releases the first and those of the warm-up with
// uniform topics count words, and all but the first also release a norm histogram. μ² adds up over
// releases where ε does not, so that only of it can there be shares.
struct Shares {
  double counts;
  double histograms;
  double topics;
};

Shares SharesOf(int iterations) {
  const auto releases = static_cast<double>(DenoisedReleases(iterations));
  const auto uniform = static_cast<double>(lda::WarmUpIterations(iterations));
  // Each release weighs the same in μ², and within one the histogram has kHistogramShare of it.
  const double histograms = kHistogramShare * iterations / releases;
  const double counts = (1 + (1 - kHistogramShare) * uniform) / releases;
  return {.counts = counts, .histograms = histograms, .topics = 1 - counts - histograms};
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();  // null in JSON

// What the proposed fit takes, if anybody says.
struct Duration {
  int64_t releases;
  double seconds_per_release;  // 0 if nobody does

  bool IsKnown() const { return seconds_per_release > 0; }
  double hours() const { return seconds_per_release * static_cast<double>(releases) / 3600; }
};

Duration DurationOf(const FitQuote& quote) {
  return {.releases = DenoisedReleases(*quote.spec.iterations),
          .seconds_per_release = SecondsPerRelease(quote.description, quote.spec.planning)};
}

// Of `denoised` and `mixture`: how the price is shared, and what the clip norm will come to.
void AddRowsOfWords(const FitQuote& quote, base::Table& table) {
  const FitSpec& spec = quote.spec;
  const Shares shares = SharesOf(*spec.iterations);
  table.AddRow({"shares", absl::StrFormat("of the price: %.1f %% word counts, %.1f %% norm "
                                          "histograms, %.1f %% topics",
                                          100 * shares.counts, 100 * shares.histograms,
                                          100 * shares.topics)});
  table.AddRow(
      {"clip norm", quote.expected->ClipNormStays()
                        ? absl::StrFormat("%g words; the histograms that could choose another are "
                                          "expected to drown in noise",
                                          *spec.clip_norm)
                        : absl::StrFormat("%g words at first, then as the histograms say; about "
                                          "%s expected",
                                          *spec.clip_norm, TwoDigits(quote.expected->clip_norm))});
  table.AddRow({"words", absl::StrCat(*spec.max_words, " of a document, at most")});
}

std::string AlgorithmFlagText(const FitSpec& spec) {
  return spec.algorithm == FitSpec().algorithm ? ""
                                               : absl::StrCat("--algorithm ", spec.algorithm, " ");
}

// What the proposal was made under, for the fit to be expected of the same.
std::string AssumptionFlagsText(const Planning& planning) {
  std::string text;
  if (!planning.words_folder.empty()) {
    absl::StrAppend(&text, "--words-per-unit ", planning.words_folder, " ");
  } else if (planning.words_per_unit.has_value()) {
    absl::StrAppend(&text, "--words-per-unit ", *planning.words_per_unit, " ");
  }
  if (planning.num_documents.has_value()) {
    absl::StrAppend(&text, "--nominal-size ", *planning.num_documents, " ");
  }
  return text;
}

std::string ProposalText(const FitQuote& quote, bool explain) {
  const FitSpec& spec = quote.spec;
  const Duration time = DurationOf(quote);
  base::Table table;
  // Something is expected of every fit that is proposed: without a size none is (fit_planner.h).
  if (quote.expected.has_value()) AddRowsOfWords(quote, table);
  table.AddRow(
      {"time", time.IsKnown()
                   ? absl::StrFormat("%d releases of at least %g s: %s hours", time.releases,
                                     time.seconds_per_release, TwoDigits(time.hours()))
                   : absl::StrCat(time.releases, " releases; nobody says how long one takes")});
  return absl::StrCat(
      QuoteText(quote, explain), "\n", table.Text(), "\n\nexpected ", AssumptionOf(quote), ":\n",
      ExpectationTable(quote),
      absl::StrFormat("\n\n  topicwall fit %s %s %s%s--topics %d --iterations %d --model DIR",
                      spec.corpus, SpendFlagText(spec), AlgorithmFlagText(spec),
                      AssumptionFlagsText(spec.planning), *spec.num_topics, *spec.iterations));
}

// Of the whole fit, and without what decides nothing. It was priced by the least noise of its
// releases; the noise shown is that of the plan that stands beside it.
std::string PriceJson(const FitQuote& quote, bool explain) {
  v1::PlanPrice shown = quote.price;
  shown.set_noise_standard_deviation(quote.topics().gaussian().noise_multiplier());
  if (!explain) shown.clear_information();
  return JsonOf(shown);
}

base::JsonObject ProposedJson(const FitQuote& quote) {
  const FitSpec& spec = quote.spec;
  const Duration time = DurationOf(quote);
  base::JsonObject proposed;
  proposed.SetInteger("topics", *spec.num_topics)
      .SetInteger("iterations", *spec.iterations)
      .SetNumber("sampling_rate", *spec.sampling_rate)
      .SetNumber("noise_multiplier", *spec.noise_multiplier);
  if (quote.expected.has_value()) {
    const Shares shares = SharesOf(*spec.iterations);
    proposed.SetNumber("counts_share", shares.counts)
        .SetNumber("histogram_share", shares.histograms)
        .SetNumber("topics_share", shares.topics);
  }
  return proposed.SetNumber("clip_norm", *spec.clip_norm)
      .SetInteger("max_words", *spec.max_words)
      .SetNumber("seconds_per_release", time.IsKnown() ? time.seconds_per_release : kUnknown)
      .SetNumber("hours", time.IsKnown() ? time.hours() : kUnknown);
}

std::string QuoteJson(const FitQuote& quote, bool explain) {
  base::JsonObject json;
  if (quote.spec.is_planned) json.SetObject("proposed", ProposedJson(quote));
  json.SetRaw("plan", JsonOf(quote.topics()))
      .SetObject("takes", TakingJson(quote))
      .SetRaw("price", PriceJson(quote, explain))
      .SetRaw("sum", SumJson(quote.description.sum()));
  // Of a proposal it stands with what is proposed.
  if (!quote.spec.is_planned) json.SetNumber("clip_norm", *quote.spec.clip_norm);
  return json.SetNumber("words_per_unit", WordsOf(quote.spec, quote.description))
      .SetString("words_from", WordsFrom(quote.spec.planning))
      .SetRaw("expected", ExpectationJson(quote.expected))
      .SetRaw("expected_components", ExpectationJson(quote.expected_components))
      .SetString("warning", WarningOf(quote))
      .Text();
}

// A price was asked and answered: that the plan does not fit is an answer too.
absl::Status ShowQuote(const FitSpec& given, const Invocation& invocation, Terminal& terminal) {
  FitSpec spec = given;
  Planning& planning = spec.planning;
  TW_RETURN_IF_ERROR(
      TakeMeasuredWords(spec.corpus, planning.words_folder, planning.words_per_unit));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const FitQuote quote, MakeQuote(*wall, spec));
  terminal.Print(invocation.json   ? QuoteJson(quote, invocation.explain)
                 : spec.is_planned ? ProposalText(quote, invocation.explain)
                                   : QuoteText(quote, invocation.explain));
  if (!WarningOf(quote).empty()) terminal.Remark(WarningOf(quote));
  return absl::OkStatus();
}

absl::Status ShowPrice(const FitSpec& spec, const Invocation& invocation, Terminal& terminal) {
  TW_RETURN_IF_ERROR(CheckTopicsGiven(spec));
  return ShowQuote(spec, invocation, terminal);
}

}  // namespace

void AddPlan(base::Command app, Invocation& invocation) {
  auto [command, spec] = AddWallCommand(
      app, invocation,
      {.name = "plan",
       .description = "Propose a fit for a budget and some hours, with what can be expected of it. "
                      "Nothing is reserved",
       .example = "topicwall plan notes --spend 90% --hours 2"},
      ShowQuote);
  spec->is_planned = true;
  command.Add("corpus", spec->corpus, "Name of the corpus").Required();
  base::Command noise = command.AddGroup("noise", "How much to spend");
  AddSpendFlags(noise, "Of the whole fit: ", *spec);
  noise.RequireOption();
  command
      .Add("--delta", spec->planning.delta,
           "Refused if it is less than the budget's, at which everything is priced")
      .Positive();
  command
      .Add("--algorithm", spec->algorithm,
           "Of the fit: denoised, mixture for short texts, each about one thing, or gaussian for "
           "vectors")
      .OneOf(PlannedAlgorithmNames())
      .ShowDefault();
  command.Add("--topics", spec->num_topics, "Number of topics, K; proposed if not given")
      .Positive();
  command.Add("--iterations", spec->iterations, "Iterations, J; proposed if not given").Positive();
  AddTimeFlags(command, spec->planning);
  AddAssumptionFlags(command, spec->planning);
  AddExplain(command, invocation);
}

void AddPrice(base::Command app, Invocation& invocation) {
  auto [command, spec] = AddWallCommand(
      app, invocation,
      {.name = "price",
       .description = "What a fit would cost and whether it fits, without reserving it",
       .example = "topicwall price notes --topics 50 --spend 0.2"},
      ShowPrice);
  AddFitFlags(command, *spec);
  AddExplain(command, invocation);
}

}  // namespace topicwall::client
