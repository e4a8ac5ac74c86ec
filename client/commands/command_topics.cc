#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "accountant/status_macros.h"
#include "client/commands/command.h"
#include "client/json.h"
#include "client/model_directory.h"
#include "client/model_file.h"
#include "lda/topic_model.h"

namespace topicwall::client {
namespace {

struct TopicsFlags {
  std::string model;
  int top = 10;
};

struct Topic {
  int number;     // from 1, as in λ
  double weight;  // its share of all expected words
  std::vector<lda::TermProbability> words;
};

// Heaviest first.
absl::StatusOr<std::vector<Topic>> TopicsOf(const lda::TopicModel& model, int top) {
  double total = 0;
  for (int k = 0; k < model.num_topics(); ++k) total += model.topic_sum(k);
  std::vector<Topic> topics;
  for (int k = 0; k < model.num_topics(); ++k) {
    TW_ASSIGN_OR_RETURN(std::vector<lda::TermProbability> words, lda::TopTerms(model, k, top));
    topics.push_back({.number = k + 1, .weight = model.topic_sum(k) / total, .words = words});
  }
  std::stable_sort(topics.begin(), topics.end(),
                   [](const Topic& a, const Topic& b) { return a.weight > b.weight; });
  return topics;
}

std::string TextOf(const std::vector<Topic>& topics, const v1::ModelFile& file) {
  Table table;
  for (const Topic& topic : topics) {
    std::string words;
    for (const lda::TermProbability& word : topic.words) {
      absl::StrAppend(&words, words.empty() ? "" : " ", file.terms(static_cast<int>(word.term)),
                      absl::StrFormat(" %.3f", word.probability));
    }
    table.AddRow(
        {absl::StrCat(topic.number), absl::StrFormat("%5.1f %%", 100 * topic.weight), words});
  }
  return table.Text();
}

std::string JsonTextOf(const std::vector<Topic>& topics, const v1::ModelFile& file) {
  std::vector<std::string> items;
  for (const Topic& topic : topics) {
    std::vector<std::string> words;
    for (const lda::TermProbability& word : topic.words) {
      words.push_back(JsonObject()
                          .SetString("term", file.terms(static_cast<int>(word.term)))
                          .SetNumber("probability", word.probability)
                          .Text());
    }
    items.push_back(JsonObject()
                        .SetInteger("topic", topic.number)
                        .SetNumber("weight", topic.weight)
                        .SetRaw("words", JsonArray(words))
                        .Text());
  }
  return JsonObject().SetRaw("topics", JsonArray(items)).Text();
}

absl::Status ShowTopics(const TopicsFlags& flags, const Invocation& invocation,
                        Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModel(flags.model));
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  TW_ASSIGN_OR_RETURN(const std::vector<Topic> topics, TopicsOf(model, flags.top));
  terminal.Print(invocation.json ? JsonTextOf(topics, file) : TextOf(topics, file));
  return absl::OkStatus();
}

}  // namespace

void AddTopics(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<TopicsFlags>();
  CLI::App* command =
      AddCommand(app, invocation,
                 {.name = "topics",
                  .description = "The topics of a model, heaviest first: number, share of all "
                                 "words, most probable words",
                  .example = "topicwall topics notes.model --top 8"});
  command->add_option("model", flags->model, "Folder of the model")->required();
  command->add_option("--top", flags->top, "Words of each topic")
      ->check(Positive())
      ->capture_default_str();
  command->callback([flags, &invocation] {
    invocation.action = [flags, &invocation](Terminal& terminal) {
      return ShowTopics(*flags, invocation, terminal);
    };
  });
}

}  // namespace topicwall::client
