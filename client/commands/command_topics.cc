#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/topic_quality.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::client {
namespace {

struct TopicsFlags {
  std::string model;
  int top = 10;
};

struct Word {
  std::string term;
  double probability;
  // Of a model that says what its noise is.
  double signal_to_noise;
  bool may_be_noise;
};

struct Topic {
  int number;     // from 1, as in λ
  double weight;  // its share of all expected words
  double prior;   // α
  bool is_junk;
  std::vector<Word> words;
};

// Heaviest first. `quality` may be null.
absl::StatusOr<std::vector<Topic>> TopicsOf(const v1::ModelFile& file,
                                            const lda::TopicQuality* quality, int top) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  double total = 0;
  for (int k = 0; k < model.num_topics(); ++k) total += model.topic_sum(k);
  std::vector<Topic> topics;
  for (int k = 0; k < model.num_topics(); ++k) {
    TW_ASSIGN_OR_RETURN(const std::vector<lda::TermProbability> words,
                        lda::TopTerms(model, k, top));
    topics.push_back({.number = k + 1,
                      .weight = model.topic_sum(k) / total,
                      .prior = model.document_topic_prior().of(static_cast<size_t>(k)),
                      .is_junk = quality != nullptr && quality->topic(k).is_junk,
                      .words = {}});
    for (const lda::TermProbability& word : words) {
      topics.back().words.push_back(
          {.term = file.terms(static_cast<int>(word.term)),
           .probability = word.probability,
           .signal_to_noise = quality == nullptr ? 0 : quality->SignalToNoise(k, word.term),
           .may_be_noise = quality != nullptr && quality->MayBeNoise(k, word.term)});
    }
  }
  std::stable_sort(topics.begin(), topics.end(),
                   [](const Topic& a, const Topic& b) { return a.weight > b.weight; });
  return topics;
}

std::string TextOf(const std::vector<Topic>& topics) {
  base::Table table;
  for (const Topic& topic : topics) {
    std::string words = topic.is_junk ? "(nothing that word frequencies and noise do not say)" : "";
    for (const Word& word : topic.words) {
      absl::StrAppend(&words, words.empty() ? "" : " ", word.term, word.may_be_noise ? "? " : " ",
                      absl::StrFormat("%.3f", word.probability));
    }
    table.AddRow(
        {absl::StrCat(topic.number), absl::StrFormat("%5.1f %%", 100 * topic.weight), words});
  }
  return table.Text();
}

std::string JsonTextOf(const std::vector<Topic>& topics, bool has_quality) {
  std::vector<std::string> items;
  for (const Topic& topic : topics) {
    std::vector<std::string> words;
    for (const Word& word : topic.words) {
      base::JsonObject item;
      item.SetString("term", word.term).SetNumber("probability", word.probability);
      if (has_quality) {
        item.SetNumber("signal_to_noise", word.signal_to_noise)
            .SetBool("may_be_noise", word.may_be_noise);
      }
      words.push_back(item.Text());
    }
    base::JsonObject item;
    item.SetInteger("topic", topic.number)
        .SetNumber("weight", topic.weight)
        .SetNumber("document_topic_prior", topic.prior);
    if (has_quality) item.SetBool("is_junk", topic.is_junk);
    items.push_back(item.SetRaw("words", base::JsonArray(words)).Text());
  }
  return base::JsonObject().SetRaw("topics", base::JsonArray(items)).Text();
}

// What the marks mean, and how much of the model to believe.
std::string Remark(const lda::TopicQuality& quality, int num_topics) {
  return absl::StrCat("? a word that noise alone may have put there (its sum is below ",
                      absl::StrFormat("%.1f", quality.least_word_signal()),
                      " deviations of the noise). ", quality.NumJunkTopics(), " of ", num_topics,
                      " topics say nothing that word frequencies and "
                      "noise do not.");
}

absl::Status ShowTopics(const TopicsFlags& flags, const Invocation& invocation,
                        Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModel(flags.model));
  TW_ASSIGN_OR_RETURN(const std::optional<ModelNoise> noise, NoiseOf(file));
  std::optional<lda::TopicQuality> quality;
  if (noise.has_value()) {
    TW_ASSIGN_OR_RETURN(
        lda::TopicQuality judged,
        lda::TopicQuality::Create(noise->topics(file.num_topics()), noise->term_probabilities));
    quality = std::move(judged);
  }
  TW_ASSIGN_OR_RETURN(const std::vector<Topic> topics,
                      TopicsOf(file, quality.has_value() ? &*quality : nullptr, flags.top));
  terminal.Print(invocation.json ? JsonTextOf(topics, quality.has_value()) : TextOf(topics));
  if (quality.has_value()) terminal.Remark(Remark(*quality, file.num_topics()));
  return absl::OkStatus();
}

}  // namespace

void AddTopics(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<TopicsFlags>();
  base::Command command =
      AddCommand(app, invocation,
                 {.name = "topics",
                  .description = "The topics of a model, heaviest first: number, share of all "
                                 "words, most probable words. Words "
                                 "that noise alone may have put there are marked",
                  .example = "topicwall topics notes.model --top 8"});
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("--top", flags->top, "Words of each topic").Positive().ShowDefault();
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation](Terminal& terminal) {
      return ShowTopics(*flags, invocation, terminal);
    };
  });
}

}  // namespace topicwall::client
