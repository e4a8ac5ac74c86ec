// A table instead of cards: a component of vectors has no words, and numbers are compared down a
// column.
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"

namespace topicwall::client {
namespace {

// "+1.8": in which direction, too.
std::string Signed(double value) {
  return absl::StrCat(value < 0 ? "−" : "+", Fixed(value < 0 ? -value : value, 1));
}

// With the minus sign that a reader of a column expects.
std::string Number(double value) {
  return value < 0 ? absl::StrCat("−", Rounded(-value)) : Rounded(value);
}

void AddDimensions(const v1::ReportedComponent& component, Html& html) {
  html.Open("td", {{"class", "text dimensions"}});
  bool is_first = true;
  for (const v1::ReportedDimension& dimension : component.dimensions()) {
    // To the digit that is shown there is no difference.
    if (!(std::fabs(dimension.standardised()) >= 0.05)) continue;
    html.Text(is_first ? "" : " · ").Add("b", dimension.name());
    html.Text(absl::StrCat(" ", Signed(dimension.standardised()), " (", Number(dimension.mean()),
                           ", of all ", Number(dimension.whole()), ")"));
    is_first = false;
  }
  html.Close();
}

void AddComponent(const v1::ReportedTopic& topic, const v1::ReportedVectors& all, Html& html) {
  const v1::ReportedComponent& component = topic.component();
  html.Open("tr", {{"id", absl::StrCat("t", topic.number())}});
  html.Open("th", {{"scope", "row"}}).Text(absl::StrCat(topic.number()));
  if (!topic.label().empty()) html.Text(absl::StrCat(" ", topic.label()));
  html.Close();
  html.Open("td").Add("b", topic.has_share() ? Percent(topic.share()) : "not known");
  if (topic.share_margin() > 0) {
    html.Text(absl::StrCat(" ± ", Fixed(100 * topic.share_margin(), 1)));
  }
  html.Close();
  if (all.vectors() > 0) {
    const double margin = all.count_margin();
    html.Add("td", !topic.has_share()
                       ? "not known"
                       : absl::StrCat(Rounded(topic.share() * all.vectors()),
                                      margin > 0 ? absl::StrCat(" ± ", Rounded(margin)) : ""));
  }
  html.Add("td", Rounded(component.size())).Add("td", Rounded(component.spread()));
  html.Add("td", Rounded(component.distance()));
  AddDimensions(component, html);
  html.Close();
}

}  // namespace

void AddComponents(const v1::Report& report, Html& html) {
  const v1::ReportedVectors& all = report.model().vectors();
  const bool of_wall = !report.model().plan_id().empty();
  html.Open("section", {{"id", "components"}});
  html.Add("h2", "Components");
  html.Add(
      "p", {{"class", "how"}},
      absl::StrCat(
          "In the units in which the vectors were given. Size: of the component’s mean. Spread: "
          "how "
          "far its vectors are from it, the root of their mean squared distance. Distance: of its "
          "mean from that of all vectors. Then the dimensions in which the two differ most, by how "
          "many deviations of all vectors, and both means.",
          of_wall ? " ±: 95 %, by the noise alone, which has a part in all of these numbers; "
                    "another fit may divide the vectors otherwise."
                  : ""));
  AddSource(SourceOfTopics(report.model()), html);
  OpenWide("Components", html);
  html.Open("table", {{"class", "plain"}}).Open("thead").Open("tr");
  html.Add("th", {{"scope", "col"}}, "component").Add("th", {{"scope", "col"}}, "share");
  if (all.vectors() > 0) html.Add("th", {{"scope", "col"}}, "vectors");
  for (const char* what : {"size", "spread", "distance"}) {
    html.Add("th", {{"scope", "col"}}, what);
  }
  html.Add("th", {{"scope", "col"}, {"class", "text"}}, "differs most in");
  html.Close().Close().Open("tbody");
  for (const v1::ReportedTopic* topic : ByShare(report)) AddComponent(*topic, all, html);
  html.Close().Close().Close();
  html.Close();
}

}  // namespace topicwall::client
