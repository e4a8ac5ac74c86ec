// `topicwall fit`: of a corpus behind a wall (RunFit), or of documents of one's own (RunPlainFit).
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/commands/command.h"
#include "client/commands/fit_flags.h"
#include "client/commands/json/told_json.h"
#include "client/commands/local/plain_model.h"
#include "client/commands/quote_text.h"
#include "client/commands/spending.h"
#include "client/exit_code.h"
#include "client/fit/anchors.h"
#include "client/fit/fit.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/fit_planner.h"
#include "client/fit/initial_model.h"
#include "client/fit/receipted_folder.h"
#include "client/interruption.h"
#include "model/lda/denoise/warm_start.h"
#include "proto/wall.pb.h"

namespace topicwall::client {
namespace {

struct FitFlags {
  FitSpec spec;
  std::string planner;  // "auto", or nobody
  PlainFlags plain;
  std::string init;     // an earlier model, or nothing
  std::string anchors;  // a file, or nothing
  std::string model;
  std::string custodian_key;  // 64 hexadecimal digits, or empty
  bool yes = false;
  std::string progress = "text";
};

std::string StartOf(const v1::ModelFile& model) {
  if (model.spec().anchors_size() > 0) {
    return absl::StrCat("\nTopics 1 to ", model.spec().anchors_size(),
                        " began with its anchors, in the order of their names.");
  }
  if (!model.has_warm_start()) return "";
  const v1::WarmStart& start = model.warm_start();
  const std::string how = absl::StrFormat(
      "(divergence of the word frequencies %.2f, at most %g; %.0f %% of the words "
      "known, at least %.0f %%)",
      start.divergence(), lda::kMostDivergence, 100 * start.coverage(), 100 * lda::kLeastCoverage);
  return start.outcome() == v1::WarmStart::OUTCOME_USED
             ? absl::StrCat("\nIt began with the topics of the initial model ", how, ".")
             : absl::StrCat("\nThe initial model does not fit the corpus and was dropped ", how,
                            ".");
}

std::string ProgressJson(const v1::FitStage& stage) {
  return base::JsonObject()
      .SetString("stage", stage.name())
      .SetString("plan_id", stage.plan().plan_id())
      .SetInteger("done", stage.iterations_done())
      .SetInteger("total", stage.plan().plan().iterations())
      .Text();
}

FitHooks HooksOf(const FitFlags& flags, const Invocation& invocation, Terminal& terminal) {
  return {.agree = [&flags, &invocation, &terminal](const FitQuote& quote) -> absl::Status {
            terminal.Remark(QuoteText(quote, invocation.explain));
            if (!WarningOf(quote).empty()) terminal.Remark(WarningOf(quote));
            if (flags.yes || terminal.Confirm("Reserve this fit?")) return absl::OkStatus();
            return absl::CancelledError("nothing was reserved.");
          },
          .on_progress =
              [&flags, &terminal](const v1::FitStage& stage) {
                if (flags.progress == "json") {
                  terminal.Remark(ProgressJson(stage));
                  return;
                }
                terminal.ShowProgress(absl::StrCat(
                    stage.name(), ": plan ", stage.plan().plan_id(), "  ",
                    ProgressBar(stage.iterations_done(), stage.plan().plan().iterations())));
              }};
}

// "" where the budget stands alone.
std::string TogetherOf(const v1::BudgetSum& sum) {
  return IsShared(sum) ? absl::StrCat("\nThe corpus's budget: ", SumText(sum), ".") : "";
}

std::string SizeText(const v1::ModelFile& model) {
  return model.has_gaussian()
             ? absl::StrCat("components of ", model.vocabulary_size(), " dimensions")
             : absl::StrCat("topics over ", model.vocabulary_size(), " terms");
}

std::string TextOf(const FitResult& result, const std::string& directory) {
  const v1::ModelFile& model = result.model;
  if (result.was_finished) {
    return absl::StrCat(directory, " holds this fit already, finished (plan ", model.plan_id(),
                        "): nothing was asked, nothing was paid. For another fit choose another "
                        "--model.");
  }
  return absl::StrFormat("%s: %d %s after %d iterations of plan %s.\nIt took %s.%s%s", directory,
                         model.num_topics(), SizeText(model), model.iterations(), model.plan_id(),
                         TookText(TakingIn(model), model.epsilon(), model.delta()),
                         TogetherOf(model.sum()), StartOf(model));
}

absl::StatusOr<FitSpec> SpecOf(const FitFlags& flags) {
  FitSpec spec = flags.spec;
  spec.is_planned = !flags.planner.empty();
  TW_RETURN_IF_ERROR(
      TakeMeasuredWords(spec.corpus, spec.planning.words_folder, spec.planning.words_per_unit));
  if (!flags.anchors.empty()) {
    TW_ASSIGN_OR_RETURN(spec.anchors, ReadAnchors(flags.anchors));
  }
  if (flags.init.empty() || NamesVectors(flags.init)) return spec;
  TW_ASSIGN_OR_RETURN(v1::ModelFile initial_model, ReadInitialModel(flags.init));
  spec.initial_model = std::make_shared<const v1::ModelFile>(std::move(initial_model));
  return spec;
}

// Once it is known in which units the corpus has its vectors.
absl::Status BeginWithVectors(const std::string& init, WallPort& wall, FitSpec& spec) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(spec.corpus));
  if (!description.has_vectors()) {
    return absl::InvalidArgumentError(
        absl::StrCat("init must be a model for a corpus of text; got vectors, ", init, "."));
  }
  TW_ASSIGN_OR_RETURN(PublicStart start,
                      PublicVectors(init,
                                    {.dimension = description.vectors().dimension(),
                                     .norm_bound = description.vectors().norm_bound()},
                                    spec));
  spec.initial_model = std::make_shared<const v1::ModelFile>(std::move(start.model));
  spec.initial_sha256 = std::move(start.sha256);
  return absl::OkStatus();
}

absl::Status RunFit(const FitFlags& flags, const Invocation& invocation, Terminal& terminal) {
  // Before a wall is asked: without a terminal nobody could agree to the quote.
  const bool begun = HoldsFit(flags.model);
  if (!begun && !flags.yes && !terminal.can_ask()) {
    return UsageError("a new fit spends budget and there is no terminal to ask on: add --yes.");
  }
  TW_ASSIGN_OR_RETURN(FitSpec spec, SpecOf(flags));
  const Interruption interruption(kStopsAfterRelease);
  const auto should_stop = [&interruption] { return interruption.requested(); };
  TW_ASSIGN_OR_RETURN(std::unique_ptr<WallPort> wall,
                      ConnectByProfile(invocation, terminal, should_stop));
  if (NamesVectors(flags.init)) {
    TW_RETURN_IF_ERROR(BeginWithVectors(flags.init, *wall, spec));
  }
  TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey(invocation, flags.custodian_key));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ReceiptedFolder> folder,
                      ReceiptedFolder::Open(std::move(wall), flags.model, key));
  FitHooks hooks = HooksOf(flags, invocation, terminal);
  hooks.should_stop = should_stop;
  // Not returned from at once: a pause in the middle is told with what to do next (Told).
  const absl::StatusOr<FitResult> fitted = Fit(folder->wall(), folder->directory(), spec, hooks);
  TW_RETURN_IF_ERROR(folder->Told(fitted.status(), spec.corpus));
  const FitResult& result = *fitted;
  terminal.Print(invocation.json ? FitJson(result, flags.model) : TextOf(result, flags.model));
  // After the result is printed: a ledger that was put back must not hide what was paid for.
  return result.was_finished ? absl::OkStatus() : folder->NoteEnd(spec.corpus).status();
}

absl::Status CheckWallFlags(const FitFlags& flags) {
  const FitSpec& spec = flags.spec;
  if (spec.corpus.empty()) return UsageError("corpus is required.");
  if (!flags.init.empty() && spec.algorithm == kPaper) {
    return UsageError("--init is for algorithms denoised, mixture and gaussian.");
  }
  if (NamesVectors(flags.init)) {
    if (spec.algorithm != kGaussian) {
      return UsageError("--init of vectors (.npy, .jsonl) is for algorithm gaussian.");
    }
    // What is made of them depends on it.
    TW_RETURN_IF_ERROR(CheckTopicsGiven(spec));
  }
  if (flags.planner.empty()) {
    if (spec.planning.hours.has_value() || spec.planning.seconds_per_release.has_value()) {
      return UsageError("--hours and --seconds-per-release are for --plan auto.");
    }
    // An initial model says how many topics there are.
    if (flags.init.empty()) TW_RETURN_IF_ERROR(CheckTopicsGiven(spec));
    return spec.SaysWhatToSpend()
               ? absl::OkStatus()
               : UsageError("--spend, --epsilon-alone or --noise-multiplier is required.");
  }
  if (!spec.SaysWhatToSpend() || spec.noise_multiplier.has_value()) {
    return UsageError("--plan auto wants --spend.");
  }
  if (!CanBePlanned(spec.algorithm) || spec.sampling_rate.value_or(1) != 1) {
    return UsageError(absl::StrCat("--plan auto is for algorithms ",
                                   absl::StrJoin(PlannedAlgorithmNames(), ", "),
                                   ", at sampling rate 1."));
  }
  return absl::OkStatus();
}

AskedPlainFit PlainFitOf(const FitFlags& flags) {
  return {.spec = flags.spec,
          .flags = flags.plain,
          .is_planned = !flags.planner.empty(),
          .init = flags.init,
          .anchors = flags.anchors};
}

absl::Status RunPlainFit(const FitFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> directory,
                      ModelDirectory::OpenNew(flags.model));
  TW_ASSIGN_OR_RETURN(const v1::ModelFile model, PlainModel(PlainFitOf(flags), terminal));
  TW_RETURN_IF_ERROR(directory->Finish(model));
  terminal.Print(
      invocation.json
          ? FitJson({.model = model, .was_finished = false}, flags.model)
          : absl::StrFormat("%s: %d %s after %d passes, without privacy: as private as %s.%s",
                            flags.model, model.num_topics(), SizeText(model), model.iterations(),
                            flags.plain.documents, StartOf(model)));
  return absl::OkStatus();
}

absl::Status CheckAndFit(const FitFlags& flags, const Invocation& invocation, Terminal& terminal) {
  const bool plain = flags.plain.no_privacy;
  TW_RETURN_IF_ERROR(plain ? CheckPlainFit(PlainFitOf(flags)) : CheckWallFlags(flags));
  return (plain ? RunPlainFit : RunFit)(flags, invocation, terminal);
}

}  // namespace

void AddFit(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "fit",
       .description = "Fit a private topic model. The same command again goes on after any "
                      "interruption, without paying twice",
       .example = "topicwall fit notes --topics 50 --spend 90% --model notes.model\n"
                  "  topicwall fit faces --algorithm gaussian --topics 20 --spend 50% --init "
                  "public.npy --model faces.model\n"
                  "  topicwall fit --no-privacy --algorithm mixture --documents titles.jsonl "
                  "--vocabulary words.txt --topics 50 --model titles.model\n"
                  "  topicwall fit --no-privacy --algorithm gaussian --documents mine.npy "
                  "--norm-bound 1 --topics 20 --model mine.model"},
      CheckAndFit);
  AddFitFlags(command, flags->spec);
  AddExplain(command, invocation);
  command.Find("corpus").Required(false);
  command.FindGroup("noise").AllowOneOption();
  command
      .Add("--plan", flags->planner,
           "auto: topics and iterations that are not given are those of `topicwall plan`")
      .OneOf({"auto"});
  AddTimeFlags(command, flags->spec.planning);
  AddPlainFlags(command, flags->plain);
  command.Add("--init", flags->init,
              "Folder or file of a model to begin with: an earlier one, or one of public "
              "documents. It is dropped if it does not fit the private word frequencies. "
              "An alpha that learn-prior found goes into the plan of a fit of as many topics. For "
              "--algorithm gaussian a mixture of the same units, or public vectors (.npy, .jsonl): "
              "up to --topics of them are means, of more the mixture is made here. The wall sees "
              "what it begins with");
  command
      .Add("--anchors", flags->anchors,
           "JSON file of words to begin topics with, for algorithms denoised and mixture and for "
           "--no-privacy: {\"heart\": [\"cardiac\", \"ecg\"]}. In the order of their names they "
           "are topics 1, 2, … and called so (`topicwall label`); what becomes of them the "
           "documents decide. It costs nothing")
      .Excludes(command.Find("--init"));
  command.Add("--model", flags->model, "Folder of the model").Required();
  command.Add("--seed", flags->spec.seed, "Of the initial topics; no secret").ShowDefault();
  AddCustodianKey(command, &flags->custodian_key);
  command.AddFlag("--yes", flags->yes, "Reserve the plan without asking");
  command
      .Add(
          "--progress", flags->progress,
          "On standard error: text (a bar on a terminal, else a line a release) or json (an object "
          "a line)")
      .OneOf({"text", "json"})
      .ShowDefault();
}

}  // namespace topicwall::client
