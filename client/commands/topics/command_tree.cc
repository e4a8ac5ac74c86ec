// `topicwall tree`: which topics of a model are near each other (client/topics/topic_tree.h).
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/commands/topics/word_json.h"
#include "client/topics/topic_labels.h"
#include "client/topics/topic_reading.h"
#include "client/topics/topic_tree.h"

namespace topicwall::client {
namespace {

// "3 heart disease", or what it is about where it has no label.
std::string TreeTextOf(const TopicReading& reading, const TopicLabels& labels) {
  std::vector<std::string> names;
  for (size_t k = 0; k < labels.size(); ++k) {
    names.push_back(absl::StrCat(
        k + 1, " ",
        labels[k].empty() ? absl::StrJoin(TypicalWords(reading, static_cast<int>(k)), " ")
                          : labels[k]));
  }
  return TreeText(TopicTree(reading), names);
}

std::string TreeJsonOf(const TopicReading& reading, const TopicLabels& labels) {
  std::vector<base::JsonObject> topics, joints;
  for (size_t k = 0; k < labels.size(); ++k) {
    base::JsonObject topic;
    topic.SetInteger("topic", static_cast<int64_t>(k) + 1);
    if (!labels[k].empty()) topic.SetString("label", labels[k]);
    topic.SetStrings("words", TypicalWords(reading, static_cast<int>(k)));
    topics.push_back(topic);
  }
  // Topics from 1, so joints from K + 1: one more than the nodes of topic_tree.h.
  auto node = static_cast<int64_t>(labels.size());
  for (const TopicJoint& joint : TopicTree(reading)) {
    joints.push_back(base::JsonObject()
                         .SetInteger("node", ++node)
                         .SetInteger("left", joint.left + 1)
                         .SetInteger("right", joint.right + 1)
                         .SetNumber("distance", joint.distance)
                         .SetInteger("topics", joint.topics));
  }
  return base::JsonObject().SetObjects("topics", topics).SetObjects("joints", joints).Text();
}

absl::Status ShowTree(const std::string& model, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(model, terminal));
  TW_ASSIGN_OR_RETURN(const TopicReading reading, TopicReading::Of(file));
  TW_ASSIGN_OR_RETURN(const TopicLabels labels, ReadLabels(model, file));
  terminal.Print(invocation.json ? TreeJsonOf(reading, labels) : TreeTextOf(reading, labels));
  return absl::OkStatus();
}

}  // namespace

void AddTree(base::Command app, Invocation& invocation) {
  auto [command, model] = AddCommand(
      app, invocation,
      {.name = "tree",
       .description =
           "The topics of a model as a tree, the most alike joined first. A number is how "
           "far apart the branches below it are, by what they have beyond the corpus: 0 "
           "for the same, 1 for topics without a common word. `merge` makes one of two",
       .example = "topicwall tree notes.model"},
      ShowTree);
  command.Add("model", *model, "Folder of the model").Required();
}

}  // namespace topicwall::client
