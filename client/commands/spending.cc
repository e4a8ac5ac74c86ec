#include "client/commands/spending.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/exit_code.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

std::string TakenOfLeftText(const Taking& taking) {
  // Of another kind some may be left, and ε with them.
  if (taking.of_vouchers && !std::isfinite(taking.after)) {
    return "more than the vouchers that are left";
  }
  return proto::TakenOfLeftText(taking.total, taking.before, taking.after);
}

// Beyond the vouchers nothing says what would be left.
std::string LeftThenText(const Taking& taking) {
  return std::isfinite(taking.after) ? absl::StrCat("; ", LeftAfterText(taking), " is left then")
                                     : "";
}

}  // namespace

void AddSpendFlags(base::Command command, const std::string& what, PlanNoise& noise) {
  command
      .AddParsed(
          "--spend",
          [&noise](const std::string& text) -> absl::Status {
            TW_ASSIGN_OR_RETURN(noise.spend, ParseSpend(text));
            return absl::OkStatus();
          },
          what +
              "what it takes of the budget: an epsilon, a share of what is left to you, or all; "
              "the least noise for it is found")
      .Called("X|90%|all");
  command
      .Add("--epsilon-alone", noise.epsilon,
           what +
               "instead, its epsilon if nothing else were ever spent: of full batches more than it "
               "takes, of a sampling rate below 1 it may be much less")
      .Positive();
}

void AddNoiseFlags(base::Command command, const std::string& what, PlanNoise& noise) {
  AddSpendFlags(command, what, noise);
  command
      .Add("--noise-multiplier", noise.noise_multiplier,
           what + "instead, noise standard deviation over clip norm, of each release")
      .Positive();
}

std::string SpendFlagText(const PlanNoise& noise) {
  if (noise.spend.has_value()) return absl::StrCat("--spend ", noise.spend->text);
  if (noise.epsilon.has_value()) return absl::StrFormat("--epsilon-alone %g", *noise.epsilon);
  return "";
}

void AddTakingRows(const PaidQuote& quote, base::Table& table) {
  const Taking& taking = quote.taking;
  table.AddRow(
      {"takes", absl::StrCat(TakenOfLeftText(taking), " (", proto::EpsilonText(taking.total),
                             " in all, at delta ", proto::DeltaText(quote.price.delta()), ")",
                             LeftThenText(taking))});
  if (taking.own.has_value()) table.AddRow({"", OwnText(*taking.own)});
  if (!quote.less.empty()) table.AddRow({"", quote.less});
  table.AddRow({"", absl::StrCat("alone it would be epsilon ",
                                 proto::EpsilonText(quote.price.epsilon_alone()))});
}

base::JsonObject TakingJson(const PaidQuote& quote) {
  const Taking& taking = quote.taking;
  base::JsonObject json;
  // The differences themselves, which JSON has in full; words tell four digits that add up.
  json.SetNumber("taken", taking.taken()).SetNumber("left", taking.total - taking.before);
  if (taking.own.has_value()) json.SetNumber("own_left", taking.own->left);
  return json.SetNumber("left_after", taking.total - taking.after)
      .SetNumber("total", taking.total)
      .SetNumber("delta", quote.price.delta())
      .SetNumber("epsilon_alone", quote.price.epsilon_alone());
}

std::string TookText(const Taking& taking, double epsilon_alone, double delta) {
  return absl::StrCat(TakenText(taking), " of the budget, at delta ", proto::DeltaText(delta),
                      " (alone it would be epsilon ", proto::EpsilonText(epsilon_alone), ")");
}

void AddPaidRows(const Paid& paid, const PaidWhen& when, base::Table& table) {
  table.AddRow({"took", TookText(paid.taking, paid.epsilon_alone, paid.delta)});
  table.AddRow({"", absl::StrCat("plan ", paid.plan.plan_id())});
  if (when.budget.has_value()) {
    table.AddRow(
        {"budget",
         absl::StrCat(proto::EpsilonText(when.budget->epsilon_spent()), " of ",
                      proto::EpsilonText(when.budget->epsilon_total()), " spent, ",
                      proto::LeftText(when.budget->epsilon_total(), when.budget->epsilon_spent()),
                      " left")});
  } else {
    table.AddRow({"", when.was_finished ? "found before: nothing was asked, nothing was paid"
                                        : "what is left the wall does not tell just now"});
  }
  if (when.budget.has_value()) {
    AddSumRow(when.budget->sum(), table);
  } else {
    // Of the purchase: other budgets may have been opened since.
    AddSumRow(paid.sum, table, "when it was paid ");
  }
}

void AddPaidJson(const Paid& paid, const PaidWhen& when, base::JsonObject& object) {
  object.SetNumber("taken", paid.taken)
      .SetNumber("epsilon_alone", paid.epsilon_alone)
      .SetNumber("delta", paid.delta)
      .SetBool("was_finished", when.was_finished);
  if (when.budget.has_value()) {
    object.SetNumber("epsilon_spent", when.budget->epsilon_spent())
        .SetNumber("epsilon_total", when.budget->epsilon_total())
        .SetNumber("epsilon_left", when.budget->epsilon_left());
  }
  object.SetRaw("sum", SumJson(when.budget.has_value() ? when.budget->sum() : paid.sum));
}

absl::Status AgreeToSpend(bool yes, absl::string_view what, absl::string_view quote,
                          absl::string_view question, Terminal& terminal) {
  terminal.Remark(quote);
  if (!yes && !terminal.can_ask()) {
    return UsageError(
        absl::StrCat(what, " spends budget and there is no terminal to ask on: add --yes."));
  }
  if (yes || terminal.Confirm(question)) return absl::OkStatus();
  return absl::CancelledError("nothing was reserved.");
}

std::function<void(const v1::FitPlan& plan, int releases)> ShowReleases(Terminal& terminal) {
  return [&terminal](const v1::FitPlan& plan, int releases) {
    terminal.ShowProgress(absl::StrCat("plan ", plan.plan_id(), "  ",
                                       ProgressBar(releases, plan.plan().iterations())));
  };
}

}  // namespace topicwall::client
