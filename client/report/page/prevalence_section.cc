// Of an attribute that is a date, a small chart a topic, all of one scale, so that they can be
// compared; of any, a table with a cell for each topic of each group. A group in which noise hides
// how many documents there are has no point and an empty cell.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"

namespace topicwall::client {
namespace {

constexpr size_t kCharts = 12;
constexpr size_t kRows = 25;
constexpr int kColumns = 12;  // that a sheet of paper has room for
constexpr double kWidth = 220;
constexpr double kHeight = 90;
constexpr double kTop = 16, kBottom = 74;
constexpr double kLeft = 4, kRight = 216;

struct Series {
  const v1::ReportedPrevalence& prevalence;
  int topic;     // index
  int groups;    // that are drawn
  double scale;  // share at the top

  // Periods stand at even steps, whatever their lengths.
  double X(int group) const {
    return groups < 2 ? (kLeft + kRight) / 2 : kLeft + (kRight - kLeft) * group / (groups - 1);
  }
  double Y(double share) const {
    return kBottom - (kBottom - kTop) * std::clamp(share / scale, 0.0, 1.0);
  }
  const v1::ReportedShare* Of(int group) const {
    const v1::ReportedGroup& found = prevalence.groups(group);
    return found.none() ? nullptr : &found.topics(topic);
  }
};

std::string Point(double x, double y) { return absl::StrCat(Fixed(x, 1), " ", Fixed(y, 1)); }

// Of a date whose periods all begin with a month's first day, the month.
std::string ShortLabel(const v1::ReportedPrevalence& prevalence, int group) {
  const std::string& label = prevalence.groups(group).label();
  if (!prevalence.is_date() || label.size() != 10) return label;
  for (int g = 0; g + 1 < prevalence.groups_size(); ++g) {
    if (!absl::EndsWith(prevalence.groups(g).label(), "-01")) return label;
  }
  return label.substr(0, 7);
}

// From one group that is known to the next, without those between that are not.
void AddRun(const Series& series, int first, int last, Html& html) {
  std::string band, back, line;
  for (int g = first; g < last; ++g) {
    const v1::ReportedShare& share = *series.Of(g);
    const double x = series.X(g);
    const char* const how = g == first ? "M" : "L";
    absl::StrAppend(&band, how, Point(x, series.Y(static_cast<double>(share.high()))));
    // The lower ends backwards, so that the band is one closed line.
    back = absl::StrCat("L", Point(x, series.Y(static_cast<double>(share.low()))), back);
    absl::StrAppend(&line, how, Point(x, series.Y(static_cast<double>(share.share()))));
  }
  html.Add("path", {{"class", "band"}, {"d", absl::StrCat(band, back, "Z")}});
  html.Add("path", {{"class", "line"}, {"d", line}});
  for (int g = first; g < last; ++g) {
    html.Add("circle", {{"class", "dot"},
                        {"cx", Fixed(series.X(g), 1)},
                        {"cy", Fixed(series.Y(static_cast<double>(series.Of(g)->share())), 1)},
                        {"r", "2"}});
  }
}

// Its label may be of a script that is written from right to left.
void AddNameOf(const v1::ReportedTopic& topic, Html& html) {
  const std::string number = absl::StrCat(topic.number());
  html.Add("a", {{"href", "#t" + number}}, number).Text(" ").Add("bdi", LabelOf(topic));
}

void AddChart(const v1::Report& report, const Series& series, Html& html) {
  const v1::ReportedTopic& topic = report.topics(series.topic);
  html.Open("figure");
  html.Open("figcaption");
  AddNameOf(topic, html);
  html.Close();
  // An image, of which a screen reader tells the label and none of the parts: the table has all
  // numbers.
  html.Open("svg", {{"viewBox", absl::StrCat("0 0 ", Fixed(kWidth, 0), " ", Fixed(kHeight, 0))},
                    {"role", "img"},
                    {"aria-label", absl::StrCat("Share of topic ", topic.number(),
                                                " over time; "
                                                "the numbers are in the table below")}});
  for (const auto& [line, y] : {std::pair("axis", kBottom), std::pair("grid", kTop)}) {
    html.Add("path",
             {{"class", line}, {"d", absl::StrCat("M0 ", Fixed(y, 0), "H", Fixed(kWidth, 0))}});
  }
  // A gap where nothing is known: a line across it would be a claim.
  for (int g = 0; g < series.groups;) {
    if (series.Of(g) == nullptr) {
      ++g;
      continue;
    }
    int last = g;
    while (last < series.groups && series.Of(last) != nullptr) ++last;
    AddRun(series, g, last, html);
    g = last;
  }
  html.Add("text", {{"class", "small"}, {"x", "0"}, {"y", "87"}}, ShortLabel(series.prevalence, 0));
  html.Add("text", {{"class", "small end"}, {"x", Fixed(kWidth, 0)}, {"y", "87"}},
           ShortLabel(series.prevalence, series.groups - 1));
  html.Add("text", {{"class", "small end"}, {"x", Fixed(kWidth, 0)}, {"y", "10"}},
           ShortPercent(series.scale));
  html.Close().Close();
}

// Whether anything is, of the first so many groups.
bool IsKnown(const v1::ReportedPrevalence& prevalence, int groups) {
  return !std::all_of(prevalence.groups().begin(), prevalence.groups().begin() + groups,
                      [](const v1::ReportedGroup& group) { return group.none(); });
}

// Indices of the topics, that with the largest share in any group first.
std::vector<int> LargestTopics(const v1::Report& report, const v1::ReportedPrevalence& prevalence) {
  std::vector<double> largest(static_cast<size_t>(report.topics_size()), 0.0);
  std::vector<int> topics;
  for (int k = 0; k < report.topics_size(); ++k) {
    topics.push_back(k);
    for (const v1::ReportedGroup& group : prevalence.groups()) {
      if (group.none()) continue;
      double& so_far = largest[static_cast<size_t>(k)];
      so_far = std::max(so_far, static_cast<double>(group.topics(k).share()));
    }
  }
  std::stable_sort(topics.begin(), topics.end(), [&largest](int a, int b) {
    return largest[static_cast<size_t>(a)] > largest[static_cast<size_t>(b)];
  });
  return topics;
}

// Unless they are all: whoever counts 25 must not take them for that.
void AddChoice(const char* what, size_t count, const std::vector<int>& topics, Html& html) {
  if (topics.size() <= count) return;
  html.Add("p", {{"class", "how"}},
           absl::StrCat(what, ": the ", count, " topics with the largest share in any group, of ",
                        topics.size(), "."));
}

double LargestShare(const v1::ReportedPrevalence& prevalence) {
  // At least 1 %, here as in the charts: shares that are next to nothing must not fill the scale.
  double largest = 0.01;
  for (const v1::ReportedGroup& group : prevalence.groups()) {
    for (const v1::ReportedShare& share : group.topics()) {
      largest = std::max(largest, static_cast<double>(share.high()));
    }
  }
  return largest;
}

void AddCharts(const v1::Report& report, const v1::ReportedPrevalence& prevalence, Html& html) {
  // "Other", the last, is no period.
  const int groups = prevalence.groups_size() - 1;
  if (groups < 2 || !IsKnown(prevalence, groups)) return;
  std::vector<int> topics = LargestTopics(report, prevalence);
  AddChoice("Drawn", kCharts, topics, html);
  topics.resize(std::min(topics.size(), kCharts));
  double scale = 0.01;
  for (const int topic : topics) {
    const Series series = {prevalence, topic, groups, scale};
    for (int g = 0; g < groups; ++g) {
      if (series.Of(g) != nullptr) scale = std::max<double>(scale, double{series.Of(g)->high()});
    }
  }
  html.Open("div", {{"class", "charts"}});
  for (const int topic : topics) AddChart(report, {prevalence, topic, groups, scale}, html);
  html.Close();
}

void AddCell(const v1::ReportedGroup& group, int topic, double largest, Html& html) {
  if (group.none()) {
    html.Add("td", {{"class", "none"}}, "–");
    return;
  }
  const v1::ReportedShare& share = group.topics(topic);
  const std::string percent = Fixed(100 * double{share.share()}, 1);
  // Not the darkest there is, on which no ink is easy to read.
  const double strength = 0.85 * double{share.share()} / largest;
  html.Open("td");
  html.Open("svg", {{"viewBox", "0 0 56 20"}, {"class", "cell"}});
  // With the share itself: a title is what is read aloud, and nothing below it.
  html.Add("title", absl::StrCat(percent, " %, 95 %: ", ShortPercent(double{share.low()}), " to ",
                                 ShortPercent(double{share.high()})));
  html.Add("rect", {{"width", "56"}, {"height", "20"}, {"fill", FillOf(strength)}});
  html.Add("text", {{"x", "28"}, {"y", "14"}, {"fill", InkOn(strength)}}, percent);
  html.Close().Close();
}

// Groups [first, last) of a prevalence, whose topics are these, the largest first.
struct Block {
  const v1::ReportedPrevalence& prevalence;
  const std::vector<int>& topics;
  int first, last;
};

void AddBlockHead(const Block& block, Html& html) {
  html.Open("thead").Open("tr").Add("th", {{"scope", "col"}}, "topic");
  for (int g = block.first; g < block.last; ++g) {
    html.Add("th", {{"scope", "col"}}, ShortLabel(block.prevalence, g));
  }
  html.Close();
  html.Open("tr").Add("th", {{"scope", "row"}}, "documents, ± 2 deviations");
  for (int g = block.first; g < block.last; ++g) {
    const v1::ReportedGroup& group = block.prevalence.groups(g);
    html.Add("td", absl::StrCat(Thousands(std::llround(group.documents())), " ± ",
                                Thousands(std::llround(2 * group.documents_error()))));
  }
  html.Close().Close();
}

// Of topics without a row, so that a column is all of its group.
void AddOthers(const Block& block, Html& html) {
  html.Open("tr").Add("th", {{"scope", "row"}}, "all others");
  for (int g = block.first; g < block.last; ++g) {
    const v1::ReportedGroup& group = block.prevalence.groups(g);
    double share = 0;
    for (size_t i = kRows; i < block.topics.size() && !group.none(); ++i) {
      share += static_cast<double>(group.topics(block.topics[i]).share());
    }
    html.Add("td", group.none() ? "–" : Fixed(100 * share, 1));
  }
  html.Close();
}

void AddBlock(const v1::Report& report, const Block& block, double largest, Html& html) {
  const std::string first = ShortLabel(block.prevalence, block.first);
  const std::string last = ShortLabel(block.prevalence, block.last - 1);
  OpenWide(first == last ? absl::StrCat("Shares of ", first)
                         : absl::StrCat("Shares by ", block.prevalence.attribute(), ", ", first,
                                        " to ", last),
           html);
  html.Open("table", {{"class", "heat"}});
  html.Add("caption", "Share of each group’s documents, in percent");
  AddBlockHead(block, html);
  html.Open("tbody");
  for (size_t i = 0; i < std::min(kRows, block.topics.size()); ++i) {
    html.Open("tr").Open("th", {{"scope", "row"}});
    AddNameOf(report.topics(block.topics[i]), html);
    html.Close();
    for (int g = block.first; g < block.last; ++g) {
      AddCell(block.prevalence.groups(g), block.topics[i], largest, html);
    }
    html.Close();
  }
  if (block.topics.size() > kRows) AddOthers(block, html);
  html.Close().Close().Close();
}

// A row for each topic, a column for each group; of many groups several tables of as many columns.
void AddHeatMap(const v1::Report& report, const v1::ReportedPrevalence& prevalence, Html& html) {
  const std::vector<int> topics = LargestTopics(report, prevalence);
  const double largest = LargestShare(prevalence);
  AddChoice("Rows", kRows, topics, html);
  const int groups = prevalence.groups_size();
  const int blocks = (groups + kColumns - 1) / kColumns;
  for (int b = 0; b < blocks; ++b) {
    AddBlock(report, {prevalence, topics, groups * b / blocks, groups * (b + 1) / blocks}, largest,
             html);
  }
}

}  // namespace

void AddPrevalences(const v1::Report& report, Html& html) {
  if (report.prevalences_size() == 0) return;
  html.Open("section", {{"id", "prevalence"}});
  html.Add("h2", "Prevalence");
  for (const v1::ReportedPrevalence& prevalence : report.prevalences()) {
    AddHeadingOf(prevalence, html);
    html.Add("p", {{"class", "how"}},
             absl::StrCat("How much of each group’s documents is about each topic. Bands, and what "
                          "a cell says when it is pointed at: 95 % intervals, each by itself.",
                          prevalence.of_owners() ? " Owners of many documents count as if they had "
                                                   "fewer."
                                                 : ""));
    if (IsKnown(prevalence, prevalence.groups_size())) {
      if (prevalence.is_date()) AddCharts(report, prevalence, html);
      AddHeatMap(report, prevalence, html);
    } else {
      html.Add("p", "In no group are there documents enough for this noise: no share can be told.");
    }
    AddSource(absl::StrCat(ReleasesText(prevalence.releases(), prevalence.plan_id()), ", alone ",
                           PairText(prevalence.epsilon(), prevalence.delta())),
              html);
  }
  html.Close();
}

}  // namespace topicwall::client
