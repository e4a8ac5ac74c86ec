// Places come from the report; how large a disc is drawn and which words stand beside which follow
// from them. Two discs may cover each other: they are alike, and the smaller one lies on top.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "client/report/page/sections.h"
#include "client/report/text/numbers.h"

namespace topicwall::client {
namespace {

constexpr double kWidth = 800;
constexpr double kHeight = 560;
// The largest disc (54, see DiscsOf) and a line of words beyond it: so no word leaves the picture
// at its upper edge, where IsInside does not look.
constexpr double kMargin = 70;
constexpr double kLetter = 7.3;  // about the width of one, at the size of labels
constexpr double kLine = 15;
// Of the numbers on discs (report.css): on a telephone the picture is less than half as wide.
constexpr double kDigit = 7.7, kDigitHeight = 8;
constexpr double kLargeDigit = 14, kLargeDigitHeight = 15;

struct Box {
  double left, top, right, bottom;

  bool Meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  bool IsInside() const { return left >= 2 && right <= kWidth - 2 && bottom <= kHeight - 2; }
};

struct Disc {
  const v1::ReportedTopic* topic;
  double x, y, radius;

  Box box() const { return {x - radius, y - radius, x + radius, y + radius}; }
};

// The picture is as wide as the places are, whatever their shape.
std::vector<Disc> DiscsOf(const v1::Report& report) {
  double left = 1, right = -1, top = 1, bottom = -1, largest = 0;
  for (const v1::ReportedTopic& topic : report.topics()) {
    left = std::min(left, topic.x());
    right = std::max(right, topic.x());
    top = std::min(top, topic.y());
    bottom = std::max(bottom, topic.y());
    largest = std::max(largest, topic.share());
  }
  const auto place = [](double value, double low, double high, double size) {
    if (!(high > low)) return size / 2;
    return kMargin + (value - low) / (high - low) * (size - 2 * kMargin);
  };
  // All discs together take an eighth of the picture, or less: none has a radius beyond 54. Radii
  // go by the root of a share, so that areas are the shares.
  const double unit =
      std::min(std::sqrt(kWidth * kHeight / 8 / M_PI), 54 / std::sqrt(std::max(largest, 1e-9)));
  std::vector<Disc> discs;
  for (const v1::ReportedTopic* topic : ByShare(report)) {
    discs.push_back({.topic = topic,
                     .x = place(topic->x(), left, right, kWidth),
                     .y = place(topic->y(), top, bottom, kHeight),
                     // A topic next to nothing is larger than its share, or it could not be seen.
                     .radius = std::max(5.0, unit * std::sqrt(topic->share()))});
  }
  return discs;
}

// Whether its number stands on the disc, all of it, and none of the discs that are drawn later is
// on top.
bool HasRoom(const std::vector<Disc>& discs, size_t place, double digit, double height) {
  const Disc& disc = discs[place];
  const double half_width =
      digit * static_cast<double>(absl::StrCat(disc.topic->number()).size()) / 2;
  if (!(std::hypot(half_width, height / 2) <= disc.radius)) return false;
  return std::none_of(discs.begin() + static_cast<ptrdiff_t>(place) + 1, discs.end(),
                      [&](const Disc& later) {
                        const double x = std::max(std::fabs(later.x - disc.x) - half_width, 0.0);
                        const double y = std::max(std::fabs(later.y - disc.y) - height / 2, 0.0);
                        return std::hypot(x, y) < later.radius;
                      });
}

void AddDisc(const std::vector<Disc>& discs, size_t place, bool knows_recurrence, Html& html) {
  const Disc& disc = discs[place];
  const v1::ReportedTopic& topic = *disc.topic;
  // One colour for all of a model that says nothing of its noise: none may look surer than another.
  const double strength = knows_recurrence ? topic.recurs() : 0.7;
  html.Open("a", {{"href", absl::StrCat("#t", topic.number())}});
  html.Add("title", absl::StrCat(topic.number(), " ", LabelOf(topic), ", ", ShareText(topic),
                                 knows_recurrence ? absl::StrCat(", comes again: ",
                                                                 PercentAtLeast(topic.recurs()))
                                                  : ""));
  html.Add("circle", {{"cx", Fixed(disc.x, 1)},
                      {"cy", Fixed(disc.y, 1)},
                      {"r", Fixed(disc.radius, 1)},
                      {"fill", FillOf(strength)}});
  if (HasRoom(discs, place, kDigit, kDigitHeight)) {
    const bool is_read_small = HasRoom(discs, place, kLargeDigit, kLargeDigitHeight);
    html.Add("text",
             {{"class", is_read_small ? "number" : "number fine"},
              {"x", Fixed(disc.x, 1)},
              {"y", Fixed(disc.y + 4, 1)},
              {"fill", InkOn(strength)}},
             absl::StrCat(topic.number()));
  }
  html.Close().Raw("\n");
}

// Below, above, right, left: where the words of a topic may stand.
std::vector<Box> PlacesBeside(const Disc& disc, double width) {
  const double x = disc.x, y = disc.y, r = disc.radius;
  return {{x - width / 2, y + r + 1, x + width / 2, y + r + kLine},
          {x - width / 2, y - r - kLine, x + width / 2, y - r - 1},
          {x + r + 3, y - kLine / 2, x + r + 3 + width, y + kLine / 2},
          {x - r - 3 - width, y - kLine / 2, x - r - 3, y + kLine / 2}};
}

// The words of as many topics as there is room for, heaviest first.
void AddLabels(const std::vector<Disc>& discs, Html& html) {
  std::vector<Box> taken;
  for (const Disc& disc : discs) taken.push_back(disc.box());
  for (const Disc& disc : discs) {
    // Of a component without a name its number, which stands on the disc or in its title.
    if (disc.topic->has_component() && disc.topic->label().empty()) continue;
    const std::string label = LabelOf(*disc.topic);
    // In bytes, of which no text has fewer than characters: too much room is left, never too
    // little.
    const double width = kLetter * static_cast<double>(label.size());
    for (const Box& box : PlacesBeside(disc, width)) {
      const bool is_free =
          box.IsInside() && std::none_of(taken.begin(), taken.end(),
                                         [&box](const Box& other) { return box.Meets(other); });
      if (!is_free) continue;
      taken.push_back(box);
      html.Add("text",
               {{"class", "label"},
                {"x", Fixed((box.left + box.right) / 2, 1)},
                {"y", Fixed(box.bottom - 3, 1)}},
               label);
      break;
    }
  }
}

std::string AreaText(const v1::Report& report) {
  const bool is_known =
      std::all_of(report.topics().begin(), report.topics().end(),
                  [](const v1::ReportedTopic& topic) { return topic.has_share(); });
  if (!is_known) return "All of one size: their shares are not known";
  return absl::StrCat("Area: share of all ", report.model().has_vectors()  ? "vectors"
                                             : report.model().is_mixture() ? "documents"
                                                                           : "words");
}

}  // namespace

void AddMap(const v1::Report& report, Html& html) {
  const bool knows_recurrence = report.model().knows_recurrence();
  html.Open("section", {{"id", "map"}});
  html.Add("h2", "Map");
  const bool of_vectors = report.model().has_vectors();
  html.Add(
      "p", {{"class", "how"}},
      absl::StrCat(
          of_vectors ? "Places: the means on the two axes along which they differ most. "
                     : "Near: alike in the words that the corpus as a whole does not explain. ",
          AreaText(report),
          knows_recurrence ? ". Strong colour: another fit would find the topic again." : "."));
  // A group and no image: what is in an image is not told by screen readers, and the discs are
  // links.
  html.Open("svg", {{"class", "map"},
                    {"viewBox", absl::StrCat("0 0 ", Fixed(kWidth, 0), " ", Fixed(kHeight, 0))},
                    {"role", "group"},
                    {"aria-label", of_vectors ? "Map of the components; each leads to its row"
                                              : "Map of the topics; each leads to its card"}});
  const std::vector<Disc> discs = DiscsOf(report);
  for (size_t place = 0; place < discs.size(); ++place) {
    AddDisc(discs, place, knows_recurrence, html);
  }
  AddLabels(discs, html);
  html.Close();
  if (knows_recurrence) {
    // Of colours alone: the titles of the discs say the percentages.
    html.Open("p", {{"class", "legend"}, {"aria-hidden", "true"}}).Text("comes again: ");
    for (const double strength : {0.05, 0.35, 0.65, 0.95}) {
      html.Open("svg", {{"viewBox", "0 0 12 12"}, {"width", "12"}, {"height", "12"}});
      html.Add("circle", {{"cx", "6"}, {"cy", "6"}, {"r", "6"}, {"fill", FillOf(strength)}});
      html.Close().Text(absl::StrCat(" ", Percent(strength, 0), "  "));
    }
    html.Close();
  }
  AddSource(SourceOfTopics(report.model()), html);
  html.Close();
}

}  // namespace topicwall::client
