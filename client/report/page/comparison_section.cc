#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"
#include "client/wall/mock_custodian.h"
#include "model/lda/reading/quality_calibration.h"

namespace topicwall::client {
namespace {

std::string OtherText(const v1::ReportedComparison& other) {
  return absl::StrCat(
      "The other model has ", Counted(other.num_topics(), "topic", "topics"),
      other.corpus().empty() ? "" : absl::StrCat(" of ", other.corpus()),
      IsMock(other.custodian_id()) ? " (MOCK: of documents that do not exist)" : "",
      other.epsilon() > 0
          ? absl::StrCat(", at ", PairText(other.epsilon(), other.delta()), " alone")
          : ", without a price",
      ". Topics are paired one to one, the most alike first, by the words that "
      "their corpora do not explain; 1 is the same, and below ",
      Fixed(lda::kAlike, 1), " no two are a pair.");
}

// Topics that have no pair, by number.
std::string UnpairedText(const v1::Report& report) {
  std::set<int> unpaired;
  for (const v1::ReportedTopic& topic : report.topics()) unpaired.insert(topic.number());
  for (const v1::ReportedMatch& match : report.comparison().matches()) {
    unpaired.erase(match.number());
  }
  if (unpaired.empty()) return "";
  return absl::StrCat("Like none of the other’s: topic", unpaired.size() == 1 ? " " : "s ",
                      absl::StrJoin(unpaired, ", "), ".");
}

}  // namespace

void AddComparison(const v1::Report& report, Html& html) {
  if (!report.has_comparison()) return;
  const v1::ReportedComparison& other = report.comparison();
  html.Open("section", {{"id", "comparison"}});
  html.Add("h2", "Comparison with another model");
  html.Add("p", {{"class", "how"}}, OtherText(other));
  html.Open("p", {{"class", "hash"}})
      .Text(absl::StrCat("SHA-256 of its ", FileOf(other.is_checkpoint()), " "))
      .Add("code", other.sha256());
  html.Close();
  OpenWide("Topics of the two models", html);
  html.Open("table", {{"class", "plain"}}).Open("thead").Open("tr");
  html.Add("th", {{"scope", "col"}}, "this model");
  html.Add("th", {{"scope", "col"}, {"colspan", "2"}}, "likeness");
  html.Add("th", {{"scope", "col"}, {"class", "text"}}, "the other");
  html.Close().Close().Open("tbody");
  for (const v1::ReportedMatch& match : other.matches()) {
    html.Open("tr").Open("td", {{"class", "text"}});
    html.Add("a", {{"href", absl::StrCat("#t", match.number())}}, absl::StrCat(match.number()));
    // A topic's number is its place, from 1: reading a page checks that (page.cc).
    html.Text(" ").Add("bdi", LabelOf(report.topics(match.number() - 1))).Close();
    html.Open("td", {{"class", "bars"}});
    // Unspoken: the likeness stands as a number in the next cell.
    html.Open("svg", {{"viewBox", "0 0 60 8"}, {"aria-hidden", "true"}});
    html.Add("rect",
             {{"class", "bar"}, {"width", Fixed(60 * match.likeness(), 1)}, {"height", "8"}});
    html.Close().Close();
    html.Add("td", Fixed(match.likeness(), 2));
    html.Add("td", {{"class", "text"}},
             absl::StrCat(match.other_number(), " ", absl::StrJoin(match.other_words(), " ")));
    html.Close();
  }
  html.Close().Close().Close();
  if (const std::string unpaired = UnpairedText(report); !unpaired.empty()) {
    html.Add("p", {{"class", "how"}}, unpaired);
  }
  html.Close();
}

}  // namespace topicwall::client
