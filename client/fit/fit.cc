// The folder decides what a call does: a model, and there is nothing to do; a checkpoint, and the
// fit goes on; neither, and it begins. Whatever the folder says, the command must mean the same
// fit, or an old one would be continued, or paid for anew, in silence.
#include "client/fit/fit.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/filters/admission_policy.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/audit/spend.h"
#include "client/audit/wall_audit.h"
#include "client/fit/checkpoint.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/model_file.h"
#include "client/fit/trainer.h"
#include "client/wall/mock_custodian.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {
namespace {

// What the model will say beside its topics: its words, and where they are from.
void NoteOrigin(const v1::CorpusDescription& description, const lda::Vocabulary& vocabulary,
                v1::CheckpointFile& checkpoint) {
  const v1::FitStage& last = checkpoint.stages(checkpoint.stages_size() - 1);
  *checkpoint.mutable_model() =
      MakeModelFile(vocabulary, {.description = description,
                                 .algorithm = checkpoint.spec().algorithm(),
                                 .iterations = checkpoint.spec().iterations(),
                                 .epsilon = checkpoint.epsilon(),
                                 .delta = checkpoint.delta(),
                                 .plan = last.plan()});
}

// Nothing is reserved before this returns OK, and only the quote was asked for.
absl::StatusOr<v1::CheckpointFile> Begin(WallPort& wall, const FitSpec& spec,
                                         const FitHooks& hooks) {
  TW_ASSIGN_OR_RETURN(FitQuote quote, MakeQuote(wall, spec));
  // From here to `agree` everything that can refuse a fit is tried, while it costs nothing: the
  // budget, the word list, and the algorithm with all its shapes (NewCheckpoint).
  TW_RETURN_IF_ERROR(RefusalOf(quote));
  if (!quote.start.has_value()) {
    TW_ASSIGN_OR_RETURN(quote.start, StartOf(wall, quote));
  }
  v1::CheckpointFile checkpoint = std::move(quote.start->checkpoint);
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, PolicyOf(quote.budget));
  // What the model will say that it cost is this side's own sum, by the policy that is enforced.
  TW_ASSIGN_OR_RETURN(const double epsilon, PriceAlone(policy, PricedAs(quote.stages)));
  checkpoint.set_epsilon(epsilon);
  checkpoint.set_delta(policy.budget().delta);
  checkpoint.set_epsilon_taken(quote.taking.taken());
  checkpoint.set_epsilon_before(quote.taking.before);
  for (v1::FitStage& stage : *checkpoint.mutable_stages()) {
    NoteQuoted(quote.budget, *stage.mutable_plan());
  }
  NoteOrigin(quote.description, quote.start->vocabulary, checkpoint);
  TW_RETURN_IF_ERROR(hooks.agree(quote));
  return checkpoint;
}

// A model's ε, its sum of budgets and its vectors' units are told by what is noted here. So nothing
// of it is taken from a description that the fit was not begun with, but the sum, which may have
// grown: that is the chain's.
absl::Status CheckSameCorpus(const v1::CorpusDescription& description,
                             const lda::Vocabulary& vocabulary, const v1::ModelFile& begun) {
  absl::string_view what;
  if (description.tokenizer() != begun.tokenizer() ||
      !std::equal(begun.terms().begin(), begun.terms().end(), vocabulary.terms().begin(),
                  vocabulary.terms().end())) {
    what = "other words";
  } else if (description.custodian_id() != begun.custodian_id()) {
    what = "another custodian";
  } else if (description.vectors().norm_bound() != begun.gaussian().norm_bound()) {
    what = "another norm bound of its vectors";
  }
  if (what.empty()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("the wall shows ", what,
                   " than when the fit was begun, and calls them the same version of corpus ",
                   description.corpus(), ". Tell the custodian."));
}

// What the model will say that it cost, of a fit with other stages than were agreed to: as a quote
// would have told it right before its first plan.
absl::Status PriceAnew(WallPort& wall, const v1::BudgetStatus& budget, v1::CheckpointFile& fit) {
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, PolicyOf(budget));
  const std::vector<v1::FitStage> stages(fit.stages().begin(), fit.stages().end());
  TW_ASSIGN_OR_RETURN(const double epsilon, PriceAlone(policy, PricedAs(stages)));
  TW_ASSIGN_OR_RETURN(const v1::PlanState first, wall.GetPlan(stages[0].plan().plan_id()));
  v1::Receipt receipt;
  if (!receipt.ParseFromString(first.reservation_receipt().receipt())) {
    return absl::DataLossError(absl::StrCat("the receipt of plan ", stages[0].plan().plan_id(),
                                            " is none. Ask the custodian."));
  }
  const v1::PlanReserved& plan = receipt.plan();
  TW_ASSIGN_OR_RETURN(accountant::CostVector before,
                      policy.Refund({receipt.spent().begin(), receipt.spent().end()},
                                    {.cost = {plan.cost().begin(), plan.cost().end()},
                                     .iterations = plan.spec().iterations()},
                                    /*used=*/0));
  TW_ASSIGN_OR_RETURN(const Taking taking,
                      TakingOf({.policy = policy, .spent = std::move(before)}, PlansOf(stages)));
  fit.set_epsilon(epsilon);
  fit.set_epsilon_taken(taking.taken());
  fit.set_epsilon_before(taking.before);
  return absl::OkStatus();
}

// `iterations`: if they were asked for, and are not the algorithm's own.
absl::StatusOr<v1::CheckpointFile> Resume(WallPort& wall, FitSpec spec,
                                          const std::optional<int>& iterations,
                                          v1::CheckpointFile checkpoint) {
  const int begun = checkpoint.spec().iterations();
  const bool is_shorter =
      iterations.has_value() && *iterations < begun && MayBeShortened(checkpoint);
  if (is_shorter) spec.iterations = begun;
  // First: of another corpus the version is another one, too.
  TW_RETURN_IF_ERROR(CheckSameFit(spec, checkpoint.spec()));
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(spec.corpus));
  // By version and not by name: the old one's plan stays paid, and its documents are served no
  // more.
  if (description.corpus_version() != checkpoint.stages(0).plan().plan().corpus_version() ||
      description.vocabulary_size() != checkpoint.vocabulary_size()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the fit was begun on another version of corpus ", spec.corpus,
        ", which is no longer served. Choose another --model to fit the new version."));
  }
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, FetchVocabulary(wall, description));
  TW_RETURN_IF_ERROR(CheckSameCorpus(description, vocabulary, checkpoint.model()));
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, HeldBudget(wall, spec.corpus, description));
  if (is_shorter) {
    TW_ASSIGN_OR_RETURN(checkpoint, Shortened(wall, std::move(checkpoint), *iterations));
    TW_RETURN_IF_ERROR(PriceAnew(wall, budget, checkpoint));
  }
  NoteOrigin(description, vocabulary, checkpoint);
  return checkpoint;
}

absl::Status CheckIsNoRehearsal(WallPort& wall, const v1::ModelFile& finished) {
  if (!IsMock(finished.custodian_id())) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description,
                      wall.DescribeCorpus(finished.corpus()));
  return CheckNotOfMock(true, description.custodian_id(),
                        "the folder holds a MOCK's model, of documents that do not exist. Remove "
                        "it, or choose another one.");
}

absl::StatusOr<v1::ModelFile> Complete(const TrainerParams& params, v1::CheckpointFile checkpoint) {
  TW_ASSIGN_OR_RETURN(const TrainedFit trained, Train(params, std::move(checkpoint)));
  v1::ModelFile model = OutcomeOf(trained.checkpoint, *trained.algorithm);
  TW_RETURN_IF_ERROR(params.directory.Finish(model));
  return model;
}

}  // namespace

absl::StatusOr<FitResult> Fit(WallPort& wall, ModelDirectory& directory, const FitSpec& spec,
                              const FitHooks& hooks) {
  TW_ASSIGN_OR_RETURN(const FitSpec asked, WithDefaults(spec));
  TW_ASSIGN_OR_RETURN(std::optional<v1::ModelFile> finished, directory.FinishedModel());
  if (finished.has_value()) {
    TW_RETURN_IF_ERROR(CheckSameModel(asked, *finished));
    TW_RETURN_IF_ERROR(CheckIsNoRehearsal(wall, *finished));
    // Left over where the last run ended between the two steps of ModelDirectory::Finish.
    TW_RETURN_IF_ERROR(directory.RemoveCheckpoint());
    return FitResult{.model = *std::move(finished), .was_finished = true};
  }
  TW_ASSIGN_OR_RETURN(std::optional<v1::CheckpointFile> checkpoint, directory.Checkpoint());
  TW_ASSIGN_OR_RETURN(v1::CheckpointFile begun,
                      checkpoint.has_value()
                          ? Resume(wall, asked, spec.iterations, *std::move(checkpoint))
                          : Begin(wall, asked, hooks));
  TW_ASSIGN_OR_RETURN(v1::ModelFile model, Complete({.wall = wall,
                                                     .directory = directory,
                                                     .on_progress = hooks.on_progress,
                                                     .should_stop = hooks.should_stop},
                                                    std::move(begun)));
  return FitResult{.model = std::move(model), .was_finished = false};
}

}  // namespace topicwall::client
