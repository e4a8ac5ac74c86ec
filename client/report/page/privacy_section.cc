// One sheet of A4 that is printed, read by people who decide, signed and filed. It says nothing
// that does not follow from the chain's entries, and says what it cannot know.
#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/report/page/privacy_figures.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

// More would not fit on the sheet; all are in the ledger.
constexpr int kPlansShown = 6;
constexpr int kRestoresShown = 2;

void AddRow(const std::string& name, const std::string& value, Html& html) {
  html.Open("tr").Add("th", {{"scope", "row"}}, name).Add("td", value).Close();
}

std::string UnitText(const v1::ReportedLedger& ledger) {
  return ledger.privacy_unit() == v1::PRIVACY_UNIT_OWNER
             ? "all documents of one owner, however many"
             : "one document; whoever wrote g of them is a group of g units";
}

std::string TimingText(const v1::ReportedLedger& ledger) {
  std::string text;
  if (!ledger.knows_timing()) {
    text = "not recorded for every release that was seen";
  } else if (ledger.shortest_interval_ms() == 0) {
    text = "no protection: how long a release took may depend on documents";
  } else {
    // The shortest of all charges that were seen, so that it holds for each of them.
    text = absl::StrCat("releases appear only at public moments, ",
                        Fixed(static_cast<double>(ledger.shortest_interval_ms()) / 1000, 1),
                        " s apart or more");
  }
  return absl::StrCat(text, "; ", Counted(ledger.overruns(), "missed its", "missed their"),
                      " moment, ", Thousands(ledger.restarts()), " waited for a restart, ",
                      Thousands(ledger.voided()), " never came");
}

std::string SpentText(const v1::ReportedLedger& ledger) {
  std::string text = absl::StrCat(KnowsAllSpent(ledger) ? "" : "at least ", "ε ",
                                  proto::EpsilonText(SpentOf(ledger)), " of ",
                                  proto::EpsilonText(ledger.epsilon()), " so far");
  if (ledger.has_spent_by_all()) {
    absl::StrAppend(&text, ", by everybody, as the wall says; ", Thousands(ledger.unseen_entries()),
                    " entries are of others and came sealed");
  } else if (ledger.unseen_entries() > 0) {
    absl::StrAppend(&text, "; ", Thousands(ledger.unseen_entries()),
                    " entries of others are not known");
  }
  if (ledger.forfeited()) text += "; after a restore all of it counts as spent";
  return text;
}

void AddPromise(const v1::ReportedLedger& ledger, Html& html) {
  html.Open("table", {{"class", "facts"}}).Open("tbody");
  AddRow("protected unit", UnitText(ledger), html);
  AddRow("promise of the budget",
         absl::StrCat(PairText(ledger.epsilon(), ledger.delta()), ", ",
                      ledger.is_inventory() ? "by vouchers fixed beforehand"
                                            : "by a filter, however requests are chosen"),
         html);
  AddRow("with other budgets",
         ledger.has_sum()
             ? absl::StrCat(PromiseText(ledger.sum().epsilon(), ledger.sum().delta()), " with ",
                            Counted(ledger.sum().budgets_size(), "other", "others"),
                            " that may concern the same people")
             : "none that may concern the same people",
         html);
  AddRow("taken", SpentText(ledger), html);
  AddRow("timing", TimingText(ledger), html);
  // The last ones: what was restored last is what counts now.
  const int first = std::max(0, ledger.restores_size() - kRestoresShown);
  for (int i = first; i < ledger.restores_size(); ++i) {
    AddRow("restored", ledger.restores(i), html);
  }
  if (first > 0) {
    AddRow("restored", absl::StrCat("and before, ", Counted(first, "time", "times")), html);
  }
  html.Close().Close();
}

// In the reader's words; all other models are named as they are asked for.
std::string NameOf(const v1::ReportedPlan& plan) {
  if (plan.model() == "document_completion" || plan.model() == "gaussian_likelihood") {
    return "evaluation";
  }
  return plan.model();
}

void AddPlan(const v1::ReportedPlan& plan, Html& html) {
  html.Open("tr");
  html.Open("th", {{"scope", "row"}}).Add("code", ShortId(plan.plan_id()));
  if (plan.is_of_report()) html.Text(" ●");
  html.Close();
  html.Add("td", {{"class", "text"}}, TimeText(plan.time_ms()));
  html.Add("td", {{"class", "text who"}}, plan.principal());
  std::string what = absl::StrCat(plan.charged(), " of ", plan.iterations(), " × ", NameOf(plan),
                                  ", σ ", Fixed(plan.noise_multiplier(), 2));
  if (plan.histogram_noise_multiplier() > 0) {
    absl::StrAppend(&what, " and ", Fixed(plan.histogram_noise_multiplier(), 2));
  }
  if (plan.sampling_rate() < 1) absl::StrAppend(&what, ", ν ", Fixed(plan.sampling_rate(), 3));
  if (plan.returned() > 0) absl::StrAppend(&what, ", ", plan.returned(), " given back");
  if (plan.voided() > 0) absl::StrAppend(&what, ", ", plan.voided(), " voided");
  html.Add("td", {{"class", "text"}}, what);
  html.Add("td", proto::TakenText(plan.spent_before(), plan.spent_after()));
  html.Add("td", proto::EpsilonText(plan.spent_after())).Close();
}

// What the numbers of the table mean where somebody else stands between its plans.
std::string OthersNote(const v1::ReportedLedger& ledger) {
  if (ledger.unseen_entries() == 0) return "";
  return KnowsAllSpent(ledger)
             ? " Plans of others are not listed; what they took is in “ε then”, by the wall’s "
               "receipts."
             : " Plans of others are not known: “ε taken” is what it would be without them, “ε "
               "then” the least that it was.";
}

// The model's, or, where it is of documents of one's own, one that was asked about it.
std::string CorpusOf(const v1::Report& report) {
  if (!report.model().plan_id().empty()) return report.model().corpus();
  std::map<std::string, std::string> corpora;  // of plans
  for (const auto& one : report.evaluations()) corpora[one.plan_id()] = one.corpus();
  for (const auto& one : report.prevalences()) corpora[one.plan_id()] = one.corpus();
  for (const v1::ReportedPlan& plan : report.ledger().plans()) {
    if (plan.is_of_report()) return corpora[plan.plan_id()];
  }
  return "";
}

// What another corpus said of this model is not in this ledger.
std::string ElsewhereNote(const v1::Report& report) {
  std::map<std::string, std::string> corpora;  // of plans that the ledger knows not
  for (const auto& evaluation : report.evaluations()) {
    corpora[evaluation.plan_id()] = evaluation.corpus();
  }
  for (const auto& prevalence : report.prevalences()) {
    corpora[prevalence.plan_id()] = prevalence.corpus();
  }
  // What is left was paid elsewhere: of this budget's own corpora no plan may be missing
  // (report.cc).
  for (const v1::ReportedPlan& plan : report.ledger().plans()) corpora.erase(plan.plan_id());
  std::string note;
  for (const auto& [plan, corpus] : corpora) {
    absl::StrAppend(&note, " Plan ", ShortId(plan), " is of corpus ", corpus,
                    " and paid from its budget: see that ledger.");
  }
  return note;
}

void AddPlans(const v1::Report& report, Html& html) {
  const v1::ReportedLedger& ledger = report.ledger();
  html.Add("h3", "Who took what, and when");
  if (ledger.plans_size() == 0) {
    html.Add("p", "Nothing was taken by anybody whose entries were seen.");
    return;
  }
  const int first = std::max(0, ledger.plans_size() - kPlansShown);
  AddStepsFigure(ledger, first, html);
  OpenWide("Who took what, and when", html);
  html.Open("table", {{"class", "plans"}});
  html.Open("thead").Open("tr");
  for (const char* name : {"plan", "reserved", "by", "releases", "ε taken", "ε then"}) {
    html.Add("th", {{"scope", "col"}}, name);
  }
  html.Close().Close().Open("tbody");
  for (int i = first; i < ledger.plans_size(); ++i) AddPlan(ledger.plans(i), html);
  html.Close().Close().Close();
  std::string note = "● the numbers of this report are from these releases.";
  if (first > 0) {
    const auto of_report =
        std::count_if(ledger.plans().begin(), ledger.plans().begin() + first,
                      [](const v1::ReportedPlan& plan) { return plan.is_of_report(); });
    note = absl::StrCat(
        Counted(first, "earlier plan is", "earlier plans are"), " in the ledger",
        of_report > 0 ? absl::StrCat(", ", of_report, " of them of this report") : "", ". ", note);
  }
  html.Add("p", {{"class", "note"}}, absl::StrCat(note, OthersNote(ledger), ElsewhereNote(report)));
}

void AddGroups(const v1::ReportedLedger& ledger, Html& html) {
  html.Open("table", {{"class", "facts"}}).Open("tbody");
  AddRow("one unit replaced", PromiseText(ledger.replace_one_epsilon(), ledger.replace_one_delta()),
         html);
  for (const v1::GroupGuarantee& group : ledger.groups()) {
    AddRow(absl::StrCat(group.units(), " units together"),
           PromiseText(group.epsilon(), group.delta()), html);
  }
  html.Close().Close();
}

// What an attacker gains who knows all but one unit and sees all that is ever released.
void AddAttacker(const v1::ReportedLedger& ledger, Html& html) {
  // A budget that promises nothing bounds no attacker (ledger_facts.cc).
  if (!ledger.has_attack()) return;
  html.Add("h3", absl::StrCat("What an attacker gains at most, once all ",
                              ledger.has_sum() ? "budgets are" : "of the budget is", " spent"));
  html.Open("div", {{"class", "people"}});
  AddGuessFigure(ledger.attack(), html);
  AddFoundFigure(ledger.attack(), html);
  html.Open("div").Add("h4", "Groups of units");
  AddGroups(ledger, html);
  html.Close().Close();
}

void AddLimits(Html& html) {
  html.Add("h3", "Not protected");
  html.Add(
      "p", {{"class", "small"}},
      "Who can watch the server’s machine (caches, power, disk). People mentioned in others’ "
      "documents. That the corpus exists, and when it was ingested. Groups larger than stated. "
      "The custodian’s own staff. What the word list and the stated sizes say, which the "
      "custodian typed.");
}

void AddLine(const char* what, Html& html) {
  html.Open("div").Add("span", {{"class", "rule"}}).Add("span", what).Close();
}

void AddCheck(const v1::ReportedLedger& ledger, Html& html) {
  html.Add("h3", "Ledger");
  // Entries and head name one beginning of the chain: it can be recounted however long the chain is
  // by then.
  html.Open("p", {{"class", "small"}});
  html.Text(absl::StrCat("Recounted from ", Thousands(ledger.entries()), " entries of budget "))
      .Add("code", ledger.budget_id())
      .Text(absl::StrCat(", the last of ", TimeText(ledger.time_ms()), ". Head "))
      .Add("code", {{"class", "head"}}, ledger.head())
      .Text(". To check every number on this sheet: ")
      .Add("code", "topicwall report --verify FILE --model FOLDER --corpus NAME")
      .Text(".");
  html.Close();
  html.Open("div", {{"class", "signatures"}});
  AddLine("verified by", html);
  AddLine("on (date, time)", html);
  AddLine("for the committee", html);
  html.Close();
}

}  // namespace

void AddPrivacySheet(const v1::Report& report, Html& html) {
  if (!report.has_ledger()) return;
  const v1::ReportedLedger& ledger = report.ledger();
  html.Open("section", {{"id", "privacy"}, {"class", "sheet"}});
  html.Open("h2").Text("Privacy of ").Add("i", CorpusOf(report)).Text(": sheet for the committee");
  html.Close();
  html.Add("p", {{"class", IsOfAMock(report) ? "lead mock" : "lead"}}, GuaranteeSentence(report));
  AddPromise(ledger, html);
  AddPlans(report, html);
  AddAttacker(ledger, html);
  AddLimits(html);
  AddCheck(ledger, html);
  html.Close();
}

}  // namespace topicwall::client
