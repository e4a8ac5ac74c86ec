#include "client/topics/topic_labels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "model/data/utf8.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMaxLabelsFileBytes = int64_t{1} << 24;
constexpr size_t kMaxLabelBytes = 100;

std::string LabelsPath(const std::string& folder) { return folder + "/labels.txt"; }

absl::Status TakeLine(absl::string_view line, TopicLabels& labels) {
  // At the first blank only: a label may have others.
  const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(' ', 1));
  int number = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &number)) {
    return absl::InvalidArgumentError("must be the number of a topic, a blank and its label");
  }
  if (number < 1 || number > static_cast<int>(labels.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("topics must be in 1 to ", labels.size(), "; got ", number));
  }
  TW_RETURN_IF_ERROR(CheckLabel(parts[1]));
  std::string& label = labels[static_cast<size_t>(number) - 1];
  // By hand one topic may be named twice; which of the two was meant nobody can say.
  if (!label.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("topic ", number, " has a label already"));
  }
  label = std::string(parts[1]);
  return absl::OkStatus();
}

// Anchor number j is of topic j.
TopicLabels WithAnchors(TopicLabels labels, const v1::ModelFile& model) {
  const auto& anchors = model.spec().anchors();
  for (size_t k = 0; k < std::min(labels.size(), static_cast<size_t>(anchors.size())); ++k) {
    if (labels[k].empty()) labels[k] = anchors[static_cast<int>(k)].name();
  }
  return labels;
}

}  // namespace

absl::StatusOr<TopicLabels> ReadLabels(const std::string& folder, const v1::ModelFile& model) {
  TopicLabels labels(static_cast<size_t>(model.num_topics()));
  const std::string path = LabelsPath(folder);
  const absl::StatusOr<std::string> text = base::ReadWholeFile(path, kMaxLabelsFileBytes);
  // Nobody has named a topic yet.
  if (absl::IsNotFound(text.status())) return WithAnchors(std::move(labels), model);
  TW_RETURN_IF_ERROR(text.status());
  int number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    // People write this file by hand, on any system.
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    const absl::Status taken = TakeLine(line, labels);
    if (!taken.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ", line ", number, ": ",
                                                     absl::StripSuffix(taken.message(), "."), "."));
    }
  }
  return WithAnchors(std::move(labels), model);
}

absl::Status CheckLabel(absl::string_view label) {
  const bool is_line = std::none_of(label.begin(), label.end(), absl::ascii_iscntrl);
  if (!label.empty() && label.size() <= kMaxLabelBytes && is_line && lda::IsValidUtf8(label)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("a label must be one line of 1 to ",
                                                 kMaxLabelBytes, " bytes of valid UTF-8; got ",
                                                 label.size(), " bytes."));
}

TopicLabels LabelsAt(const std::vector<int>& places, const TopicLabels& labels) {
  TopicLabels merged(static_cast<size_t>(*std::max_element(places.begin(), places.end())) + 1);
  for (size_t k = 0; k < labels.size(); ++k) {
    std::string& label = merged[static_cast<size_t>(places[k])];
    if (label.empty()) label = labels[k];
  }
  return merged;
}

absl::Status WriteLabels(const std::string& folder, const TopicLabels& labels) {
  std::string text;
  for (size_t k = 0; k < labels.size(); ++k) {
    if (!labels[k].empty()) absl::StrAppend(&text, k + 1, " ", labels[k], "\n");
  }
  // Without labels there is no file, as in a folder that never had one.
  return text.empty() ? base::RemoveFileDurably(LabelsPath(folder))
                      : base::ReplaceFileDurably(LabelsPath(folder), text);
}

}  // namespace topicwall::client
