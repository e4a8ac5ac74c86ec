// `topicwall match`: which topic of one model is which of another.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/commands/topics/word_json.h"
#include "client/topics/model_match.h"
#include "client/topics/topic_reading.h"
#include "model/lda/reading/quality_calibration.h"

namespace topicwall::client {
namespace {

struct MatchFlags {
  std::string first, second;
};

// A line for each topic that is like none.
void AddRest(const TopicReading& reading, const std::vector<int>& topics, bool of_first,
             base::Table* table) {
  for (const int k : topics) {
    const std::string number = absl::StrCat(k + 1);
    table->AddRow({"-", of_first ? number : "-", of_first ? "-" : number,
                   absl::StrJoin(TypicalWords(reading, k), " ")});
  }
}

std::string TextOf(const TopicReading& a, const TopicReading& b, const ModelMatch& match) {
  base::Table table;
  table.AddRow({"likeness", "first", "second", "words"});
  for (const lda::TopicPair& pair : match.pairs) {
    table.AddRow({absl::StrFormat("%.2f", pair.likeness), absl::StrCat(pair.of_a + 1),
                  absl::StrCat(pair.of_b + 1),
                  absl::StrCat(absl::StrJoin(TypicalWords(a, pair.of_a), " "), " | ",
                               absl::StrJoin(TypicalWords(b, pair.of_b), " "))});
  }
  AddRest(a, match.only_in_a, /*of_first=*/true, &table);
  AddRest(b, match.only_in_b, /*of_first=*/false, &table);
  return table.Text();
}

std::string NumbersJson(const std::vector<int>& topics) {
  std::vector<std::string> numbers;
  for (const int k : topics) numbers.push_back(absl::StrCat(k + 1));
  return base::JsonArray(numbers);
}

std::string JsonTextOf(const TopicReading& a, const TopicReading& b, const ModelMatch& match) {
  std::vector<base::JsonObject> pairs;
  for (const lda::TopicPair& pair : match.pairs) {
    base::JsonObject item;
    item.SetInteger("first", pair.of_a + 1)
        .SetInteger("second", pair.of_b + 1)
        .SetNumber("likeness", pair.likeness)
        .SetStrings("first_words", TypicalWords(a, pair.of_a))
        .SetStrings("second_words", TypicalWords(b, pair.of_b));
    pairs.push_back(item);
  }
  return base::JsonObject()
      .SetInteger("common_words", match.common_words)
      .SetNumber("least_likeness", lda::kAlike)
      .SetObjects("pairs", pairs)
      .SetRaw("only_in_first", NumbersJson(match.only_in_a))
      .SetRaw("only_in_second", NumbersJson(match.only_in_b))
      .Text();
}

absl::Status Match(const MatchFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile first, ReadModelShown(flags.first, terminal));
  TW_ASSIGN_OR_RETURN(const v1::ModelFile second, ReadModelShown(flags.second, terminal));
  TW_ASSIGN_OR_RETURN(const TopicReading a, TopicReading::Of(first));
  TW_ASSIGN_OR_RETURN(const TopicReading b, TopicReading::Of(second));
  TW_ASSIGN_OR_RETURN(const ModelMatch match, MatchModels(a, b, lda::kAlike));
  if (invocation.json) {
    terminal.Print(JsonTextOf(a, b, match));
    return absl::OkStatus();
  }
  terminal.Print(TextOf(a, b, match));
  terminal.Remark(absl::StrFormat(
      "%d pairs, over %d words that both have; the most alike first, no topic twice. likeness: of "
      "what each topic has beyond its corpus, 1 for the same; below %g topics stay alone, here %d "
      "and %d.",
      match.pairs.size(), match.common_words, lda::kAlike, match.only_in_a.size(),
      match.only_in_b.size()));
  return absl::OkStatus();
}

}  // namespace

void AddMatch(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddCommand(
      app, invocation,
      {.name = "match",
       .description = "The topics of two models in pairs, the most alike first, and those "
                      "that are like none of the other's",
       .example = "topicwall match january.model february.model"},
      Match);
  command.Add("first", flags->first, "Folder of a model").Required();
  command.Add("second", flags->second, "Folder of another").Required();
}

}  // namespace topicwall::client
