// `topicwall prevalence`: how much of each group of a corpus's documents is about each topic. What
// was paid for before is shown again for nothing, by fewer attributes too; only where a price is
// named is the wall asked for more.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/commands/command.h"
#include "client/commands/prevalence_text.h"
#include "client/commands/spending.h"
#include "client/evaluate/wall_prevalence.h"
#include "client/exit_code.h"
#include "client/fit/model_file.h"
#include "model/lda/math/normal_tail.h"

namespace topicwall::client {
namespace {

struct PrevalenceFlags {
  std::string model;
  PrevalenceWish wish;
  std::vector<std::string> merged;  // topics, "3+7"
  int top = 10;
  bool csv = false;
  std::string custodian_key;  // 64 hexadecimal digits, or empty
  bool yes = false;
};

std::string ByText(const std::vector<model::Attribute>& by) {
  if (by.empty()) return "all documents together";
  return absl::StrCat("by ", absl::StrJoin(by, ", ", [](std::string* out, const auto& one) {
                        absl::StrAppend(out, one.name, " (", model::NumValues(one), " values)");
                      }));
}

// `error`: of an average topic's share of an average group; infinite where the group's count is not
// expected above the noise.
std::string ExpectedText(double error, const PrevalenceQuote& quote) {
  const std::string assumption = AssumptionOf(quote);
  if (!std::isfinite(error)) {
    return absl::StrCat("nothing of an average group, whose documents are too few for this noise ",
                        assumption,
                        "; more of larger ones. Spend more, or ask by fewer attributes");
  }
  return absl::StrFormat("an average topic's share of an average group to within ±%.2g points, %s",
                         100 * lda::UsualPoint() * error, assumption);
}

std::string QuoteText(const PrevalenceQuote& quote) {
  const v1::ReleaseSpec& plan = quote.plan;
  base::Table table;
  table.AddRow({"prevalence",
                absl::StrFormat("of the model's topics in %s, %s; releases: %d; noise multiplier "
                                "%g, clip norm %g",
                                plan.corpus(), ByText(quote.attributes), plan.iterations(),
                                plan.gaussian().noise_multiplier(), quote.clip_norm)});
  AddTakingRows(quote, table);
  AddSumRow(quote.description.sum(), table);
  const std::optional<double> error = ExpectedError(quote);
  if (error.has_value()) table.AddRow({"expected", ExpectedText(*error, quote)});
  return table.Text();
}

// What the numbers are of, and what they cost.
std::string NoteText(const v1::PrevalenceFile& file, const PaidWhen& when) {
  base::Table table;
  if (file.privacy_unit() == v1::PRIVACY_UNIT_OWNER) {
    table.AddRow({"owners", "one of many documents counts as if it had fewer (clip norm " +
                                absl::StrFormat("%g", file.clip_norm()) +
                                "): shares and counts are of what counts"});
  }
  AddPaidRows(PaidFor(file), when, table);
  return table.Text(2);
}

std::string JsonTextOf(const v1::ModelFile& model, const PrevalenceReport& report,
                       const PaidWhen& when) {
  const v1::PrevalenceFile& file = report.file;
  const v1::ReleaseSpec& plan = file.plan().plan();
  base::JsonObject object = JsonOf(report);
  SetStanding(model, object);
  object.SetString("corpus", plan.corpus())
      .SetString("corpus_version", base::Hex(plan.corpus_version()))
      .SetString("plan_id", file.plan().plan_id())
      .SetInteger("releases", plan.iterations())
      .SetNumber("sampling_rate", plan.sampling_rate())
      .SetNumber("noise_multiplier", plan.gaussian().noise_multiplier())
      .SetNumber("clip_norm", file.clip_norm())
      .SetBool("of_owners", file.privacy_unit() == v1::PRIVACY_UNIT_OWNER);
  AddPaidJson(PaidFor(file), when, object);
  return object.Text();
}

// From "3+7" to {2, 6}.
absl::StatusOr<std::vector<std::vector<int>>> TopicsOf(const std::vector<std::string>& merged) {
  std::vector<std::vector<int>> topics;
  for (const std::string& text : merged) {
    std::vector<int>& together = topics.emplace_back();
    for (const absl::string_view number : absl::StrSplit(text, '+')) {
      if (!absl::SimpleAtoi(number, &together.emplace_back()) || together.back() < 1) {
        return UsageError(absl::StrCat("--merge takes topics as in 3+7,12+40; got ", text, "."));
      }
      --together.back();
    }
  }
  return topics;
}

// What is to be shown, checked as far as it can be before anything is asked or paid.
absl::StatusOr<PrevalenceView> ViewOf(const PrevalenceFlags& flags, const v1::ModelFile& model) {
  PrevalenceView view{.by = flags.wish.by};
  TW_ASSIGN_OR_RETURN(view.merged, TopicsOf(flags.merged));
  const absl::Status checked = CheckView(view, model.num_topics());
  if (!checked.ok()) return UsageError(checked.message());
  return view;
}

absl::Status Show(const PrevalenceFlags& flags, const v1::ModelFile& model,
                  const v1::PrevalenceFile& file, const PaidWhen& when,
                  const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const PrevalenceView view, ViewOf(flags, model));
  TW_ASSIGN_OR_RETURN(const PrevalenceReport report, ReportOf(file, view));
  if (flags.csv) {
    terminal.Print(CsvOf(report));
  } else if (invocation.json) {
    terminal.Print(JsonTextOf(model, report, when));
  } else {
    TW_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesOf(flags.model, model, report));
    terminal.Print(absl::StrCat(TextOf(report, names, flags.top), "\n", NoteText(file, when)));
  }
  return absl::OkStatus();
}

absl::Status Ask(const PrevalenceFlags& flags, const v1::ModelFile& model,
                 const Invocation& invocation, Terminal& terminal) {
  return PayAndShow(
      {flags.model, flags.custodian_key}, invocation, terminal, AskPrevalence, flags.wish,
      [&](const PrevalenceQuote& quote) {
        return AgreeToSpend(flags.yes, "prevalence", QuoteText(quote), "Reserve this plan?",
                            terminal);
      },
      [&](const WallPrevalence& asked, const PaidWhen& when) {
        return Show(flags, model, asked.file, when, invocation, terminal);
      });
}

absl::Status RunPrevalence(const PrevalenceFlags& given, const Invocation& invocation,
                           Terminal& terminal) {
  PrevalenceFlags flags = given;
  if (flags.csv && invocation.json) return UsageError("give one of --csv and --json.");
  TW_ASSIGN_OR_RETURN(const v1::ModelFile model, ReadModelShown(flags.model, terminal));
  TW_RETURN_IF_ERROR(CheckIsOfWords(model));
  // Before anything is paid, though it is made again to be shown.
  TW_RETURN_IF_ERROR(ViewOf(flags, model).status());
  if (flags.wish.corpus.empty()) flags.wish.corpus = model.corpus();
  if (flags.wish.corpus.empty()) {
    return UsageError(absl::StrCat("prevalence is of a corpus, and the model in ", flags.model,
                                   " was fitted to none behind a wall. Name one with --corpus."));
  }
  // A price is the only thing that asks a wall: without one the command can spend nothing.
  if (flags.wish.noise.SaysWhatToSpend()) return Ask(flags, model, invocation, terminal);
  TW_ASSIGN_OR_RETURN(const std::optional<v1::PrevalenceFile> paid,
                      FindPaid(flags.model, flags.wish, model));
  if (paid.has_value()) return Show(flags, model, *paid, {}, invocation, terminal);
  return UsageError(absl::StrCat("nothing that was paid for says this of ", flags.wish.corpus,
                                 ". Leave out what was asked for otherwise, or give --spend, which "
                                 "spends budget."));
}

void AddPlanFlags(base::Command command, PrevalenceWish& wish) {
  AddNoiseFlags(command, "Of it all: ", wish.noise);
  command.Add("--releases", wish.releases, "Releases to average (otherwise 1)").Positive();
  command
      .Add("--sampling-rate", wish.sampling_rate,
           "Share of the units drawn for each release (otherwise 1)")
      .Positive();
  command
      .Add("--typical-documents", wish.typical_documents,
           "Where the privacy unit is the owner: how many documents of one count in full, from "
           "public knowledge. Noise grows with it")
      .Positive();
  command
      .Add("--max-words", wish.max_words,
           "Words of a document that count (otherwise the wall's limit)")
      .Positive();
}

}  // namespace

void AddPrevalence(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "prevalence",
       .description =
           "How much of the documents behind the wall is about each topic of a model: "
           "of all, by group, over time, with intervals. A price asks for it, which "
           "spends budget; without one, what was paid for before with the flags that are "
           "given is shown",
       .example = "topicwall prevalence notes.model --by month,ward --spend 0.02\n"
                  "                                        # of owners also --typical-documents 5\n"
                  "  topicwall prevalence notes.model --by month --merge 3+7 --csv"},
      RunPrevalence);
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("--corpus", flags->wish.corpus,
              "Name of the corpus (otherwise the one that the model was fitted to)");
  command.Add("--by", flags->wish.by, "Attributes to tell documents apart by").SeparatedBy(',');
  AddPlanFlags(command, flags->wish);
  command
      .Add("--merge", flags->merged,
           "Topics to take together, by number: 3+7,12+40. Free, of what was paid for")
      .SeparatedBy(',');
  command.Add("--top", flags->top, "Topics to show of the largest").Positive().ShowDefault();
  command.AddFlag("--csv", flags->csv, "Print one row for each topic of each group");
  AddCustodianKey(command, &flags->custodian_key);
  command.AddFlag("--yes", flags->yes, "Reserve without asking");
}

}  // namespace topicwall::client
