#include "client/evaluate/prevalence_report.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/evaluate/prevalence_file.h"
#include "client/evaluate/wall_prevalence.h"
#include "client/wall/topics_asked.h"
#include "model/prevalence/cells.h"

namespace topicwall::client {
namespace {

// Of groups by `by`, those next to each other along its first date.
std::vector<prevalence::GroupPair> AlongTheDate(const std::vector<model::Attribute>& by,
                                                const prevalence::Cells& groups) {
  const auto date =
      std::find_if(by.begin(), by.end(), [](const model::Attribute& one) { return one.is_date; });
  if (date == by.end()) return {};
  int64_t step = 1;
  // Cells count the last attribute's values first: a period later is so many cells further.
  for (auto after = date + 1; after != by.end(); ++after) step *= model::NumValues(*after);
  const auto place = static_cast<size_t>(date - by.begin());
  std::vector<prevalence::GroupPair> pairs;
  for (int64_t group = 0; group < groups.size(); ++group) {
    // The last period has "other" behind it.
    if (groups.ValuesOf(group)[place] + 1 < model::OtherOf(*date)) {
      pairs.push_back({.from = group, .to = group + step});
    }
  }
  return pairs;
}

// Each of so many topics once, those to be merged under the smallest number among them; of a
// checked view.
std::vector<std::vector<int>> Merged(const std::vector<std::vector<int>>& together,
                                     int num_topics) {
  std::vector<int> first(static_cast<size_t>(num_topics));
  std::iota(first.begin(), first.end(), 0);
  for (const std::vector<int>& some : together) {
    for (const int topic : some) {
      first[static_cast<size_t>(topic)] = *std::min_element(some.begin(), some.end());
    }
  }
  std::vector<std::vector<int>> topics(first.size());
  for (size_t k = 0; k < first.size(); ++k) {
    topics[static_cast<size_t>(first[k])].push_back(static_cast<int>(k));
  }
  std::erase_if(topics, [](const std::vector<int>& members) { return members.empty(); });
  return topics;
}

// The number that each of the model's topics has in the report.
std::vector<int> NumbersIn(const std::vector<std::vector<int>>& topics, int num_topics) {
  std::vector<int> numbers(static_cast<size_t>(num_topics));
  for (size_t t = 0; t < topics.size(); ++t) {
    for (const int topic : topics[t]) numbers[static_cast<size_t>(topic)] = static_cast<int>(t);
  }
  return numbers;
}

absl::StatusOr<prevalence::Cells> AllOf(const std::vector<model::Attribute>& attributes) {
  std::vector<int> numbers(attributes.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return prevalence::Cells::Create(numbers, {.attribute_sizes = model::SizesOf(attributes)});
}

}  // namespace

absl::Status CheckView(const PrevalenceView& view, int num_topics) {
  for (auto name = view.by.begin(); name != view.by.end(); ++name) {
    if (std::find(view.by.begin(), name, *name) == name) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("by must name different attributes; got ", *name, " twice. Name it once."));
  }
  std::vector<bool> seen(static_cast<size_t>(num_topics));
  for (const std::vector<int>& some : view.merged) {
    for (const int topic : some) {
      if (!(topic >= 0 && topic < num_topics) || seen[static_cast<size_t>(topic)]) {
        return absl::InvalidArgumentError(
            absl::StrCat("topics to merge must be different ones from 1 to ", num_topics, "; got ",
                         topic + int64_t{1}, ". `topicwall topics` lists them."));
      }
      seen[static_cast<size_t>(topic)] = true;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<PrevalenceReport> ReportOf(const v1::PrevalenceFile& file,
                                          const PrevalenceView& view) {
  PrevalenceReport report;
  report.file = file;
  TW_RETURN_IF_ERROR(CheckView(view, NumTopics(file.plan().plan())));
  TW_ASSIGN_OR_RETURN(const prevalence::PrevalenceSums all_topics, SumsOf(file, view.by));
  report.topics = Merged(view.merged, all_topics.num_topics);
  TW_ASSIGN_OR_RETURN(
      const prevalence::PrevalenceSums sums,
      prevalence::MergeTopics(all_topics, NumbersIn(report.topics, all_topics.num_topics)));
  for (const std::string& name : view.by) {
    for (const model::Attribute& attribute : AttributesOf(file.attributes())) {
      if (attribute.name == name) report.by.push_back(attribute);
    }
  }
  TW_ASSIGN_OR_RETURN(const prevalence::Cells groups, AllOf(report.by));
  for (int64_t group = 0; group < groups.size(); ++group) {
    const std::vector<int> values = groups.ValuesOf(group);
    std::vector<std::string>& labels = report.labels.emplace_back();
    for (size_t i = 0; i < values.size(); ++i) {
      labels.push_back(model::LabelOf(report.by[i], values[i]));
    }
  }
  report.groups = prevalence::EstimatePrevalence(sums);
  TW_ASSIGN_OR_RETURN(const prevalence::PrevalenceSums all,
                      prevalence::MergeCells(sums, std::vector<int64_t>(report.groups.size(), 0)));
  report.all = prevalence::EstimatePrevalence(all).front();
  TW_ASSIGN_OR_RETURN(report.changes,
                      prevalence::PrevalenceDifferences(sums, AlongTheDate(report.by, groups)));
  return report;
}

}  // namespace topicwall::client
