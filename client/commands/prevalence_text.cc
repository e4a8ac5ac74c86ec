#include "client/commands/prevalence_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/csv.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/topics/topic_labels.h"
#include "client/topics/topic_reading.h"
#include "model/lda/math/normal_tail.h"
#include "model/lda/reading/word_relevance.h"
#include "proto/told_numbers.h"

namespace topicwall::client {
namespace {

using prevalence::Direction;
using prevalence::GroupPrevalence;
using prevalence::Interval;
using prevalence::PrevalenceDifference;
using prevalence::TopicPrevalence;

constexpr size_t kGroupsSideBySide = 8;
constexpr int kTopicsOfAGroup = 3;  // where there are more groups than that
constexpr size_t kChangesShown = 20;
constexpr int kWordsOfAName = 3;

// "4", or "3+7+9" of merged ones: the model's numbers, as `topicwall topics` has them.
std::string TopicName(const PrevalenceReport& report, size_t topic) {
  return absl::StrJoin(report.topics[topic], "+",
                       [](std::string* out, int number) { absl::StrAppend(out, number + 1); });
}

std::string LabelOf(const PrevalenceReport& report, int64_t group) {
  const std::string label = absl::StrJoin(report.labels[static_cast<size_t>(group)], " ");
  return label.empty() ? "all" : label;
}

std::string ShareText(const GroupPrevalence& group, size_t topic) {
  if (group.none) return "-";
  const TopicPrevalence& found = group.topics[topic];
  return absl::StrFormat("%.1f [%.1f, %.1f]", 100 * found.share, 100 * found.interval.low,
                         100 * found.interval.high);
}

std::string DocumentsText(const GroupPrevalence& group) {
  return absl::StrCat(proto::Fixed(group.documents, 0), " ± ",
                      proto::Fixed(lda::UsualPoint() * group.documents_error, 0));
}

// Largest first, by their share of all documents; by number if that cannot be told.
std::vector<size_t> LargestTopics(const GroupPrevalence& group) {
  std::vector<size_t> topics(group.topics.size());
  std::iota(topics.begin(), topics.end(), size_t{0});
  if (group.none) return topics;
  std::stable_sort(topics.begin(), topics.end(), [&group](size_t a, size_t b) {
    return group.topics[a].share > group.topics[b].share;
  });
  return topics;
}

// Topics down, groups across.
void AddTopics(const PrevalenceReport& report, const std::vector<std::string>& names, int top,
               base::Table& table) {
  std::vector<std::string> head = {"topic", "all documents"};
  std::vector<std::string> documents = {"", DocumentsText(report.all)};
  // The only group is all documents, in their own column already.
  const bool several = report.groups.size() > 1;
  for (size_t g = 0; several && g < report.groups.size(); ++g) {
    head.push_back(LabelOf(report, static_cast<int64_t>(g)));
    documents.push_back(DocumentsText(report.groups[g]));
  }
  head.emplace_back("words");
  table.AddRow(std::move(head));
  table.AddRow(std::move(documents));
  for (const size_t topic : LargestTopics(report.all)) {
    if (top-- <= 0) break;
    std::vector<std::string> row = {TopicName(report, topic), ShareText(report.all, topic)};
    for (size_t g = 0; several && g < report.groups.size(); ++g) {
      row.push_back(ShareText(report.groups[g], topic));
    }
    row.push_back(names[topic]);
    table.AddRow(std::move(row));
  }
}

// Groups down, with what they are most about.
void AddGroups(const PrevalenceReport& report, const std::vector<std::string>& names,
               base::Table& table) {
  table.AddRow({"group", "documents", "most about (% of the group)"});
  for (size_t g = 0; g < report.groups.size(); ++g) {
    const GroupPrevalence& group = report.groups[g];
    std::vector<std::string> most;
    for (const size_t topic : LargestTopics(group)) {
      if (group.none || most.size() == kTopicsOfAGroup) break;
      most.push_back(
          absl::StrCat(TopicName(report, topic), " ", names[topic], " ", ShareText(group, topic)));
    }
    table.AddRow({LabelOf(report, static_cast<int64_t>(g)), DocumentsText(group),
                  group.none ? "too few documents for this noise" : absl::StrJoin(most, "; ")});
  }
}

std::vector<const PrevalenceDifference*> Told(const PrevalenceReport& report) {
  std::vector<const PrevalenceDifference*> told;
  for (const PrevalenceDifference& change : report.changes) {
    // Of the others not even the sign is known.
    if (change.direction() != Direction::kUnclear) told.push_back(&change);
  }
  std::stable_sort(told.begin(), told.end(),
                   [](const PrevalenceDifference* a, const PrevalenceDifference* b) {
                     return a->adjusted_p_value < b->adjusted_p_value;
                   });
  return told;
}

// "-4.8 points"; of what rounds to nothing the first digit that counts: its sign is known.
std::string PointsText(double difference) {
  const double points = 100 * difference;
  return std::abs(points) < 0.05 ? absl::StrFormat("%+.1g points", points)
                                 : absl::StrFormat("%+.1f points", points);
}

// Below that the digits say nothing but where doubles end.
std::string ChanceText(double p_value) {
  constexpr double kLeastTold = 1e-16;
  return p_value < kLeastTold ? "p < 1e-16" : absl::StrFormat("p %.1g", p_value);
}

std::string ChangesText(const PrevalenceReport& report, const std::vector<std::string>& names) {
  const std::vector<const PrevalenceDifference*> told = Told(report);
  base::Table table;
  for (size_t i = 0; i < told.size() && i < kChangesShown; ++i) {
    const PrevalenceDifference& change = *told[i];
    const auto topic = static_cast<size_t>(change.topic);
    table.AddRow(
        {TopicName(report, topic), names[topic],
         change.direction() == Direction::kRises ? "rises" : "falls",
         absl::StrCat(LabelOf(report, change.pair.from), " → ", LabelOf(report, change.pair.to)),
         absl::StrCat(PointsText(change.difference), ", ", ChanceText(change.adjusted_p_value))});
  }
  if (told.empty()) return "no change from a period to the next is more than noise may be";
  return absl::StrCat("changes that noise does not explain (all of them true together, 95 %)",
                      told.size() > kChangesShown
                          ? absl::StrCat("; the clearest ", kChangesShown, " of ", told.size())
                          : "",
                      "\n", table.Text(2));
}

base::JsonObject& SetInterval(const std::string& name, const Interval& interval,
                              base::JsonObject& object) {
  return object.SetNumber(absl::StrCat(name, "low"), interval.low)
      .SetNumber(absl::StrCat(name, "high"), interval.high);
}

base::JsonObject JsonOf(const PrevalenceReport& report, const GroupPrevalence& group) {
  std::vector<base::JsonObject> topics;
  for (size_t k = 0; k < group.topics.size(); ++k) {
    const TopicPrevalence& found = group.topics[k];
    base::JsonObject& topic = topics.emplace_back();
    topic.SetString("topic", TopicName(report, k))
        .SetNumber("share", found.share)
        .SetNumber("unprojected", found.unprojected)
        .SetNumber("standard_error", found.standard_error);
    SetInterval("", found.interval, topic);
    SetInterval("simultaneous_", found.simultaneous, topic);
  }
  base::JsonObject object;
  object.SetNumber("documents", group.documents)
      .SetNumber("documents_standard_error", group.documents_error);
  SetInterval("documents_", group.documents_interval, object);
  return object.SetBool("none", group.none).SetObjects("topics", topics);
}

base::JsonObject JsonOf(const PrevalenceReport& report, const PrevalenceDifference& change) {
  const auto labels = [&report](int64_t group) {
    return report.labels[static_cast<size_t>(group)];
  };
  // Of a group that is too small nothing is told, which is not that nothing changed.
  const auto known = [&change](double number) {
    return std::isnan(change.standard_error) ? change.standard_error : number;
  };
  return base::JsonObject()
      .SetString("topic", TopicName(report, static_cast<size_t>(change.topic)))
      .SetStrings("from", labels(change.pair.from))
      .SetStrings("to", labels(change.pair.to))
      .SetNumber("difference", known(change.difference))
      .SetNumber("standard_error", change.standard_error)
      .SetNumber("p_value", known(change.p_value))
      .SetNumber("adjusted_p_value", known(change.adjusted_p_value));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> NamesOf(const std::string& folder,
                                                 const v1::ModelFile& model,
                                                 const PrevalenceReport& report) {
  TW_ASSIGN_OR_RETURN(const TopicLabels labels, ReadLabels(folder, model));
  TW_ASSIGN_OR_RETURN(const TopicReading reading, TopicReading::Of(model));
  std::vector<std::string> names;
  for (const std::vector<int>& members : report.topics) {
    const auto labelled = std::find_if(members.begin(), members.end(), [&labels](int topic) {
      return !labels[static_cast<size_t>(topic)].empty();
    });
    std::string& name = names.emplace_back();
    if (labelled != members.end()) {
      name = labels[static_cast<size_t>(*labelled)];
      continue;
    }
    for (const ReadWord& word :
         reading.Words(members.front(), {.relevance = lda::kRelevance, .count = kWordsOfAName})) {
      absl::StrAppend(&name, name.empty() ? "" : " ", reading.terms()[word.term]);
    }
    if (name.empty()) name = "no word of its own";
  }
  return names;
}

std::string TextOf(const PrevalenceReport& report, const std::vector<std::string>& names, int top) {
  base::Table table;
  const bool many = report.groups.size() > kGroupsSideBySide;
  if (many) {
    AddGroups(report, names, table);
  } else {
    AddTopics(report, names, top, table);
  }
  std::string text = absl::StrCat(
      "prevalence of ", report.all.topics.size(), " topics in ", report.file.plan().plan().corpus(),
      ", in percent of the words of an average document; 95 % intervals\n", table.Text(2));
  if (!report.changes.empty()) absl::StrAppend(&text, "\n", ChangesText(report, names));
  return text;
}

base::JsonObject JsonOf(const PrevalenceReport& report) {
  std::vector<std::string> names;
  for (const model::Attribute& attribute : report.by) names.push_back(attribute.name);
  std::vector<base::JsonObject> groups, changes;
  for (size_t g = 0; g < report.groups.size(); ++g) {
    groups.push_back(JsonOf(report, report.groups[g]));
    groups.back().SetStrings("values", report.labels[g]);
  }
  for (const PrevalenceDifference& change : report.changes) {
    changes.push_back(JsonOf(report, change));
  }
  return base::JsonObject()
      .SetStrings("by", names)
      .SetObject("all", JsonOf(report, report.all))
      .SetObjects("groups", groups)
      .SetObjects("changes", changes);
}

std::string CsvOf(const PrevalenceReport& report) {
  std::string csv;
  for (const model::Attribute& attribute : report.by) {
    absl::StrAppend(&csv, base::CsvField(attribute.name), ",");
  }
  absl::StrAppend(&csv, "topic,share,low,high,standard_error,simultaneous_low,simultaneous_high,",
                  "documents,documents_low,documents_high");
  for (size_t g = 0; g < report.groups.size(); ++g) {
    const GroupPrevalence& group = report.groups[g];
    for (size_t k = 0; k < group.topics.size(); ++k) {
      const TopicPrevalence& found = group.topics[k];
      absl::StrAppend(&csv, "\r\n");
      for (const std::string& label : report.labels[g])
        absl::StrAppend(&csv, base::CsvField(label), ",");
      absl::StrAppend(&csv, TopicName(report, k));
      for (const double number :
           // Shares of a group that is none are NaN, its intervals 0 to 1 (prevalence_estimate.h).
           {found.share, found.interval.low, found.interval.high, found.standard_error,
            found.simultaneous.low, found.simultaneous.high, group.documents,
            group.documents_interval.low, group.documents_interval.high}) {
        absl::StrAppend(&csv, ",", base::CsvNumber(number));
      }
    }
  }
  return csv;
}

}  // namespace topicwall::client
