// From flags to a wish, from a wish to an evaluation (client/evaluate/wall_evaluation.h), and what
// came of it in words. Around the wall stands what stands around it for a fit (command_fit.cc): an
// evaluation is a plan like others, and paid for.
#include "client/commands/wall_perplexity.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/commands/fit_flags.h"
#include "client/commands/json/told_json.h"
#include "client/commands/spending.h"
#include "client/evaluate/evaluation_file.h"
#include "client/evaluate/wall_evaluation.h"
#include "client/exit_code.h"
#include "client/fit/model_file.h"
#include "client/report/text/numbers.h"
#include "client/wall/topics_asked.h"

namespace topicwall::client {
namespace {

// What comes is another number than what is expected.
constexpr double kMostExpectedError = kMostRelativeError / 2;
// In capitals: whoever passes over this line takes the number for better than it is.
constexpr char kTrainedOn[] = "THE MODEL WAS FITTED TO SOME OF THEM: it looks better than it is";

std::string ExpectedText(double error, const EvaluationQuote& quote, const std::string& folder) {
  const int64_t units = quote.description.nominal_size();
  if (quote.plan.model() == kGaussianLikelihood) {
    return absl::StrFormat(
        "a standard error of about %.2g of the mean log density, if the stated %d units are "
        "typical",
        error, units);
  }
  const std::string warning =
      error < kMostExpectedError ? "" : ": NOISE WILL DROWN IT. Spend more, or hold more units out";
  return absl::StrFormat(
      "a standard error of about %.1f %% of the perplexity, if the stated %d units have %g known "
      "words each (%s)%s",
      100 * error, quote.description.nominal_size(), quote.words_per_unit,
      folder.empty() ? "assumed: --words-per-unit" : absl::StrCat("measured: ", folder), warning);
}

std::string QuoteText(const EvaluationQuote& quote, const std::string& words_folder) {
  const v1::ReleaseSpec& plan = quote.plan;
  base::Table table;
  table.AddRow({"evaluation",
                absl::StrFormat("of the units of %s held out at share %g; releases: %d, of two "
                                "numbers each; noise multiplier %g",
                                plan.corpus(), plan.held_out_share(), plan.iterations(),
                                plan.gaussian().noise_multiplier())});
  AddTakingRows(quote, table);
  AddSumRow(quote.description.sum(), table);
  const std::optional<double> error = ExpectedError(quote);
  if (error.has_value()) {
    table.AddRow({"expected", ExpectedText(*error, quote, words_folder)});
  }
  if (quote.was_trained_on) table.AddRow({"units", kTrainedOn});
  return table.Text();
}

std::string PerplexityText(const PerplexityEstimate& estimate) {
  if (!estimate.perplexity.has_value()) {
    return "none can be told: the noise is as large as what was counted. Pay for more epsilon or "
           "releases, hold more units out, or lower --words-per-unit.";
  }
  return absl::StrFormat("%.1f, standard error %s by the noise alone", *estimate.perplexity,
                         TwoDigits(estimate.standard_error));
}

std::string CountedText(double counted, double deviation) {
  return absl::StrFormat("about %.0f counted, give or take %.0f", counted, deviation);
}

std::string LogLikelihoodText(const LogLikelihoodEstimate& estimate) {
  if (!estimate.log_likelihood.has_value()) {
    return "none can be told: the noise is as large as what was counted. Pay for more epsilon or "
           "releases, or hold more units out.";
  }
  return absl::StrFormat("%.3f, standard error %s by the noise", *estimate.log_likelihood,
                         TwoDigits(estimate.standard_error));
}

// The clip of long units makes the number another one than that of the same documents at hand.
std::string LongUnitsText(const v1::EvaluationFile& file, const char* items) {
  return absl::StrFormat(
      "units of about %g %s and more count for less: compare only values at the same "
      "--words-per-unit",
      file.words_per_unit(), items);
}

void AddFound(const v1::EvaluationFile& file, base::Table& table) {
  if (IsOfVectors(file)) {
    const LogLikelihoodEstimate found = LogLikelihoodOf(file);
    table.AddRow({"mixture", LogLikelihoodText(found)});
    table.AddRow({"vectors", CountedText(found.vectors, found.vectors_deviation)});
    table.AddRow(
        {"expected", absl::StrFormat("about %.3f of vectors that are as the mixture has them. "
                                     "Those that it expects least count for less: a number that "
                                     "is far below this one is still too high",
                                     found.expected)});
    if (file.words_per_unit() > 0) table.AddRow({"", LongUnitsText(file, "vectors")});
    return;
  }
  const PerplexityEstimate found = EstimateOf(file);
  table.AddRow({"document completion", PerplexityText(found)});
  if (found.perplexity.has_value()) {
    table.AddRow({"",
                  "another split of the words gives another number; --releases averages over "
                  "splits"});
  }
  table.AddRow({"words", CountedText(found.words, found.words_deviation)});
  table.AddRow({"", LongUnitsText(file, "known words")});
}

std::string TextOf(const WallEvaluation& result, std::optional<v1::BudgetStatus> budget) {
  const v1::ReleaseSpec& plan = result.file.plan().plan();
  const bool of_vectors = IsOfVectors(result.file);
  base::Table table;
  AddFound(result.file, table);
  table.AddRow({"units", absl::StrFormat("of %s, held out at share %g", plan.corpus(),
                                         plan.held_out_share())});
  if (result.was_trained_on) table.AddRow({"", kTrainedOn});
  table.AddRow({of_vectors ? "one Gaussian" : "unigram",
                absl::StrCat("would be one more paid evaluation: of a model of one ",
                             of_vectors ? "component" : "topic")});
  AddPaidRows(PaidFor(result.file),
              {.was_finished = result.was_finished, .budget = std::move(budget)}, table);
  return absl::StrCat(of_vectors ? "log density behind the wall (natural base, higher is better), "
                                   "mean of vectors in units of the norm bound\n"
                                 : "perplexity behind the wall (natural base, lower is better)\n",
                      table.Text(2));
}

absl::StatusOr<EvaluationWish> WishOf(const std::string& model, const WallPerplexityFlags& flags,
                                      Terminal& terminal) {
  if (!CheckNoise(flags.noise).ok()) {
    return UsageError(
        "--behind-the-wall spends budget: give one of --spend, --epsilon-alone and "
        "--noise-multiplier.");
  }
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(model, terminal));
  std::optional<double> words_per_unit = flags.words_per_unit;
  TW_RETURN_IF_ERROR(TakeMeasuredWords(flags.corpus, flags.words_folder, words_per_unit));
  // Of that share the model has seen nobody. A larger one has some whom it was fitted to; a smaller
  // one leaves out some who would have made the noise count for less.
  const double share = flags.held_out_share.value_or(file.held_out_share());
  if (share == 0) {
    return UsageError(
        absl::StrCat("the fit of ", model,
                     " held no units out. Fit again with --held-out-share, or give one "
                     "here: the model has then seen them, and looks better than it is."));
  }
  return EvaluationWish{.corpus = flags.corpus,
                        .held_out_share = share,
                        .releases = flags.releases,
                        .words_per_unit = words_per_unit,
                        .noise = flags.noise,
                        .max_words = flags.max_words};
}

}  // namespace

void AddWallPerplexityFlags(base::Command command, WallPerplexityFlags& flags) {
  command.Add("--behind-the-wall", flags.corpus,
              "Score held-out units of this corpus instead, which spends its budget");
  AddNoiseFlags(command, "Behind the wall: ", flags.noise);
  command
      .Add("--held-out-share", flags.held_out_share,
           "Behind the wall: share of the units to score, in (0, 1] (otherwise what the "
           "fit held out)")
      .Positive();
  command
      .Add("--releases", flags.releases,
           "Behind the wall: releases to average, each with words split anew")
      .Positive()
      .ShowDefault();
  AddWordsFlag(
      command,
      "Behind the wall: known words that you take a unit to have, from public knowledge or the "
      "folder of `topicwall lengths`; of owners of vectors, their vectors. Units of about so many "
      "and more count for less: of short texts take half as many again. Fewer is less noise "
      "(otherwise what the fit assumed)",
      flags.words_per_unit, flags.words_folder);
  command
      .Add("--max-words", flags.max_words,
           "Behind the wall: words of a document that count (otherwise the wall's limit)")
      .Positive();
  AddCustodianKey(command, &flags.custodian_key);
  command.AddFlag("--yes", flags.yes, "Behind the wall: reserve without asking");
}

bool HasWallFlags(const WallPerplexityFlags& flags) {
  return flags.noise.SaysWhatToSpend() || flags.held_out_share.has_value() ||
         flags.max_words.has_value() || flags.yes;
}

absl::Status ShowWallPerplexity(const std::string& model, const WallPerplexityFlags& flags,
                                const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const EvaluationWish wish, WishOf(model, flags, terminal));
  return PayAndShow(
      {model, flags.custodian_key}, invocation, terminal, EvaluateBehindTheWall, wish,
      [&](const EvaluationQuote& quote) {
        return AgreeToSpend(flags.yes, "an evaluation", QuoteText(quote, flags.words_folder),
                            "Reserve this evaluation?", terminal);
      },
      [&](const WallEvaluation& asked, const PaidWhen& when) {
        terminal.Print(invocation.json ? EvaluationJson(asked, when.budget).Text()
                                       : TextOf(asked, when.budget));
        return absl::OkStatus();
      });
}

}  // namespace topicwall::client
