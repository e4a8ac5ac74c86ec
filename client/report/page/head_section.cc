#include "absl/strings/str_cat.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"
#include "model/lda/reading/quality_calibration.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

// One figure of the row below the title.
void AddFigure(const std::string& value, const std::string& what, Html& html) {
  html.Open("div").Add("dt", what).Add("dd", value).Close();
}

void AddLink(const char* target, const char* text, Html& html) {
  html.Add("a", {{"href", absl::StrCat("#", target)}}, text).Raw("\n");
}

void AddContents(const v1::Report& report, Html& html) {
  // The same conditions as the sections themselves have: no link leads nowhere.
  html.Open("nav", {{"aria-label", "Parts of the report"}});
  AddLink("map", "Map", html);
  if (report.model().has_vectors()) {
    AddLink("components", "Components", html);
  } else {
    AddLink("topics", "Topics", html);
    AddLink("words", "Words", html);
  }
  if (HasQuality(report)) AddLink("quality", "Quality", html);
  if (report.prevalences_size() > 0) AddLink("prevalence", "Prevalence", html);
  if (report.has_comparison()) AddLink("comparison", "Comparison", html);
  if (report.has_ledger()) AddLink("privacy", "Privacy sheet", html);
  AddLink("method", "Method", html);
  html.Close();
}

}  // namespace

void AddHead(const v1::Report& report, Html& html) {
  const v1::ReportedModel& model = report.model();
  html.Open("header");
  html.Add("p", {{"class", "kicker"}}, model.has_vectors() ? "Report on vectors" : "Topic report");
  html.Open("h1").Text(
      absl::StrCat(IsOfAMock(report) ? "MOCK: " : "", model.num_topics(), " ", TopicsOf(model)));
  if (!model.corpus().empty()) html.Text(" of ").Add("i", model.corpus());
  html.Close();
  if (model.has_unfinished()) {
    html.Add("p", {{"class", "lead"}},
             absl::StrCat("Unfinished: ", model.unfinished().releases_done(), " of ",
                          model.unfinished().releases(), " releases are in."));
  }
  html.Add("p", {{"class", IsOfAMock(report) ? "lead mock" : "lead"}}, GuaranteeSentence(report));
  html.Open("dl", {{"class", "figures"}});
  // An expectation: the sum of every topic's probability of coming again, where those were
  // measured.
  if (model.knows_recurrence() && model.num_topics() >= lda::kLeastTopicsJudged) {
    AddFigure(absl::StrCat(Fixed(model.recurring(), 0), " of ", model.num_topics()),
              "topics that another fit would find again", html);
  }
  if (!model.plan_id().empty()) {
    // Of what was bought: a cancelled plan's releases that never came were given back.
    AddFigure(proto::EpsilonText(model.epsilon()),
              model.has_unfinished() ? absl::StrCat("ε of all ", model.unfinished().releases(),
                                                    " releases of this model’s plans, alone")
                                     : "ε of this model’s plans, alone",
              html);
  }
  if (report.has_ledger()) {
    const v1::ReportedLedger& ledger = report.ledger();
    // Without "at least" this would tell less than what was spent, where entries of others are
    // sealed.
    const bool knows_all = KnowsAllSpent(ledger);
    AddFigure(absl::StrCat(knows_all ? "" : "at least ", proto::EpsilonText(SpentOf(ledger)),
                           " of ", proto::EpsilonText(ledger.epsilon())),
              absl::StrCat("ε of the budget taken so far",
                           knows_all ? ", by everybody" : "; entries of others are not known"),
              html);
  }
  if (model.vectors().vectors() > 0) {
    AddFigure(Rounded(model.vectors().vectors()),
              model.plan_id().empty() ? "vectors" : "vectors, by the noisy counts", html);
  }
  AddFigure(Thousands(model.vocabulary_size()),
            model.has_vectors() ? "dimensions of a vector" : "words in the public list", html);
  html.Close();
  html.Open("p", {{"class", "hash"}})
      .Text(absl::StrCat("SHA-256 of ", FileOf(model.is_checkpoint()), " "))
      .Add("code", model.sha256());
  html.Close();
  AddContents(report, html);
  html.Close();
}

}  // namespace topicwall::client
