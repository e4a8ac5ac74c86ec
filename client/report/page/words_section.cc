#include <map>

#include "absl/strings/str_cat.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"

namespace topicwall::client {
namespace {

// Where a word stands on a card.
struct Place {
  int topic;
  double probability;
};

void AddIndex(const v1::Report& report, Html& html) {
  // By the bytes of the words, which no locale changes: the same report is the same page.
  std::map<std::string, std::vector<Place>> places;
  for (const v1::ReportedTopic* topic : ByShare(report)) {
    for (const v1::ReportedWord& word : topic->words()) {
      places[word.term()].push_back({topic->number(), static_cast<double>(word.probability())});
    }
  }
  // Until the script shows it; without one the list below is all there is.
  html.Open("p", {{"class", "control"}, {"id", "search"}, {"hidden", ""}});
  html.Add("label", {{"for", "word"}}, "Find a word");
  html.Open("input", {{"id", "word"}, {"type", "search"}, {"autocomplete", "off"}}).CloseVoid();
  html.Add("output", {{"id", "found"}, {"for", "word"}});
  html.Close();
  html.Open("details", {{"id", "index"}});
  html.Add("summary", absl::StrCat("All ", Thousands(static_cast<int64_t>(places.size())),
                                   " words of the cards, with the topics that have them"));
  html.Open("ul", {{"class", "index"}});
  for (const auto& [term, topics] : places) {
    html.Open("li").Add("b", term);
    for (const Place& place : topics) {
      html.Text(" ").Add("a", {{"href", absl::StrCat("#t", place.topic)}},
                         absl::StrCat(place.topic));
      html.Text(absl::StrCat(" ", ShortPercent(place.probability)));
    }
    html.Close();
  }
  html.Close().Close();
}

void AddCommonWords(const v1::Report& report, Html& html) {
  if (report.common_words_size() == 0) return;
  const bool knows_noise = report.model().knows_noise() && report.topics_size() > 1;
  html.Add("h3", "The commonest words of the corpus");
  html.Add("p", {{"class", "how"}},
           knows_noise ? "What a topic has of them no more often than the corpus says nothing of "
                         "the topic. Behind each: its share, and how many topics surely have it "
                         "more often."
                       : "What a topic has of them no more often than the corpus says nothing of "
                         "the topic. Behind each: its share.");
  html.Open("ul", {{"class", "common"}});
  for (const v1::ReportedCommonWord& word : report.common_words()) {
    html.Open("li").Add("b", word.term());
    html.Text(absl::StrCat(" ", ShortPercent(static_cast<double>(word.corpus_share()))));
    if (knows_noise) {
      html.Text(absl::StrCat(" · ", Counted(word.topics(), "topic", "topics")));
    }
    html.Close();
  }
  html.Close();
}

}  // namespace

void AddWords(const v1::Report& report, Html& html) {
  html.Open("section", {{"id", "words"}});
  html.Add("h2", "Words");
  AddIndex(report, html);
  AddCommonWords(report, html);
  AddSource(SourceOfTopics(report.model()), html);
  html.Close();
}

}  // namespace topicwall::client
