// Defaults that depend on the algorithm stand in the help as words and stay open in the FitSpec: a
// number here would be that of one algorithm, given to all of them, and a planner would take it for
// what was typed. WithDefaults fills it in (client/fit/fit_spec.h).
#include "client/commands/fit_flags.h"

#include <cmath>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/commands/spending.h"
#include "client/evaluate/lengths_file.h"
#include "client/exit_code.h"
#include "client/fit/fit_algorithm.h"

namespace topicwall::client {

void AddFitFlags(base::Command command, FitSpec& spec) {
  command.Add("corpus", spec.corpus, "Name of the corpus").Required();
  command.Add("--topics", spec.num_topics, "Number of topics, K").Positive();
  base::Command noise = command.AddGroup("noise", "How much to spend");
  AddNoiseFlags(noise, "Of the whole fit: ", spec);
  noise.RequireOption();
  command
      .Add("--algorithm", spec.algorithm,
           "How releases become topics: denoised (a private unigram first), mixture (the same for "
           "short texts, each about one thing), paper (its Algorithm 1), or gaussian (a mixture of "
           "Gaussians, for corpora of vectors)")
      .OneOf(AlgorithmNames())
      .ShowDefault();
  command.Add("--sampling-rate", spec.sampling_rate,
              "Share of the privacy units that take part in an iteration, in (0, 1]; 1, for "
              "paper 0.05");
  command.Add("--iterations", spec.iterations, "Iterations, J; 40, for paper and gaussian 20")
      .Positive();
  command
      .Add("--clip-norm", spec.clip_norm,
           "Largest statistic of one unit, in words; for paper 50. "
           "denoised begins with 0.7 and goes on with what the noisy norm histogram says")
      .Positive();
  command
      .Add("--held-out-share", spec.held_out_share,
           "Share of the privacy units to leave out, in [0, 1), so that `perplexity "
           "--behind-the-wall` can judge the model by them")
      .ShowDefault();
  command
      .Add("--max-words", spec.max_words,
           "Words of a document that count (otherwise the wall's limit)")
      .Positive();
  AddAssumptionFlags(command, spec.planning);
}

void AddAssumptionFlags(base::Command command, Planning& planning) {
  command
      .Add("--nominal-size", planning.num_documents,
           "How many documents you take the corpus to have, for what is expected of a fit "
           "(otherwise what the custodian states)")
      .Positive();
  AddWordsFlag(
      command,
      absl::StrCat("How many known words you take a privacy unit to have, for the same and for the "
                   "evaluations of the fit: a document, or all documents of an owner together; ",
                   kWordsPerUnit,
                   " if not given, and never more than count. Of owners take what three of four "
                   "have at least: where few have most of the words, a mean promises several times "
                   "too much. Or the folder of `topicwall lengths`, which measured it"),
      planning.words_per_unit, planning.words_folder);
}

void AddWordsFlag(base::Command command, const std::string& help, std::optional<double>& words,
                  std::string& folder) {
  command
      .AddParsed(
          "--words-per-unit",
          [&words, &folder](const std::string& text) -> absl::Status {
            words.reset();
            folder.clear();
            double number = 0;
            if (!absl::SimpleAtod(text, &number)) {
              folder = text;
              return absl::OkStatus();
            }
            if (!(number > 0 && std::isfinite(number))) {
              return absl::InvalidArgumentError(
                  "must be a number above 0, or a folder of `topicwall lengths`");
            }
            words = number;
            return absl::OkStatus();
          },
          help)
      .Called("N|FOLDER");
}

absl::Status TakeMeasuredWords(const std::string& corpus, const std::string& folder,
                               std::optional<double>& words) {
  if (folder.empty()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(words, MeasuredWords(folder, corpus, /*is_mock=*/false));
  return absl::OkStatus();
}

void AddTimeFlags(base::Command command, Planning& planning) {
  command
      .Add(
          "--hours", planning.hours,
          "How long the fit may take: limits the iterations by the corpus' release interval, or by "
          "--seconds-per-release")
      .Positive();
  command
      .Add("--seconds-per-release", planning.seconds_per_release,
           "What a release takes if that is more than the interval, or there is none")
      .Positive();
}

void AddPlainFlags(base::Command command, PlainFlags& flags) {
  command.AddFlag(
      "--no-privacy", flags.no_privacy,
      "Fit documents of your own (LDA, or --algorithm mixture), or vectors (--algorithm "
      "gaussian), without a wall and without noise");
  command.Add("--documents", flags.documents, "Those documents; of vectors .npy, or JSON lines");
  command.Add("--vocabulary", flags.vocabulary, "Their word list, one term a line");
  AddFormat(command, &flags.format);
  command
      .Add("--passes", flags.passes,
           "Over all documents, with --no-privacy: 5, for --algorithm gaussian 40")
      .Positive();
  command
      .Add("--norm-bound", flags.norm_bound,
           "Of vectors, with --no-privacy: longer ones are shortened to it, as behind the wall of "
           "a corpus that states it")
      .Positive();
}

absl::Status CheckTopicsGiven(const FitSpec& spec) {
  if (spec.num_topics.has_value()) return absl::OkStatus();
  return UsageError("--topics is required: `topicwall plan` proposes a number.");
}

absl::Status CheckAsksNoWall(const FitSpec& spec, bool is_planned) {
  if (is_planned || spec.SaysWhatToSpend() || !spec.corpus.empty() || spec.held_out_share != 0) {
    return UsageError(
        "--no-privacy asks no wall: leave corpus, --plan, --held-out-share and what to spend.");
  }
  // denoised is the default: nobody need have typed it.
  if (spec.algorithm == kPaper) {
    return UsageError(
        "--no-privacy fits topics (LDA), or with --algorithm mixture or gaussian a mixture; got "
        "--algorithm paper, which is of releases. Leave it out.");
  }
  if (spec.clip_norm.has_value() || spec.sampling_rate.has_value() || spec.max_words.has_value() ||
      spec.iterations.has_value()) {
    return UsageError(
        "--clip-norm, --sampling-rate, --max-words and --iterations are of releases, and "
        "--no-privacy has none: leave them. --passes says how often the documents are read.");
  }
  return absl::OkStatus();
}

}  // namespace topicwall::client
