// `topicwall find`: in which topics a word is typical.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/commands/topics/word_json.h"
#include "client/topics/topic_reading.h"

namespace topicwall::client {
namespace {

struct FindFlags {
  std::string model;
  std::string word;
};

std::string TextOf(const TopicReading& reading, const std::string& word,
                   const std::vector<WordPlace>& places) {
  // No error: that a word is typical of nothing is an answer. A word that is not in the list is
  // one.
  if (places.empty()) {
    return absl::StrCat("No topic has more of \"", word, "\" than the corpus.");
  }
  base::Table table;
  table.AddRow(reading.marks_words()
                   ? std::vector<std::string>{"topic", "probability", "lift", "z", "above"}
                   : std::vector<std::string>{"topic", "probability", "lift"});
  for (const WordPlace& place : places) {
    std::vector<std::string> row = {absl::StrCat(place.topic + 1),
                                    absl::StrFormat("%.4f", place.word.probability),
                                    absl::StrFormat("%.1f", place.word.lift)};
    // Both known for every word that a topic has more of, of a model that marks them: the row is as
    // long as its header.
    if (place.word.probability_above.has_value()) {
      row.push_back(absl::StrFormat("%.1f", *place.word.z));
      row.push_back(absl::StrFormat("%.0f %%", 100 * *place.word.probability_above));
    }
    table.AddRow(row);
  }
  return table.Text();
}

std::string JsonTextOf(const TopicReading& reading, const std::string& word,
                       const std::vector<WordPlace>& places) {
  std::vector<base::JsonObject> topics;
  for (const WordPlace& place : places) {
    base::JsonObject item;
    item.SetInteger("topic", place.topic + 1).SetObject("word", WordJson(reading, place.word));
    topics.push_back(item);
  }
  return base::JsonObject().SetString("word", word).SetObjects("topics", topics).Text();
}

absl::Status Find(const FindFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  TW_ASSIGN_OR_RETURN(const TopicReading reading, TopicReading::Of(file));
  TW_ASSIGN_OR_RETURN(const std::vector<WordPlace> places, PlacesOf(reading, flags.word));
  terminal.Print(invocation.json ? JsonTextOf(reading, flags.word, places)
                                 : TextOf(reading, flags.word, places));
  return absl::OkStatus();
}

}  // namespace

void AddFind(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddCommand(
      app, invocation,
      {.name = "find",
       .description = "The topics of a model that have more of a word than the corpus has: its "
                      "probability there, how many times that of the corpus this is (lift), by how "
                      "many deviations of the noise (z), and how sure it is (above)",
       .example = "topicwall find notes.model sepsis"},
      Find);
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("word", flags->word, "A word of its list").Required();
}

}  // namespace topicwall::client
