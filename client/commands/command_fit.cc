#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "accountant/status_macros.h"
#include "client/commands/command.h"
#include "client/commands/plan_flags.h"
#include "client/durable_file.h"
#include "client/exit_code.h"
#include "client/fit.h"
#include "client/json.h"
#include "client/receipt_book.h"
#include "client/receipted_wall.h"

namespace topicwall::client {
namespace {

struct FitFlags {
  PlanFlags plan;
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
  command->add_option("--model", flags->model, "Folder of the model")->required();
  command->add_option("--seed", flags->seed, "Of the initial topics; no secret")
      ->capture_default_str();
  AddCustodianKey(command, &flags->custodian_key);
  command->add_flag("--yes", flags->yes, "Reserve the plan without asking");
  command->callback([flags, &invocation] {
    invocation.action = [flags, &invocation](Terminal& terminal) {
      return RunFit(*flags, invocation, terminal);
    };
  });
}

}  // namespace topicwall::client
