// `topicwall report MODEL --output FILE`, and `--verify FILE`, which asks for the same sources
// again and finds what the report says otherwise. A ledger comes from a wall (--corpus) or from an
// export
// (--events, which `topicwall ledger --events` writes); without one the report says nothing of the
// budget.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/durable_file.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/audit/ledger_export.h"
#include "client/audit/takings.h"
#include "client/audit/wall_audit.h"
#include "client/commands/command.h"
#include "client/exit_code.h"
#include "client/fit/fit_outcome.h"
#include "client/report/facts/seen_ledger.h"
#include "client/report/page/page.h"
#include "client/report/report.h"
#include "client/report/text/numbers.h"
#include "client/report/verification.h"
#include "client/wall/mock_custodian.h"
#include "client/wall/receipt_book.h"

namespace topicwall::client {
namespace {

// Far above any report: one of 50 topics is a megabyte (page.h).
constexpr int64_t kMaxPageBytes = int64_t{1} << 28;

struct ReportFlags {
  std::string version;  // of this program
  std::string model;    // folder; empty only with --verify
  std::string corpus;
  std::string events;
  std::vector<std::string> prevalences;
  std::string compare;
  std::string output;
  std::string verified;
};

struct Ledger {
  std::vector<v1::LedgerEntry> chain;
  std::optional<Takings> takings;             // of the same entries, where some are of others
  int64_t events = 0;                         // of which `takings` says what everybody has spent
  std::vector<std::string> later_plans = {};  // reserved behind the chain's end
};

// To what the report `told` is of.
absl::Status CutTo(const v1::ReportedLedger& told, Ledger& ledger) {
  ledger.later_plans = PlansBehind(ledger.chain, told);
  TW_ASSIGN_OR_RETURN(ledger.chain, BeginningOf(std::move(ledger.chain), told));
  return absl::OkStatus();
}

// From the wall, which must also say of the chain what the chain says: a report is shown to people
// who will not look themselves. As far as the budget counts, or as far as the report `told` does.
absl::StatusOr<Ledger> AskLedger(const std::string& corpus, const v1::ReportedLedger* told,
                                 const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(WallAudit found, AuditWall(*wall, corpus));
  if (!found.audit.findings.empty()) {
    return absl::DataLossError(absl::StrCat(
        "the ledger does not add up, and is not reported: ", found.audit.findings.front(),
        " `topicwall ledger ", corpus, " --verify` shows all of it."));
  }
  Ledger ledger = {
      .chain = std::move(found.entries), .takings = {}, .events = found.budget.events()};
  if (told != nullptr) {
    TW_RETURN_IF_ERROR(CutTo(*told, ledger));
  } else {
    // Entries that came while it was read are behind what GetBudget counted, and so behind what is
    // told as spent.
    ledger.chain.resize(std::min(ledger.chain.size(), static_cast<size_t>(ledger.events)));
  }
  if (std::none_of(ledger.chain.begin(), ledger.chain.end(),
                   [](const v1::LedgerEntry& entry) { return entry.event().empty(); })) {
    return ledger;
  }
  found.budget.set_corpus(corpus);
  // TakingsOf goes as far as the budget says: here as far as the report does.
  found.budget.set_events(static_cast<int64_t>(ledger.chain.size()));
  TW_ASSIGN_OR_RETURN(ledger.takings, TakingsOf(*wall, found.budget, ledger.chain));
  return ledger;
}

absl::StatusOr<std::optional<Ledger>> LedgerOf(const ReportFlags& flags,
                                               const v1::ReportedLedger* told,
                                               const Invocation& invocation, Terminal& terminal) {
  if (!flags.corpus.empty() && !flags.events.empty()) {
    return UsageError("give the ledger once: --corpus asks the wall, --events reads a file.");
  }
  if (!flags.corpus.empty()) return AskLedger(flags.corpus, told, invocation, terminal);
  if (flags.events.empty()) return std::nullopt;
  TW_ASSIGN_OR_RETURN(const std::string pinned, PinnedKey(invocation, ""));
  TW_ASSIGN_OR_RETURN(const std::string noted, NotedKeyOf(flags.model));
  // To its end, also where the report is of less: what is behind is asked what it reserved.
  TW_ASSIGN_OR_RETURN(OpenedExport opened, OpenExport(flags.events, {pinned, noted}));
  if (!opened.remark.empty()) terminal.Remark(opened.remark);
  Ledger ledger = {.chain = std::move(opened.entries), .takings = {}};
  if (told != nullptr) TW_RETURN_IF_ERROR(CutTo(*told, ledger));
  return ledger;
}

ReportSources SourcesOf(const ReportFlags& flags, std::optional<Ledger> ledger) {
  ReportSources sources = {.model = flags.model,
                           .prevalences = flags.prevalences,
                           .compare = flags.compare,
                           .ledger = std::nullopt,
                           .takings = std::nullopt,
                           .later_plans = {},
                           .program_version = flags.version};
  if (ledger.has_value()) {
    sources.ledger = std::move(ledger->chain);
    sources.takings = std::move(ledger->takings);
    sources.later_plans = std::move(ledger->later_plans);
  }
  return sources;
}

absl::Status WriteReport(const ReportFlags& flags, const Invocation& invocation,
                         Terminal& terminal) {
  if (flags.model.empty() || flags.output.empty()) {
    return UsageError("report takes the folder of a model and --output FILE, or --verify FILE.");
  }
  TW_ASSIGN_OR_RETURN(std::optional<Ledger> ledger, LedgerOf(flags, nullptr, invocation, terminal));
  // Before anything is written: what it remarks is of the other model, and it may be none.
  if (!flags.compare.empty()) {
    TW_RETURN_IF_ERROR(ReadModelShown(flags.compare, terminal).status());
  }
  TW_ASSIGN_OR_RETURN(const v1::Report report, GatherReport(SourcesOf(flags, std::move(ledger))));
  TW_RETURN_IF_ERROR(base::ReplaceOutputDurably(flags.output, RenderPage(report)));
  if (IsMock(report.model().custodian_id())) terminal.Remark(kMockRemark);
  if (report.model().has_unfinished()) {
    terminal.Remark(UnfinishedText(report.model().unfinished(), flags.model));
  }
  if (invocation.json) {
    terminal.Print(base::JsonObject()
                       .SetString("output", flags.output)
                       .SetInteger("topics", report.topics_size())
                       .SetBool("has_privacy_sheet", report.has_ledger())
                       .Text());
    return absl::OkStatus();
  }
  terminal.Print(absl::StrCat("wrote ", flags.output, ": ", report.topics_size(),
                              report.model().has_vectors() ? " components" : " topics",
                              report.has_ledger() ? ", with the privacy sheet" : ""));
  if (!report.has_ledger() && !report.model().plan_id().empty()) {
    terminal.Remark(absl::StrCat("without a privacy sheet: --corpus ", report.model().corpus(),
                                 " or --events FILE adds the ledger."));
  }
  return absl::OkStatus();
}

struct Verification {
  std::vector<std::string> differences;
  std::vector<std::string> left_out;  // what was not compared, for want of its source
};

// What of the ledger's numbers the sources given cannot say.
void LeaveOutOfLedger(v1::Report& told, std::optional<Ledger>& ledger, Verification& result) {
  if (!ledger.has_value()) {
    result.left_out.emplace_back("the ledger's numbers: give --corpus NAME or --events FILE");
    told.clear_ledger();
    return;
  }
  const v1::ReportedLedger& sheet = told.ledger();
  const bool saw_all = sheet.unseen_entries() == 0;
  // Written from a file, it says what the visible entries say, and is held against that.
  if (!sheet.has_spent_by_all() && !saw_all) ledger->takings.reset();
  if (!ledger->later_plans.empty()) {
    result.left_out.push_back(absl::StrCat("what was paid for since it was written, by ",
                                           ledger->later_plans.size(), " of the plans shown"));
  }
  if (!ledger->takings.has_value()) return;
  if (ledger->events == sheet.entries()) return;
  // Of a moment that is past a wall says no more what others had spent.
  ledger->takings->spent = saw_all ? sheet.spent() : sheet.spent_by_all();
  result.left_out.emplace_back("what everybody had taken in all: the ledger has grown since");
}

// Of sources that were not given nothing is compared, which is told.
absl::StatusOr<Verification> Verify(const ReportFlags& flags, const Invocation& invocation,
                                    Terminal& terminal) {
  Verification result;
  TW_ASSIGN_OR_RETURN(const std::string html, base::ReadWholeFile(flags.verified, kMaxPageBytes));
  TW_ASSIGN_OR_RETURN(v1::Report told, ReportInPage(html));
  // Before anything is left out of `told`: the page is drawn from all of it.
  result.differences = DifferencesOfPage(html, told, flags.version);
  if (flags.model.empty()) {
    result.left_out.emplace_back("all numbers: give --model FOLDER");
    return result;
  }
  const bool has_sheet = told.has_ledger();
  TW_ASSIGN_OR_RETURN(std::optional<Ledger> ledger,
                      LedgerOf(flags, has_sheet ? &told.ledger() : nullptr, invocation, terminal));
  const bool is_unasked = !has_sheet && ledger.has_value();
  if (has_sheet) LeaveOutOfLedger(told, ledger, result);
  if (told.has_comparison() && flags.compare.empty()) {
    result.left_out.emplace_back("the other model's numbers: give --compare FOLDER");
    told.clear_comparison();
  }
  const ReportSources sources = SourcesOf(flags, std::move(ledger));
  TW_ASSIGN_OR_RETURN(v1::Report found, GatherReport(sources));
  if (is_unasked) {
    // It was held against what the files say of their plans, which the page says too.
    found.clear_ledger();
    result.left_out.emplace_back("the ledger's numbers: the page has none of them");
  }
  if (told.has_ledger() && found.has_ledger()) {
    TW_ASSIGN_OR_RETURN(const std::vector<std::string> sealed,
                        SeeAsWriter(told.ledger(), *sources.ledger, *found.mutable_ledger()));
    result.left_out.insert(result.left_out.end(), sealed.begin(), sealed.end());
  }
  for (std::string& difference : DifferencesOfNumbers(told, found)) {
    result.differences.push_back(std::move(difference));
  }
  return result;
}

absl::Status ShowVerification(const ReportFlags& flags, const Invocation& invocation,
                              Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const Verification result, Verify(flags, invocation, terminal));
  if (invocation.json) {
    terminal.Print(base::JsonObject()
                       .SetBool("verified", result.differences.empty())
                       .SetStrings("differences", result.differences)
                       .SetStrings("not_compared", result.left_out)
                       .Text());
  } else {
    std::string text = result.differences.empty()
                           ? absl::StrCat(flags.verified, " says what its sources say")
                           : absl::StrJoin(result.differences, "\n");
    for (const std::string& left_out : result.left_out) {
      absl::StrAppend(&text, "\nnot compared: ", left_out);
    }
    terminal.Print(text);
  }
  if (result.differences.empty()) return absl::OkStatus();
  // After the differences are printed; the exit code is what a script looks at.
  return absl::DataLossError(absl::StrCat(
      flags.verified, " says something else than its sources: ",
      Counted(static_cast<int64_t>(result.differences.size()), "difference", "differences"), "."));
}

absl::Status WriteOrVerify(const ReportFlags& flags, const Invocation& invocation,
                           Terminal& terminal) {
  return (flags.verified.empty() ? WriteReport : ShowVerification)(flags, invocation, terminal);
}

}  // namespace

void AddReport(base::Command app, Invocation& invocation, const std::string& version) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "report",
       .description = "A model as one file of HTML to show: map, topics, words, what was evaluated "
                      "beside it, and a sheet on privacy for a committee. --verify holds such a "
                      "file against its model and the ledger",
       .example = "topicwall report notes.model --corpus notes --output notes.html\n"
                  "  topicwall report notes.model --events notes.events --output notes.html\n"
                  "  topicwall report --verify notes.html --model notes.model --corpus notes"},
      WriteOrVerify);
  flags->version = version;
  command.Add("folder,--model", flags->model, "Folder of the model");
  command.Add("--corpus", flags->corpus, "Ask the wall for the ledger of this corpus");
  command.Add("--events", flags->events,
              "Read the ledger from this file, which `topicwall ledger --events` wrote");
  command
      .Add("--prevalence", flags->prevalences,
           "More prevalence-….pb files of this model than lie in its folder")
      .SeparatedBy(',');
  command.Add("--compare", flags->compare, "Folder of a model to compare its topics with");
  command.Add("--output", flags->output, "File to write");
  command.Add("--verify", flags->verified, "Report to verify; nothing is written");
}

}  // namespace topicwall::client
