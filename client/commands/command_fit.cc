#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "accountant/status_macros.h"
#include "client/commands/command.h"
#include "client/commands/plan_flags.h"
#include "client/document_reader.h"
#include "client/durable_file.h"
#include "client/exit_code.h"
#include "client/fit.h"
#include "client/json.h"
#include "client/model_file.h"
#include "client/plain_fit.h"
#include "client/receipt_book.h"
#include "client/receipted_wall.h"
#include "lda/tokenizer.h"

namespace topicwall::client {
namespace {

// A fit of documents of one's own.
struct PlainFlags {
  bool no_privacy = false;
  std::string documents;
  std::string vocabulary;
  std::string format = "jsonl";
  int passes = 5;
};

struct FitFlags {
  PlanFlags plan;
  PlainFlags plain;
  uint64_t seed = 1;
  std::string model;
  std::string custodian_key;  // 64 hexadecimal digits, or empty
  bool yes = false;
};

FitHooks HooksOf(const FitFlags& flags, Terminal& terminal) {
  return {.agree = [&flags, &terminal](const PlanOffer& offer) -> absl::Status {
            terminal.Remark(OfferText(offer, ClipNormOf(flags.plan)));
            if (flags.yes || terminal.Confirm("Reserve this fit?")) return absl::OkStatus();
            return absl::CancelledError("nothing was reserved.");
          },
          .on_progress =
              [&terminal](const v1::CheckpointFile& checkpoint) {
                terminal.ShowProgress(
                    absl::StrCat("plan ", checkpoint.topics().plan_id(), "  ",
                                 ProgressBar(checkpoint.iterations_done(),
                                             checkpoint.topics().plan().iterations())));
              }};
}

std::string TextOf(const FitResult& result, const std::string& directory) {
  const v1::ModelFile& model = result.model;
  if (result.was_finished) {
    return absl::StrCat(directory, " holds this fit already, finished (plan ", model.plan_id(),
                        "): nothing was asked, nothing was paid. For another fit choose another "
                        "--model.");
  }
  return absl::StrFormat(
      "%s: %d topics over %d terms after %d iterations of plan %s (epsilon %.4f, delta %g).",
      directory, model.num_topics(), model.vocabulary_size(), model.iterations(), model.plan_id(),
      model.epsilon(), model.delta());
}

std::string JsonTextOf(const FitResult& result, const std::string& directory) {
  const v1::ModelFile& model = result.model;
  return JsonObject()
      .SetString("model", directory)
      .SetBool("was_finished", result.was_finished)
      .SetString("corpus", model.corpus())
      .SetString("corpus_version", Hex(model.corpus_version()))
      .SetString("plan_id", model.plan_id())
      .SetInteger("topics", model.num_topics())
      .SetInteger("terms", model.vocabulary_size())
      .SetInteger("iterations", model.iterations())
      .SetString("algorithm", model.algorithm())
      .SetNumber("epsilon", model.epsilon())
      .SetNumber("delta", model.delta())
      .Text();
}

absl::Status RunFit(const FitFlags& flags, const Invocation& invocation, Terminal& terminal) {
  const bool begun = FileExists(CheckpointPath(flags.model)) || FileExists(ModelPath(flags.model));
  if (!begun && !flags.yes && !terminal.can_ask()) {
    return UsageError("a new fit spends budget and there is no terminal to ask on: add --yes.");
  }
  const FitSettings settings = {
      .plan = RequestOf(flags.plan),
      .choices = {.clip_norm = ClipNormOf(flags.plan), .seed = flags.seed}};
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> directory,
                      ModelDirectory::Open(flags.model));
  TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey(invocation, flags.custodian_key));
  TW_ASSIGN_OR_RETURN(ReceiptBook book, ReceiptBook::Open(ReceiptsPath(flags.model), key));
  ReceiptedWall receipted(*wall, book);
  TW_ASSIGN_OR_RETURN(const FitResult result,
                      Fit(receipted, *directory, settings, HooksOf(flags, terminal)));
  terminal.Print(invocation.json ? JsonTextOf(result, flags.model) : TextOf(result, flags.model));
  return absl::OkStatus();
}

absl::Status CheckPlainFlags(const FitFlags& flags) {
  const PlanFlags& plan = flags.plan;
  if (!flags.plain.no_privacy) {
    if (plan.corpus.empty()) return UsageError("corpus is required.");
    if (plan.epsilon.has_value() || plan.noise_multiplier.has_value()) return absl::OkStatus();
    return UsageError("--epsilon or --noise-multiplier is required.");
  }
  if (!plan.corpus.empty() || plan.epsilon.has_value() || plan.noise_multiplier.has_value()) {
    return UsageError("--no-privacy asks no wall: leave corpus, --epsilon and --noise-multiplier.");
  }
  if (flags.plain.documents.empty() || flags.plain.vocabulary.empty()) {
    return UsageError("--no-privacy wants --documents and --vocabulary.");
  }
  return absl::OkStatus();
}

// The model of documents that are at hand, made without a wall.
absl::StatusOr<v1::ModelFile> PlainModel(const FitFlags& flags, Terminal& terminal) {
  const PlainFlags& plain = flags.plain;
  const bool counts = plain.format == "uci";
  v1::CorpusDescription description;
  description.set_tokenizer(counts ? lda::kCountsTokenizerName : lda::kTokenizerName);
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary,
                      ReadVocabulary(plain.vocabulary, description.tokenizer()));
  TW_ASSIGN_OR_RETURN(
      const lda::DocumentList documents,
      ReadDocuments(plain.documents, counts ? DocumentFormat::kUci : DocumentFormat::kJsonl,
                    {.vocabulary = vocabulary, .tokenizer = description.tokenizer()}));
  const auto show = [&plain, &terminal](int done) {
    terminal.ShowProgress(absl::StrCat("passes ", ProgressBar(done, plain.passes)));
  };
  TW_ASSIGN_OR_RETURN(
      const lda::TopicModel model,
      FitPlainly({.documents = documents, .vocabulary_size = static_cast<int>(vocabulary.size())},
                 {.num_topics = flags.plan.num_topics,
                  .passes = plain.passes,
                  .seed = flags.seed,
                  .on_progress = show}));
  v1::CheckpointFile done;
  done.set_algorithm(kNoPrivacy);
  done.set_iterations_done(plain.passes);
  return MakeModelFile(model, vocabulary,
                       {.checkpoint = done,
                        .description = description,
                        .epsilon = std::numeric_limits<double>::infinity(),
                        .delta = 1});
}

absl::Status RunPlainFit(const FitFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> directory,
                      ModelDirectory::Open(flags.model));
  if (FileExists(CheckpointPath(flags.model)) || FileExists(ModelPath(flags.model))) {
    return absl::AlreadyExistsError(
        absl::StrCat(flags.model, " holds a fit already. Choose another --model."));
  }
  TW_ASSIGN_OR_RETURN(const v1::ModelFile model, PlainModel(flags, terminal));
  TW_RETURN_IF_ERROR(directory->Finish(model));
  if (invocation.json) {
    terminal.Print(JsonTextOf({.model = model, .was_finished = false}, flags.model));
    return absl::OkStatus();
  }
  terminal.Print(absl::StrFormat(
      "%s: %d topics over %d terms after %d passes, without privacy: as private as %s.",
      flags.model, model.num_topics(), model.vocabulary_size(), model.iterations(),
      flags.plain.documents));
  return absl::OkStatus();
}

void AddPlainFlags(CLI::App& command, PlainFlags& flags) {
  command.add_flag("--no-privacy", flags.no_privacy,
                   "Fit documents of your own, without a wall and without noise");
  command.add_option("--documents", flags.documents, "Those documents");
  command.add_option("--vocabulary", flags.vocabulary, "Their word list, one term a line");
  command.add_option("--format", flags.format, "jsonl (\"text\" of each line) or uci counts")
      ->check(CLI::IsMember({"jsonl", "uci"}))
      ->capture_default_str();
  command.add_option("--passes", flags.passes, "Over all documents, with --no-privacy")
      ->check(Positive())
      ->capture_default_str();
}

}  // namespace

void AddFit(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<FitFlags>();
  CLI::App* command = AddWallCommand(
      app, invocation,
      {.name = "fit",
       .description = "Fit a private topic model. The same command again goes on after any "
                      "interruption, without paying twice",
       .example = "topicwall fit notes --topics 50 --epsilon 2.44 --model notes.model"});
  AddPlanFlags(*command, flags->plan);
  command->get_option("corpus")->required(false);
  command->get_option_group("noise")->require_option(0, 1);
  AddPlainFlags(*command, flags->plain);
  command->add_option("--model", flags->model, "Folder of the model")->required();
  command->add_option("--seed", flags->seed, "Of the initial topics; no secret")
      ->capture_default_str();
  AddCustodianKey(command, &flags->custodian_key);
  command->add_flag("--yes", flags->yes, "Reserve the plan without asking");
  command->callback([flags, &invocation] {
    invocation.action = [flags, &invocation](Terminal& terminal) -> absl::Status {
      TW_RETURN_IF_ERROR(CheckPlainFlags(*flags));
      if (flags->plain.no_privacy) return RunPlainFit(*flags, invocation, terminal);
      return RunFit(*flags, invocation, terminal);
    };
  });
}

}  // namespace topicwall::client
