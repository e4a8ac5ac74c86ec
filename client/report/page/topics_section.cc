// All words that any step of the slider may bring to the front stand in the page, those that the
// usual step does not show are hidden: the script only orders and hides, and writes no number.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/report/facts/model_facts.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"
#include "model/lda/reading/quality_calibration.h"
#include "model/lda/reading/word_relevance.h"

namespace topicwall::client {
namespace {

constexpr double kBarWidth = 120;
constexpr double kBarHeight = 12;

// What a bar of the whole width stands for: the highest end of a whisker on the card.
double ScaleOf(const v1::ReportedTopic& topic) {
  double scale = 1e-9;
  for (const v1::ReportedWord& word : topic.words()) {
    scale = std::max(scale, static_cast<double>(std::max(word.probability(), word.high())));
    // The tick of the corpus is on the same bar.
    scale = std::max(scale, static_cast<double>(word.corpus_share()));
  }
  return scale;
}

std::string Along(double share, double scale) {
  return Fixed(std::clamp(share / scale, 0.0, 1.0) * kBarWidth, 1);
}

void AddBar(const v1::ReportedWord& word, double scale, bool knows_noise, Html& html) {
  const double share = static_cast<double>(word.probability());
  // Unspoken: share and certainty stand beside it as text.
  html.Open("svg",
            {{"viewBox", absl::StrCat("0 0 ", Fixed(kBarWidth, 0), " ", Fixed(kBarHeight, 0))},
             {"aria-hidden", "true"}});
  html.Add("rect", {{"class", "bar"}, {"y", "3"}, {"width", Along(share, scale)}, {"height", "6"}});
  if (knows_noise) {
    html.Add("path", {{"class", "whisker"},
                      {"d", absl::StrCat("M", Along(static_cast<double>(word.low()), scale), " 6H",
                                         Along(static_cast<double>(word.high()), scale))}});
  }
  html.Add(
      "path",
      {{"class", "tick"},
       {"d", absl::StrCat("M", Along(static_cast<double>(word.corpus_share()), scale), " 0V12")}});
  html.Close();
}

void AddWord(const v1::ReportedWord& word, bool shown, double scale, const v1::Report& report,
             Html& html) {
  const bool knows_noise = report.model().knows_noise();
  const bool marks_words = knows_noise && report.topics_size() > 1;
  if (shown) {
    html.Open("tr");
  } else {
    html.Open("tr", {{"hidden", ""}});
  }
  html.Add("th", {{"scope", "row"}}, word.term());
  html.Open("td", {{"class", "bars"}});
  AddBar(word, scale, knows_noise, html);
  html.Close();
  html.Add("td", ShortPercent(static_cast<double>(word.probability())));
  if (marks_words) {
    // Certain is the usual; what is not is said.
    const double above = static_cast<double>(word.above());
    html.Add("td", {{"class", "sure"}}, above < 0.995 ? Percent(above, 0) : "");
  }
  html.Close();
}

void AddNeighbours(const v1::Report& report, const v1::ReportedTopic& topic, Html& html) {
  html.Open("p", {{"class", "near"}}).Text("near ");
  for (int i = 0; i < topic.neighbours_size(); ++i) {
    const v1::ReportedNeighbour& neighbour = topic.neighbours(i);
    if (i > 0) html.Text(" · ");
    html.Add("a", {{"href", absl::StrCat("#t", neighbour.number())}},
             absl::StrCat(neighbour.number(), " ", LabelOf(report.topics(neighbour.number() - 1))));
    html.Text(absl::StrCat(" ", Fixed(neighbour.likeness(), 2)));
  }
  html.Close();
}

void AddCard(const v1::Report& report, const v1::ReportedTopic& topic, Html& html) {
  const bool knows_noise = report.model().knows_noise();
  html.Open("article", {{"id", absl::StrCat("t", topic.number())}});
  html.Open("h3")
      .Add("span", {{"class", "number"}}, absl::StrCat(topic.number()))
      .Text(" ")
      .Add("bdi", LabelOf(topic))
      .Close();
  html.Open("p", {{"class", "meta"}}).Add("b", ShareText(topic));
  if (topic.share_margin() > 0) {
    html.Text(absl::StrCat(" ± ", Fixed(100 * topic.share_margin(), 1)));
  }
  if (knows_noise) {
    if (report.model().knows_recurrence()) {
      html.Text(absl::StrCat(" · comes again: ", PercentAtLeast(topic.recurs())));
    }
    if (report.topics_size() > 1) {
      html.Text(
          absl::StrCat(" · ", Counted(topic.typical_words(), "word", "words"), " clearly its own"));
    }
  }
  html.Close();
  html.Open("table", {{"class", "words"}}).Open("tbody");
  const double scale = ScaleOf(topic);
  for (int i = 0; i < topic.words_size(); ++i) {
    AddWord(topic.words(i), i < kWordsShown, scale, report, html);
  }
  html.Close().Close();
  if (topic.neighbours_size() > 0) AddNeighbours(report, topic, html);
  html.Close();
}

// What ± is of: of LDA alone (client/topics/topic_reading.h).
std::string MarginText(const v1::Report& report) {
  for (const v1::ReportedTopic& topic : report.topics()) {
    if (!(topic.share_margin() > 0)) continue;
    return absl::StrCat(" ±, of a topic’s share: 95 %, by the noise and a drift of ",
                        Percent(lda::kShareDrift, 0),
                        " of the share (one deviation), as measured on public documents.");
  }
  return "";
}

void AddSlider(Html& html) {
  // The script shows it: without one there is nothing that it could move.
  html.Open("p", {{"class", "control"}, {"id", "order"}, {"hidden", ""}});
  html.Add("label", {{"for", "step"}}, "Order of words: most particular");
  html.Open("input", {{"id", "step"},
                      {"type", "range"},
                      {"min", "0"},
                      {"max", "1"},
                      {"step", "0.2"},
                      {"value", Fixed(lda::kRelevance, 1)}})
      .CloseVoid();
  html.Text(" most frequent, ").Open("span").Text("λ = ");
  // An output, of which a screen reader tells the new number when the slider moves.
  html.Add("output", {{"id", "step-shown"}, {"for", "step"}}, Fixed(lda::kRelevance, 1)).Close();
  html.Close();
}

}  // namespace

void AddTopicCards(const v1::Report& report, Html& html) {
  const bool knows_noise = report.model().knows_noise();
  const std::string margins = MarginText(report);
  html.Open("section", {{"id", "topics"}});
  html.Add("h2", "Topics");
  html.Add("p", {{"class", "how"}},
           absl::StrCat("Bar: share of the topic’s words. Tick: share in the corpus. ",
                        knows_noise
                            ? "Line, of a word’s share of its topic before smoothing: 95 %, by the "
                              "noise, of the average of the releases, older ones among them; a fit "
                              "that went on would have more."
                        : margins.empty()
                            ? "This model says nothing of its noise: no word is marked, which "
                              "does not make it truer."
                            : "Topics were merged, and of its noise this model says no more than "
                              "how far shares may be off: no word is marked, which does not make "
                              "it truer.",
                        margins,
                        knows_noise && report.topics_size() > 1
                            ? " A percentage at the end: how surely the topic has the word above "
                              "its corpus share, where that is not certain."
                            : ""));
  AddSource(SourceOfTopics(report.model()), html);
  AddSlider(html);
  std::vector<const v1::ReportedTopic*> weak;
  html.Open("div", {{"class", "cards"}});
  for (const v1::ReportedTopic* topic : ByShare(report)) {
    // Below a fold: they are told, and do not stand among those to rely on.
    if (topic->is_weak()) {
      weak.push_back(topic);
    } else {
      AddCard(report, *topic, html);
    }
  }
  html.Close();
  if (!weak.empty()) {
    html.Open("details", {{"class", "weak"}});
    html.Add("summary",
             absl::StrCat(Counted(static_cast<int64_t>(weak.size()), "weak topic", "weak topics"),
                          ", which another fit would sooner not find again"));
    html.Open("div", {{"class", "cards"}});
    for (const v1::ReportedTopic* topic : weak) AddCard(report, *topic, html);
    html.Close().Close();
  }
  html.Close();
}

}  // namespace topicwall::client
