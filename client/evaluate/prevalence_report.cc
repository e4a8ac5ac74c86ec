#include "client/evaluate/prevalence_report.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "client/evaluate/prevalence_file.h"
#include "client/evaluate/wall_prevalence.h"
#include "client/fit/model_file.h"
#include "model/lda/topics/topic_model.h"
#include "model/prevalence/cells.h"

namespace topicwall::client {
namespace {

constexpr int kWordsOfATopic = 3;

// Of groups by `by`, those next to each other along its first date.
std::vector<prevalence::GroupPair> AlongTheDate(const std::vector<model::Attribute>& by,
                                                const prevalence::Cells& groups) {
  const auto date =
      std::find_if(by.begin(), by.end(), [](const model::Attribute& one) { return one.is_date; });
  if (date == by.end()) return {};
  int64_t step = 1;
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

// The most probable words of each topic.
absl::StatusOr<std::vector<std::string>> WordsOf(const v1::ModelFile& file) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  std::vector<std::string> words;
  for (int k = 0; k < model.num_topics(); ++k) {
    TW_ASSIGN_OR_RETURN(const std::vector<lda::TermProbability> top,
                        lda::TopTerms(model, k, kWordsOfATopic));
    words.push_back(
        absl::StrJoin(top, " ", [&file](std::string* out, const lda::TermProbability& word) {
          absl::StrAppend(out, file.terms(static_cast<int>(word.term)));
        }));
  }
  return words;
}

}  // namespace

absl::StatusOr<PrevalenceReport> ReportOf(const v1::PrevalenceFile& file,
                                          const v1::ModelFile& model,
                                          const std::vector<std::string>& by) {
  PrevalenceReport report;
  report.file = file;
  TW_ASSIGN_OR_RETURN(const prevalence::PrevalenceSums sums, SumsOf(file, by));
  for (const std::string& name : by) {
    for (const model::Attribute& attribute : AttributesOf(file.attributes())) {
      if (attribute.name == name) report.by.push_back(attribute);
    }
  }
  std::vector<int> numbers(by.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  TW_ASSIGN_OR_RETURN(
      const prevalence::Cells groups,
      prevalence::Cells::Create(numbers, {.attribute_sizes = model::SizesOf(report.by)}));
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
  TW_ASSIGN_OR_RETURN(report.words, WordsOf(model));
  return report;
}

}  // namespace topicwall::client
