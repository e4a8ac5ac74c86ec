// `topicwall merge`: topics that say the same, as one. The first model stays what was released and
// paid for; labels go along (client/topics/topic_labels.h).
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/commands/topics/word_json.h"
#include "client/exit_code.h"
#include "client/fit/model_directory.h"
#include "client/topics/topic_labels.h"
#include "client/topics/topic_merge.h"
#include "client/topics/topic_reading.h"

namespace topicwall::client {
namespace {

struct MergeFlags {
  std::string model;
  std::vector<std::string> groups;  // "3,9"
  std::string out;
};

struct Merged {
  TopicGroups groups;
  std::vector<int> places;  // of each topic of the first model
  v1::ModelFile file;
  TopicLabels labels;
};

absl::StatusOr<TopicGroups> GroupsOf(const std::vector<std::string>& texts) {
  TopicGroups groups;
  for (const std::string& text : texts) {
    std::vector<int> group;
    for (const absl::string_view field : absl::StrSplit(text, ',')) {
      int number = 0;
      if (!absl::SimpleAtoi(field, &number) || number < 1) {
        return UsageError(absl::StrCat(
            "--topics must be numbers of topics with commas between them; got \"", text, "\"."));
      }
      group.push_back(number - 1);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

absl::StatusOr<Merged> Merge(const MergeFlags& flags, Terminal& terminal) {
  Merged merged;
  TW_ASSIGN_OR_RETURN(merged.groups, GroupsOf(flags.groups));
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  // What is wrong with the model or the numbers is told before the new folder is made.
  TW_ASSIGN_OR_RETURN(merged.file, MergeTopics(file, merged.groups));
  TW_ASSIGN_OR_RETURN(merged.places, PlacesAfterMerge(file.num_topics(), merged.groups));
  TW_ASSIGN_OR_RETURN(const TopicLabels labels, ReadLabels(flags.model, file));
  merged.labels = LabelsAt(merged.places, labels);
  return merged;
}

// Of each group: its topics, and which one they are now.
struct MergedGroup {
  std::vector<std::string> topics;
  int now;  // from 0
};

std::vector<MergedGroup> GroupsShown(const Merged& merged) {
  std::vector<MergedGroup> shown;
  for (const std::vector<int>& group : merged.groups) {
    // All of a group are at one place.
    MergedGroup one = {.topics = {}, .now = merged.places[static_cast<size_t>(group[0])]};
    for (const int topic : group) one.topics.push_back(absl::StrCat(topic + 1));
    shown.push_back(std::move(one));
  }
  return shown;
}

std::string TextOf(const Merged& merged, const TopicReading& reading, const std::string& out) {
  std::string text = absl::StrCat(out, ": ", merged.file.num_topics(), " topics of the ",
                                  merged.places.size(), " there were.");
  for (const MergedGroup& group : GroupsShown(merged)) {
    absl::StrAppend(&text, "\n  ", absl::StrJoin(group.topics, " and "), " are now ", group.now + 1,
                    ": ", absl::StrJoin(TypicalWords(reading, group.now), " "));
  }
  return text;
}

std::string JsonTextOf(const Merged& merged, const TopicReading& reading, const std::string& out) {
  std::vector<base::JsonObject> groups;
  for (const MergedGroup& group : GroupsShown(merged)) {
    groups.push_back(base::JsonObject()
                         .SetRaw("topics", base::JsonArray(group.topics))
                         .SetInteger("topic", group.now + 1)
                         .SetStrings("words", TypicalWords(reading, group.now)));
  }
  std::vector<std::string> numbers;
  for (const int place : merged.places) numbers.push_back(absl::StrCat(place + 1));
  return base::JsonObject()
      .SetString("model", out)
      .SetInteger("topics", merged.file.num_topics())
      .SetObjects("merged", groups)
      .SetRaw("new_numbers", base::JsonArray(numbers))
      .Text();
}

absl::Status RunMerge(const MergeFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const Merged merged, Merge(flags, terminal));
  // Of the merged model: its words are shown as they are then.
  TW_ASSIGN_OR_RETURN(const TopicReading reading, TopicReading::Of(merged.file));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> directory,
                      ModelDirectory::OpenNew(flags.out));
  // The labels first: a folder with a model is finished.
  TW_RETURN_IF_ERROR(WriteLabels(flags.out, merged.labels));
  TW_RETURN_IF_ERROR(directory->Finish(merged.file));
  terminal.Print(invocation.json ? JsonTextOf(merged, reading, flags.out)
                                 : TextOf(merged, reading, flags.out));
  return absl::OkStatus();
}

}  // namespace

void AddMerge(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddCommand(
      app, invocation,
      {.name = "merge",
       .description =
           "Make one of topics that say the same, in a model of its own: free, for it is "
           "made of what was released. The merged topic has the number of the first of "
           "them, and those behind move up. Shares add up, and other topics keep theirs; of "
           "its noise the new model says how far shares may be off, and no more",
       .example = "topicwall merge notes.model --topics 3,9 --topics 4,17,20 --out merged.model"},
      RunMerge);
  command.Add("model", flags->model, "Folder of the model").Required();
  command
      .Add("--topics", flags->groups,
           "Numbers of topics that become one, with commas between them; several times for several")
      .Repeated()
      .Required()
      .Called("N,N");
  command.Add("--out", flags->out, "Folder of the new model").Required();
}

}  // namespace topicwall::client
