// `topicwall label`: names for topics, kept beside the model (client/topics/topic_labels.h).
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/exit_code.h"
#include "client/fit/model_directory.h"
#include "client/topics/topic_labels.h"

namespace topicwall::client {
namespace {

struct LabelFlags {
  std::string model;
  std::optional<int> topic;  // from 1
  std::optional<std::string> label;
  bool removes = false;
};

absl::Status CheckFlags(const LabelFlags& flags) {
  // Neither, to list; or a topic with one of the two.
  if (flags.topic.has_value() == (flags.label.has_value() || flags.removes) &&
      !(flags.label.has_value() && flags.removes)) {
    return absl::OkStatus();
  }
  return UsageError("a topic is given with its label, or with --remove.");
}

absl::Status SetLabel(const LabelFlags& flags, const v1::ModelFile& file) {
  // Nobody else writes them meanwhile.
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> lock,
                      ModelDirectory::Open(flags.model));
  TW_ASSIGN_OR_RETURN(TopicLabels labels, ReadLabels(flags.model, file));
  if (*flags.topic < 1 || *flags.topic > file.num_topics()) {
    return absl::InvalidArgumentError(
        absl::StrCat("topic must be in 1 to ", file.num_topics(), "; got ", *flags.topic, "."));
  }
  if (flags.label.has_value()) TW_RETURN_IF_ERROR(CheckLabel(*flags.label));
  // Taken away, it is the anchor's name again where the topic has one (topic_labels.h).
  labels[static_cast<size_t>(*flags.topic) - 1] = flags.label.value_or("");
  TW_RETURN_IF_ERROR(lock->CheckInPlace());
  return WriteLabels(flags.model, labels);
}

std::string LabelsText(const TopicLabels& labels) {
  base::Table table;
  bool any = false;
  for (size_t k = 0; k < labels.size(); ++k) {
    if (labels[k].empty()) continue;
    any = true;
    table.AddRow({absl::StrCat(k + 1), labels[k]});
  }
  return any ? table.Text() : "no topic has a label";
}

std::string LabelsJson(const TopicLabels& labels) {
  std::vector<base::JsonObject> topics;
  for (size_t k = 0; k < labels.size(); ++k) {
    if (labels[k].empty()) continue;
    topics.push_back(base::JsonObject()
                         .SetInteger("topic", static_cast<int64_t>(k) + 1)
                         .SetString("label", labels[k]));
  }
  return base::JsonObject().SetObjects("labels", topics).Text();
}

absl::Status RunLabel(const LabelFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_RETURN_IF_ERROR(CheckFlags(flags));
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  // Written first and read again: what is printed is what is kept.
  if (flags.topic.has_value()) TW_RETURN_IF_ERROR(SetLabel(flags, file));
  TW_ASSIGN_OR_RETURN(const TopicLabels labels, ReadLabels(flags.model, file));
  terminal.Print(invocation.json ? LabelsJson(labels) : LabelsText(labels));
  return absl::OkStatus();
}

}  // namespace

void AddLabel(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddCommand(
      app, invocation,
      {.name = "label",
       .description = "Names for the topics of a model, shown by topics, tree, prevalence and "
                      "report. With a topic "
                      "and a label: gives it that one; always: all labels there are, of topics of "
                      "`fit --anchors` without one the anchors' names",
       .example = "topicwall label notes.model 3 \"heart disease\"\n"
                  "  topicwall label notes.model 3 --remove"},
      RunLabel);
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("topic", flags->topic, "Number of the topic");
  command.Add("label", flags->label, "What to call it");
  command.AddFlag("--remove", flags->removes, "Take the topic's label away");
}

}  // namespace topicwall::client
