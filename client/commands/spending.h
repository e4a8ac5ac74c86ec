// How an analyst says what to spend, and is told what a plan takes: the same for all that is paid
// for. What is taken of the budget stands first, for it is what the budget goes down by; the ε of
// the plan alone is a footnote.
#ifndef TOPICWALL_CLIENT_COMMANDS_SPENDING_H_
#define TOPICWALL_CLIENT_COMMANDS_SPENDING_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/command_line.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/spend.h"
#include "client/commands/command.h"
#include "client/evaluate/ask_paid.h"
#include "client/fit/receipted_folder.h"
#include "client/interruption.h"
#include "client/terminal.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// --spend X|all|90%, --epsilon-alone X and --noise-multiplier X, each of `what`; `noise` must
// outlive the parsing.
void AddNoiseFlags(base::Command command, const std::string& what, PlanNoise& noise);
// --spend and --epsilon-alone.
void AddSpendFlags(base::Command command, const std::string& what, PlanNoise& noise);

// As such a flag would be typed: "--spend 90%", or "" if neither is given.
std::string SpendFlagText(const PlanNoise& noise);

// "takes  0.0193 of the 1.2436 left (2.4400 in all, at delta 1e-06); 1.2243 is left then", why it
// is less than was asked for, what of it the caller's cap admits, and what it would be alone.
void AddTakingRows(const PaidQuote& quote, base::Table& table);
// {"taken":…,"left":…,"left_after":…,"total":…,"delta":…,"epsilon_alone":…}, before the plan;
// "own_left" where it is less.
base::JsonObject TakingJson(const PaidQuote& quote);

// What was paid, as the quote told it.
template <typename File>
Taking TakingIn(const File& file) {
  return {.before = file.epsilon_before(), .after = file.epsilon_before() + file.epsilon_taken()};
}
// Of that: "0.0193 of the budget, at delta 1e-06 (alone it would be epsilon 0.2000)".
std::string TookText(const Taking& taking, double epsilon_alone, double delta);

// What was paid for a question about a model, as its file keeps it.
struct Paid {
  Taking taking;
  double taken;
  double epsilon_alone;
  double delta;
  const v1::FitPlan& plan;
  const v1::BudgetSum& sum;
};
template <typename File>
Paid PaidFor(const File& file) {
  return {.taking = TakingIn(file),
          .taken = file.epsilon_taken(),
          .epsilon_alone = file.epsilon(),
          .delta = file.delta(),
          .plan = file.plan(),
          .sum = file.sum()};
}
struct PaidWhen {
  bool was_finished = true;                     // before this command, which then asks no wall
  std::optional<v1::BudgetStatus> budget = {};  // as it stands now, if a wall said so
};
void AddPaidRows(const Paid& paid, const PaidWhen& when, base::Table& table);
void AddPaidJson(const Paid& paid, const PaidWhen& when, base::JsonObject& object);

// Before a plan is reserved: `yes`, or that of whoever reads `quote` at the terminal. An error that
// says so if nobody can be asked, or whoever was asked refused. "`what` spends budget."
absl::Status AgreeToSpend(bool yes, absl::string_view what, absl::string_view quote,
                          absl::string_view question, Terminal& terminal);

// How far a plan of which only the releases count has come: for PaidHooks::on_progress.
std::function<void(const v1::FitPlan& plan, int releases)> ShowReleases(Terminal& terminal);

// Asks what is paid for beside a fit (client/evaluate/ask_paid.h), and shows what came of it.
// `agree`: only where something new is to be reserved: what was begun goes on without --yes or a
// terminal.
template <typename Result, typename Wish, typename Quote, typename Agree, typename Show>
absl::Status PayAndShow(const PaidFolderFlags& flags, const Invocation& invocation,
                        Terminal& terminal,
                        absl::StatusOr<Result> (*ask)(WallPort&, ModelDirectory&, const Wish&,
                                                      const PaidHooks<Quote>&),
                        const Wish& wish, const Agree& agree, const Show& show) {
  const Interruption interruption(kStopsAfterRelease);
  const PaidHooks<Quote> hooks = {
      .agree = agree, .on_progress = ShowReleases(terminal), .should_stop = [&interruption] {
        return interruption.requested();
      }};
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ReceiptedFolder> folder,
                      OpenPaidFolder(invocation, terminal, flags, hooks.should_stop));
  const absl::StatusOr<Result> result = ask(folder->wall(), folder->directory(), wish, hooks);
  TW_RETURN_IF_ERROR(folder->Told(result.status(), wish.corpus));
  absl::StatusOr<std::optional<v1::BudgetStatus>> budget = std::nullopt;
  // What was found before must be shown without a wall.
  if (!result->was_finished) budget = folder->NoteEnd(wish.corpus);
  // What is paid for is told whatever the wall says by now.
  PaidWhen when{.was_finished = result->was_finished};
  if (budget.ok()) when.budget = *std::move(budget);
  TW_RETURN_IF_ERROR(show(*result, when));
  return budget.status();
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_SPENDING_H_
