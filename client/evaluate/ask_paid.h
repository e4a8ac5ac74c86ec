// One plan of J releases that all ask the same, agreed to once and paid once, whatever is
// interrupted: from a wish to a finished file.
//
//   TW_ASSIGN_OR_RETURN(const auto asked, (AskPaid<File, Quote>(wall, directory, {…}, hooks)));
//
// Order, as in fit.h: what is done already is answered from its file, if it was this wall that was
// paid (CheckPaidHere); then everything free is checked, the quote shown and agreed to, the
// request_id made durable, the plan reserved, and release by release asked for and noted. Killed at
// any instant and typed again, it goes on and pays nothing twice (client/wall/paid_release.h).
//
// Errors: FAILED_PRECONDITION if no budget is open, it does not fit, or the corpus has another
// version than when it was begun; those of paid_release.h. After a refusal for lack of budget no
// file stays. PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_ASK_PAID_H_
#define TOPICWALL_CLIENT_EVALUATE_ASK_PAID_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/enforced_price.h"
#include "client/evaluate/paid_plan.h"
#include "client/fit/fit_quote.h"
#include "client/fit/model_directory.h"
#include "client/wall/paid_release.h"
#include "client/wall/wall_port.h"
#include "model/data/corpus_shape.h"
#include "proto/model.pb.h"

namespace topicwall::client {

template <typename Quote>
struct PaidHooks {
  // OK to reserve it, else what the call returns.
  std::function<absl::Status(const Quote& quote)> agree;
  // Told when the plan is reserved, and after each release, how many there are.
  std::function<void(const v1::FitPlan& plan, int releases)> on_progress = {};
  // Asked before each release; may be empty. CANCELLED then, and the same call goes on.
  std::function<bool()> should_stop = {};
};

// What AskPaid need know of a question. What is begun in its file is gone on with.
template <typename File, typename Quote>
struct PaidQuestion {
  std::string corpus;
  std::string path;  // of the file
  absl::StatusOr<std::optional<File>> (*read)(const std::string& path);
  std::function<absl::StatusOr<Quote>()> quote;
  std::function<void(const Quote& quote, File& file)> note;   // in a new file, agreed to
  std::function<std::string(const File& file)> custodian_id;  // whom it was paid to
  std::function<absl::StatusOr<std::vector<float>>(const File& file)> parameters;
  std::function<absl::StatusOr<model::CorpusShape>(const File& file)> corpus_shape;
  int (*releases)(const File& file);  // that it holds
  void (*take)(const Release& release, File& file);
};

template <typename File>
struct Asked {
  File file;          // finished
  bool was_finished;  // before this call: nothing was paid in it
};

// Errors: those of the question, too.
template <typename File, typename Quote>
absl::StatusOr<Asked<File>> AskPaid(WallPort& wall, const ModelDirectory& directory,
                                    const PaidQuestion<File, Quote>& question,
                                    const PaidHooks<Quote>& hooks) {
  TW_ASSIGN_OR_RETURN(std::optional<File> begun, question.read(question.path));
  if (begun.has_value() && question.releases(*begun) == begun->plan().plan().iterations()) {
    TW_RETURN_IF_ERROR(
        CheckPaidHere(wall, question.corpus, directory.path(), question.custodian_id(*begun)));
    return Asked<File>{.file = *std::move(begun), .was_finished = true};
  }
  if (begun.has_value()) {
    TW_RETURN_IF_ERROR(CheckVersion(wall, begun->plan().plan()));
  } else {
    TW_ASSIGN_OR_RETURN(const Quote quote, question.quote());
    TW_RETURN_IF_ERROR(RefusalOf(quote));
    // Last of all: after a yes only the wall can still refuse.
    TW_RETURN_IF_ERROR(hooks.agree(quote));
    File& file = begun.emplace();
    *file.mutable_plan()->mutable_plan() = quote.plan;
    NoteQuoted(quote.budget, *file.mutable_plan());
    file.set_epsilon(quote.price.epsilon_alone());
    file.set_epsilon_taken(quote.taking.taken());
    file.set_epsilon_before(quote.taking.before);
    file.set_delta(quote.price.delta());
    if (IsShared(quote.description.sum())) *file.mutable_sum() = quote.description.sum();
    question.note(quote, file);
  }
  File& file = *begun;
  ReleaseQuestion asked = {.clip_norm = file.clip_norm()};
  TW_ASSIGN_OR_RETURN(asked.parameters, question.parameters(file));
  TW_ASSIGN_OR_RETURN(asked.corpus, question.corpus_shape(file));
  const auto take = [&](const Release& release) {
    question.take(release, file);
    return absl::OkStatus();
  };
  const auto show = [&] {
    if (hooks.on_progress) hooks.on_progress(file.plan(), question.releases(file));
  };
  const auto check = [&file](const v1::PlanState& reserved) {
    return CheckReserved(file.plan(), reserved);
  };
  TW_RETURN_IF_ERROR(
      RunPlan(wall, {.plan = *file.mutable_plan(),
                     .releases = [&] { return question.releases(file); },
                     .next = [&asked] { return asked; },
                     .take = take,
                     .write = [&] { return WriteIn(directory, file, question.path); },
                     .remove = [&] { return RemoveFrom(directory, question.path); },
                     .check = check,
                     .on_progress = show,
                     .should_stop = hooks.should_stop}));
  return Asked<File>{.file = std::move(file), .was_finished = false};
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_ASK_PAID_H_
