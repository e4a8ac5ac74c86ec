#include "client/report/report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/evaluate/prevalence_file.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "client/report/facts/folder_facts.h"
#include "client/report/facts/ledger_facts.h"
#include "client/report/facts/model_facts.h"
#include "client/report/facts/rounded_numbers.h"
#include "client/report/facts/signal_facts.h"
#include "client/report/page/page.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {
namespace {

// The folder says first what is wrong with it; a model never changes, be it a copy of an unfinished
// fit, and of a fit that is under way the page is of what was there then.
absl::StatusOr<OtherModel> ReadHashed(const std::string& folder) {
  OtherModel model;
  TW_ASSIGN_OR_RETURN(model.file, ReadModelSoFar(folder));
  model.is_checkpoint = !base::FileExists(ModelPath(folder));
  TW_ASSIGN_OR_RETURN(
      const std::string bytes,
      base::ReadWholeFile(model.is_checkpoint ? CheckpointPath(folder) : ModelPath(folder),
                          kMaxModelBytes));
  model.sha256 = base::Hex(base::Sha256Of(bytes));
  return model;
}

absl::Status AddPrevalencesOf(const ReportSources& sources, const v1::ModelFile& model,
                              std::vector<PlanOfReport>& plans, v1::Report& report) {
  // What lies in the folder may be of an earlier model and is passed over; what was named on the
  // command line was meant, and is refused where it does not fit.
  TW_ASSIGN_OR_RETURN(std::vector<std::string> paths, FilesBeside(sources.model, "prevalence"));
  const size_t beside = paths.size();
  paths.insert(paths.end(), sources.prevalences.begin(), sources.prevalences.end());
  for (size_t i = 0; i < paths.size(); ++i) {
    TW_ASSIGN_OR_RETURN(const std::optional<v1::PrevalenceFile> file, ReadPrevalence(paths[i]));
    const bool fits =
        file.has_value() && IsFinished(*file) && file->topics_sha256() == TopicsSha256(model);
    if (fits) {
      TW_RETURN_IF_ERROR(AddPrevalence(*file, plans, report));
    } else if (i >= beside) {
      return absl::InvalidArgumentError(absl::StrCat(
          paths[i],
          " is no finished prevalence of this model's topics. Leave it out, or finish it "
          "with `topicwall prevalence`."));
    }
  }
  return absl::OkStatus();
}

std::vector<PlanOfReport> PlansOf(const v1::ModelFile& model) {
  if (model.plan_id().empty()) return {};  // of documents of one's own
  const std::string corpus = absl::StrCat(" of corpus ", model.corpus());
  std::vector<PlanOfReport> plans;
  for (const v1::ModelStage& stage : model.gaussian().stages()) {
    plans.push_back(
        {.id = stage.plan_id(), .what = absl::StrCat("its stage ", stage.name(), corpus)});
  }
  if (!plans.empty()) return plans;
  plans = {{.id = model.plan_id(), .what = absl::StrCat("the topics", corpus)}};
  if (!model.unigram_plan_id().empty()) {
    plans.push_back(
        {.id = model.unigram_plan_id(), .what = absl::StrCat("the word frequencies", corpus)});
  }
  return plans;
}

// What was paid for since, when an older report is verified: no part of it.
void LeaveOutPlans(const std::vector<std::string>& later, std::vector<PlanOfReport>& plans,
                   v1::Report& report) {
  const auto leave_out = [&later](auto& list, const auto& id_of) {
    const auto kept = std::remove_if(list.begin(), list.end(), [&](const auto& one) {
      return std::find(later.begin(), later.end(), id_of(one)) != later.end();
    });
    list.erase(kept, list.end());
  };
  const auto id_of_paid = [](const auto& paid) { return paid.plan_id(); };
  leave_out(*report.mutable_evaluations(), id_of_paid);
  leave_out(*report.mutable_prevalences(), id_of_paid);
  leave_out(plans, [](const PlanOfReport& plan) { return plan.id; });
}

// Whether a corpus, in that version, spends from the budget of the chain.
bool SpendsFrom(const std::vector<v1::LedgerEntry>& chain, const std::string& corpus,
                const std::string& version) {
  return std::any_of(chain.begin(), chain.end(), [&](const v1::LedgerEntry& entry) {
    v1::LedgerEvent event;
    return event.ParseFromString(entry.event()) && event.has_corpus_joined() &&
           event.corpus_joined().corpus() == corpus &&
           event.corpus_joined().corpus_version() == version;
  });
}

// Of another chain every promise may be true, and none of it is of this model. What another corpus
// said of it beside is paid elsewhere, and the sheet says so.
absl::Status CheckKnows(const v1::ReportedLedger& ledger, const std::vector<v1::LedgerEntry>& chain,
                        const std::vector<PlanOfReport>& plans, const std::string& folder) {
  for (const PlanOfReport& plan : plans) {
    const bool is_known = std::any_of(
        ledger.plans().begin(), ledger.plans().end(),
        [&plan](const v1::ReportedPlan& reserved) { return reserved.plan_id() == plan.id; });
    const bool is_beside = !plan.corpus.empty();
    if (is_known || (is_beside && !SpendsFrom(chain, plan.corpus, plan.corpus_version))) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        folder, ": plan ", plan.id, ", of ", plan.what,
        ", is not in the ledger, or sealed in it because it is somebody else's. Give the ledger of "
        "that corpus, as whoever paid or an auditor sees it; ",
        is_beside ? "move what lies beside the model out of the folder; " : "",
        "or write the report without a ledger."));
  }
  return absl::OkStatus();
}

absl::Status AddLedger(const ReportSources& sources, const v1::ModelFile& model,
                       const std::vector<PlanOfReport>& plans, v1::Report& report) {
  LedgerToReport ledger = {.entries = *sources.ledger,
                           .plans = {},
                           .price = NotedPriceOf(model),
                           .takings = sources.takings.has_value() ? &*sources.takings : nullptr};
  for (const PlanOfReport& plan : plans) ledger.plans.push_back(plan.id);
  TW_RETURN_IF_ERROR(AddLedgerFacts(ledger, report));
  const auto& reserved = report.ledger().plans();
  if (model.plan_id().empty() &&
      std::none_of(reserved.begin(), reserved.end(),
                   [](const v1::ReportedPlan& plan) { return plan.is_of_report(); })) {
    return absl::FailedPreconditionError(absl::StrCat(
        sources.model,
        " was fitted to documents of one's own, without a wall, and nothing that lies beside it "
        "was paid from this ledger, which promises nothing of it. Write its report without a "
        "ledger."));
  }
  TW_RETURN_IF_ERROR(CheckKnows(report.ledger(), *sources.ledger, plans, sources.model));
  if (model.plan_id().empty() || model.corpus().empty() ||
      SpendsFrom(*sources.ledger, model.corpus(), model.corpus_version())) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      sources.model, ": the model says that it is of corpus ", model.corpus(), ", version ",
      base::Hex(model.corpus_version()),
      ", which does not spend from this ledger's budget, though its plans do. It was edited: take "
      "it from whoever fitted it, or fit again."));
}

}  // namespace

absl::StatusOr<v1::Report> GatherReport(const ReportSources& sources) {
  v1::Report report;
  report.set_format_version(kReportFormatVersion);
  report.set_program_version(sources.program_version);
  TW_ASSIGN_OR_RETURN(const OtherModel model, ReadHashed(sources.model));
  TW_RETURN_IF_ERROR(AddModelFacts(model.file, model.sha256, report));
  report.mutable_model()->set_is_checkpoint(model.is_checkpoint);
  TW_RETURN_IF_ERROR(AddLabels(sources.model, model.file, report));
  TW_RETURN_IF_ERROR(AddSignalFacts(model.file, report));
  // Each of these adds the plans that its numbers are from. So the ledger, which must know them,
  // comes behind.
  std::vector<PlanOfReport> plans = PlansOf(model.file);
  TW_RETURN_IF_ERROR(AddEvaluations(sources.model, model.file, plans, report));
  TW_RETURN_IF_ERROR(AddPrevalencesOf(sources, model.file, plans, report));
  LeaveOutPlans(sources.later_plans, plans, report);
  if (!sources.compare.empty()) {
    // Its plans are not asked of the ledger: another budget may have paid for it.
    TW_ASSIGN_OR_RETURN(const OtherModel other, ReadHashed(sources.compare));
    TW_RETURN_IF_ERROR(AddComparison(model.file, other, report));
  }
  if (sources.ledger.has_value()) TW_RETURN_IF_ERROR(AddLedger(sources, model.file, plans, report));
  // Last of all, so that no number that is shown keeps more digits than another machine finds
  // again.
  if (!RoundNumbers(report)) {
    return absl::InvalidArgumentError(
        absl::StrCat(sources.model,
                     ": its numbers are not all finite. Fit it again, or leave out what lies "
                     "beside it."));
  }
  return report;
}

}  // namespace topicwall::client
