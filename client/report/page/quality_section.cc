#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "client/report/page/numbers.h"
#include "client/report/page/sections.h"

namespace topicwall::client {
namespace {

void AddHeadRow(std::initializer_list<const char*> names, Html& html) {
  html.Open("thead").Open("tr");
  for (const char* name : names) html.Add("th", {{"scope", "col"}}, name);
  html.Close().Close();
}

struct Grade {
  int topics = 0;
  double share = 0;
};

// How many topics have each probability of coming again, in four steps.
void AddGrades(const v1::Report& report, Html& html) {
  std::array<Grade, 4> grades;
  for (const v1::ReportedTopic& topic : report.topics()) {
    const auto step =
        std::min(static_cast<size_t>(std::clamp(4 * topic.recurs(), 0.0, 3.0)), grades.size() - 1);
    ++grades[step].topics;
    grades[step].share += topic.share();
  }
  html.Open("table", {{"class", "plain"}});
  html.Add("caption", "How many topics another fit of the same price would find again");
  AddHeadRow({"comes again", "topics", "their share"}, html);
  html.Open("tbody");
  for (size_t step = grades.size(); step-- > 0;) {
    html.Open("tr").Add("th", {{"scope", "row"}},
                        absl::StrCat(25 * step, " to ", 25 * (step + 1), " %"));
    html.Add("td", absl::StrCat(grades[step].topics)).Add("td", Percent(grades[step].share));
    html.Close();
  }
  html.Open("tr", {{"class", "sum"}}).Add("th", {{"scope", "row"}}, "expected in all");
  html.Add("td", Fixed(report.model().recurring(), 1)).Add("td", "").Close();
  html.Close().Close();
  AddSource(SourceOfTopics(report.model()), html);
}

void AddEvaluation(const v1::ReportedEvaluation& evaluation, Html& html) {
  html.Open("tr").Add("th", {{"scope", "row"}}, evaluation.corpus());
  if (evaluation.is_drowned()) {
    html.Add("td", "drowned by noise");
  } else {
    html.Open("td").Add("b", Fixed(evaluation.perplexity(), 1));
    html.Text(absl::StrCat(" ± ", Fixed(2 * evaluation.standard_error(), 1))).Close();
  }
  html.Add("td", absl::StrCat(Fixed(evaluation.words(), 0), " ± ",
                              Fixed(2 * evaluation.words_deviation(), 0)));
  html.Add("td", Percent(evaluation.held_out_share()));
  html.Add("td", PairText(evaluation.epsilon(), evaluation.delta()));
  html.Add("td", ReleasesText(evaluation.releases(), evaluation.plan_id()));
  html.Close();
}

}  // namespace

void AddQuality(const v1::Report& report, Html& html) {
  if (!report.model().knows_recurrence() && report.evaluations_size() == 0) return;
  html.Open("section", {{"id", "quality"}});
  html.Add("h2", "Quality");
  if (report.model().knows_recurrence()) AddGrades(report, html);
  if (report.evaluations_size() > 0) {
    html.Open("div", {{"class", "wide"}}).Open("table", {{"class", "plain"}});
    html.Add("caption",
             "Perplexity of held-out units behind the wall (half of each document from "
             "the other half; lower is better; ± 2 deviations of the noise)");
    AddHeadRow({"corpus", "perplexity", "words scored", "of the units", "price alone", "from"},
               html);
    html.Open("tbody");
    for (const v1::ReportedEvaluation& evaluation : report.evaluations()) {
      AddEvaluation(evaluation, html);
    }
    html.Close().Close().Close();
  }
  html.Close();
}

}  // namespace topicwall::client
