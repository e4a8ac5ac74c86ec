// `topicwall topics`: what a model says, read from its folder alone. Of a denoised model it also
// says what noise alone may have put there: words are marked, and topics that say nothing are told,
// by the noise that is written down in the model (model/lda/denoise/topic_quality.h). Other models
// say nothing of their noise, and nothing is marked; that does not make their words truer.
//
// `--assign`: of which component of a mixture each document of one's own is. No wall is asked, and
// nothing of the documents leaves this machine.
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
#include "client/evaluate/document_reader.h"
#include "client/exit_code.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/topic_quality.h"
#include "model/lda/topics/topic_model.h"
#include "model/mixture/mixture_perplexity.h"

namespace topicwall::client {
namespace {

struct TopicsFlags {
  std::string model;
  int top = 10;
  std::string assigned;  // documents; empty: the topics are shown
  std::string format = "jsonl";
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
  double weight;  // its share of all expected words; of a mixture, of all documents
  double prior;   // α
  bool is_weak;
  std::vector<Word> words;
};

// Heaviest first. `quality` may be null.
absl::StatusOr<std::vector<Topic>> TopicsOf(const v1::ModelFile& file,
                                            const lda::TopicQuality* quality, int top) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  double total = 0;
  // Of λ, which is words expected of a topic, and a little of the prior.
  for (int k = 0; k < model.num_topics(); ++k) total += model.topic_sum(k);
  const bool of_documents = file.component_weights_size() > 0;
  std::vector<Topic> topics;
  for (int k = 0; k < model.num_topics(); ++k) {
    TW_ASSIGN_OR_RETURN(const std::vector<lda::TermProbability> words,
                        lda::TopTerms(model, k, top));
    topics.push_back(
        {.number = k + 1,
         .weight = of_documents ? file.component_weights(k) : model.topic_sum(k) / total,
         .prior = model.document_topic_prior().of(static_cast<size_t>(k)),
         .is_weak = quality != nullptr && quality->topic(k).is_weak,
         .words = {}});
    for (const lda::TermProbability& word : words) {
      topics.back().words.push_back(
          {.term = file.terms(static_cast<int>(word.term)),
           .probability = word.probability,
           .signal_to_noise = quality == nullptr ? 0 : quality->SignalToNoise(k, word.term),
           .may_be_noise = quality != nullptr && quality->MayBeNoise(k, word.term)});
    }
  }
  // For the eye. The numbers stay those of λ's rows, so that they mean the same in every output.
  std::stable_sort(topics.begin(), topics.end(),
                   [](const Topic& a, const Topic& b) { return a.weight > b.weight; });
  return topics;
}

std::string TextOf(const std::vector<Topic>& topics) {
  base::Table table;
  for (const Topic& topic : topics) {
    std::string words = topic.is_weak ? "(nothing that word frequencies and noise do not say)" : "";
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
    if (has_quality) item.SetBool("is_weak", topic.is_weak);
    items.push_back(item.SetRaw("words", base::JsonArray(words)).Text());
  }
  return base::JsonObject().SetRaw("topics", base::JsonArray(items)).Text();
}

// What the marks mean, and how much of the model to believe.
std::string Remark(const lda::TopicQuality& quality, int num_topics) {
  return absl::StrCat("? a word that noise alone may have put there (its sum is below ",
                      absl::StrFormat("%.1f", quality.least_word_signal()),
                      " deviations of the noise). ", quality.NumWeakTopics(), " of ", num_topics,
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

struct Assigned {
  int64_t words;  // that the model knows; without any it is the commonest component
  mixture::Assignment assignment;
};

absl::StatusOr<std::vector<Assigned>> Assign(const TopicsFlags& flags, const v1::ModelFile& file) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, VocabularyOf(file));
  TW_ASSIGN_OR_RETURN(const mixture::FittedMixture fitted,
                      mixture::FittedMixture::Create(model, file.component_weights()));
  TW_ASSIGN_OR_RETURN(const lda::DocumentList documents,
                      ReadDocuments(flags.assigned, FormatOf(flags.format),
                                    {.vocabulary = vocabulary, .tokenizer = file.tokenizer()}));
  std::vector<Assigned> assigned;
  for (size_t i = 0; i < documents.size(); ++i) {
    assigned.push_back(
        {.words = lda::TokenCount(documents[i]), .assignment = fitted.Assign(documents[i])});
  }
  return assigned;
}

std::string TextOf(const std::vector<Assigned>& documents) {
  base::Table table;
  table.AddRow({"document", "topic", "probability", "known words"});
  for (size_t i = 0; i < documents.size(); ++i) {
    const mixture::Assignment& found = documents[i].assignment;
    table.AddRow({absl::StrCat(i + 1), absl::StrCat(found.component + 1),
                  absl::StrFormat("%.3f", found.probability), absl::StrCat(documents[i].words)});
  }
  return table.Text();
}

std::string JsonTextOf(const std::vector<Assigned>& documents) {
  std::vector<std::string> items;
  for (size_t i = 0; i < documents.size(); ++i) {
    const mixture::Assignment& found = documents[i].assignment;
    items.push_back(base::JsonObject()
                        .SetInteger("document", static_cast<int64_t>(i) + 1)
                        .SetInteger("topic", static_cast<int64_t>(found.component) + 1)
                        .SetNumber("probability", found.probability)
                        .SetInteger("known_words", documents[i].words)
                        .Text());
  }
  return base::JsonObject().SetRaw("documents", base::JsonArray(items)).Text();
}

absl::Status ShowAssigned(const TopicsFlags& flags, const Invocation& invocation,
                          Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModel(flags.model));
  if (file.component_weights().empty()) {
    return UsageError(
        "--assign is of mixtures, whose documents have one topic each: fit with --algorithm "
        "mixture.");
  }
  TW_ASSIGN_OR_RETURN(const std::vector<Assigned> assigned, Assign(flags, file));
  terminal.Print(invocation.json ? JsonTextOf(assigned) : TextOf(assigned));
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
                  .example = "topicwall topics notes.model --top 8\n"
                             "  topicwall topics titles.model --assign mine.jsonl --json"});
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("--top", flags->top, "Words of each topic").Positive().ShowDefault();
  command.Add("--assign", flags->assigned,
              "Of a mixture: the topic of each of these documents of your own instead");
  AddFormat(command, &flags->format);
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation](Terminal& terminal) {
      return flags->assigned.empty() ? ShowTopics(*flags, invocation, terminal)
                                     : ShowAssigned(*flags, invocation, terminal);
    };
  });
}

}  // namespace topicwall::client
