// `topicwall topics`: what a model says, read from its folder alone. Of a denoised model it also
// says how far to believe it, by the noise that is written down in the model
// (client/topics/topic_reading.h): how sure it is that a word is typical of its topic, whether a
// topic would come again in another fit, what a share may be off by. Other models say nothing of
// their noise, and nothing is marked; that does not make their words truer.
//
// Of a mixture of Gaussians its components (client/commands/topics/gaussian_text.h).
//
// `--assign`: of which component of a mixture each document of one's own is. No wall is asked, and
// nothing of the documents leaves this machine.
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/commands/topics/gaussian_text.h"
#include "client/commands/topics/word_json.h"
#include "client/evaluate/document_reader.h"
#include "client/evaluate/document_shares.h"
#include "client/exit_code.h"
#include "client/fit/fit_spec.h"
#include "client/fit/model_file.h"
#include "client/report/text/numbers.h"
#include "client/topics/topic_labels.h"
#include "client/topics/topic_reading.h"
#include "model/lda/reading/word_relevance.h"
#include "model/mixture/mixture_perplexity.h"

namespace topicwall::client {
namespace {

// Words that are less sure than this to be typical of their topic are marked.
constexpr double kSure = 0.9;

constexpr double kShareUnknown = std::numeric_limits<double>::quiet_NaN();  // null in JSON

struct TopicsFlags {
  std::string model;
  int top = 10;
  double relevance = lda::kRelevance;
  std::string by = "relevance";
  std::string assigned;  // documents; empty: the topics are shown
  std::string format = "jsonl";
};

WordOrder OrderOf(const TopicsFlags& flags) {
  // λ = 1 is the order by probability (word_relevance.h), whatever --relevance says.
  return {.relevance = flags.by == "probability" ? 1 : flags.relevance, .count = flags.top};
}

std::string ShareText(const ReadTopic& topic) {
  if (!topic.share.has_value()) return "not known";
  std::string text = absl::StrFormat("%5.1f", 100 * *topic.share);
  if (topic.margin.has_value()) absl::StrAppendFormat(&text, " ± %.1f", 100 * *topic.margin);
  return text + " %";
}

std::string AgainText(const ReadTopic& topic) {
  if (!topic.comes_again.has_value()) return "";
  return absl::StrFormat("%5s%s", PercentAtLeast(*topic.comes_again),
                         topic.is_weak == true ? " weak" : "");
}

std::string WordsText(const TopicReading& reading, int topic, const WordOrder& order) {
  std::string text;
  for (const ReadWord& word : reading.Words(topic, order)) {
    const bool is_sure = !word.probability_above.has_value() || *word.probability_above >= kSure;
    absl::StrAppend(&text, text.empty() ? "" : " ", reading.terms()[word.term],
                    is_sure ? " " : "? ", absl::StrFormat("%.3f", word.probability));
  }
  return text.empty() ? "(no word that is more frequent here than in the corpus)" : text;
}

// What the analyst calls the topic stands before its words.
std::string LabelText(const std::string& label) { return label.empty() ? "" : label + ": "; }

constexpr char kOfFewTopics[] =
    "it was measured of 50 topics, and of as few as these more do than it says: none is called "
    "weak.";

std::string TextOf(const TopicReading& reading, const TopicLabels& labels, const WordOrder& order) {
  // How often a topic comes again was measured of LDA alone (quality_calibration.h).
  const bool grades = reading.grades_topics();
  base::Table table;
  table.AddRow(grades ? std::vector<std::string>{"topic", "share", "comes again", "words"}
                      : std::vector<std::string>{"topic", "share", "words"});
  for (const int k : reading.HeaviestFirst()) {
    const ReadTopic& topic = reading.topic(k);
    std::vector<std::string> row = {absl::StrCat(k + 1), ShareText(topic)};
    if (grades) row.push_back(AgainText(topic));
    row.push_back(LabelText(labels[static_cast<size_t>(k)]) + WordsText(reading, k, order));
    table.AddRow(row);
  }
  return table.Text();
}

std::string JsonTextOf(const v1::ModelFile& file, const TopicReading& reading,
                       const TopicLabels& labels, const WordOrder& order) {
  std::vector<base::JsonObject> topics;
  for (const int k : reading.HeaviestFirst()) {
    const ReadTopic& topic = reading.topic(k);
    std::vector<base::JsonObject> words;
    for (const ReadWord& word : reading.Words(k, order)) words.push_back(WordJson(reading, word));
    base::JsonObject item;
    item.SetInteger("topic", k + 1);
    const std::string& label = labels[static_cast<size_t>(k)];
    if (!label.empty()) item.SetString("label", label);
    item.SetNumber("share", topic.share.value_or(kShareUnknown));
    if (topic.margin.has_value()) item.SetNumber("share_margin", *topic.margin);
    item.SetNumber("document_topic_prior", topic.prior);
    if (topic.typical_words.has_value()) item.SetInteger("typical_words", *topic.typical_words);
    if (topic.comes_again.has_value()) item.SetNumber("comes_again", *topic.comes_again);
    if (topic.is_weak.has_value()) item.SetBool("is_weak", *topic.is_weak);
    topics.push_back(item.SetObjects("words", words));
  }
  base::JsonObject object;
  SetStanding(file, object);
  return object.SetObjects("topics", topics).Text();
}

constexpr char kNoShares[] =
    "All sums together are no more than noise: of the topics' shares nothing is known.";

// What is known of the noise after a merge.
std::string RemarkOfMerged(const TopicReading& reading) {
  return absl::StrCat(
      reading.knows_shares()
          ? "± 95 %. As far as your corpus is like those that this was measured on."
          : kNoShares,
      " Of merged topics the model says no more of its noise: no word is marked, which does not "
      "make it truer.");
}

// What marks and columns mean, and how much of the model to believe.
std::string Remark(const TopicReading& reading) {
  std::string text = absl::StrFormat(
      "? a word that is more frequent in its topic than in the corpus with a probability below "
      "%.0f %%.",
      100 * kSure);
  if (!reading.knows_shares()) absl::StrAppend(&text, " ", kNoShares);
  if (!reading.grades_topics()) return text;
  absl::StrAppend(
      &text, " comes again: that a fit with other noise and another start would have the topic; ");
  if (reading.judges_topics()) {
    absl::StrAppend(&text, "below 50 % it is weak, as ", reading.NumWeakTopics(), " of ",
                    reading.model().num_topics(), " are.");
  } else {
    absl::StrAppend(&text, kOfFewTopics);
  }
  return absl::StrCat(text,
                      " ± 95 %. As far as your corpus is like those that this was measured on.");
}

absl::Status ShowTopics(const TopicsFlags& flags, const Invocation& invocation,
                        Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  TW_ASSIGN_OR_RETURN(const TopicLabels labels, ReadLabels(flags.model, file));
  if (file.has_gaussian()) {
    terminal.Print(ComponentsText(file, labels, invocation.json));
    return absl::OkStatus();
  }
  TW_ASSIGN_OR_RETURN(const TopicReading reading,
                      // Intervals cost some µs an entry of K×V, and the JSON alone tells them.
                      TopicReading::Of(file, invocation.json ? TopicReading::Intervals::kYes
                                                             : TopicReading::Intervals::kNo));
  terminal.Print(invocation.json ? JsonTextOf(file, reading, labels, OrderOf(flags))
                                 : TextOf(reading, labels, OrderOf(flags)));
  if (reading.marks_words()) {
    terminal.Remark(Remark(reading));
  } else if (!reading.knows_noise() && (reading.knows_margins() || !reading.knows_shares())) {
    terminal.Remark(RemarkOfMerged(reading));
  } else if (file.algorithm() == kPaper) {
    terminal.Remark(
        "This model says nothing of its noise: no word is marked, which does not make it truer.");
  }
  return absl::OkStatus();
}

struct Assigned {
  int64_t words;  // that the model knows; without any it is the commonest component
  mixture::Assignment assignment;
};

absl::StatusOr<std::vector<Assigned>> Assign(const TopicsFlags& flags, const v1::ModelFile& file) {
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, VocabularyOf(file));
  TW_ASSIGN_OR_RETURN(const lda::DocumentList documents,
                      ReadDocuments(flags.assigned, FormatOf(flags.format),
                                    {.vocabulary = vocabulary, .tokenizer = file.tokenizer()}));
  TW_ASSIGN_OR_RETURN(const std::vector<mixture::Assignment> assignments,
                      AssignDocuments(file, documents));
  std::vector<Assigned> assigned;
  for (size_t i = 0; i < documents.size(); ++i) {
    assigned.push_back({.words = lda::TokenCount(documents[i]), .assignment = assignments[i]});
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
  std::vector<base::JsonObject> items;
  for (size_t i = 0; i < documents.size(); ++i) {
    const mixture::Assignment& found = documents[i].assignment;
    items.push_back(base::JsonObject()
                        .SetInteger("document", static_cast<int64_t>(i) + 1)
                        .SetInteger("topic", static_cast<int64_t>(found.component) + 1)
                        .SetNumber("probability", found.probability)
                        .SetInteger("known_words", documents[i].words));
  }
  return base::JsonObject().SetObjects("documents", items).Text();
}

absl::Status ShowAssigned(const TopicsFlags& flags, const Invocation& invocation,
                          Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  if (file.has_gaussian()) {
    TW_ASSIGN_OR_RETURN(const std::string text,
                        AssignedVectorsText(file, flags.assigned, invocation.json));
    terminal.Print(text);
    return absl::OkStatus();
  }
  // Of LDA a document has a share of every topic: `topicwall transform` tells those.
  if (file.component_weights().empty()) {
    return UsageError(
        "--assign is of mixtures, whose documents have one topic each: fit with --algorithm "
        "mixture, or gaussian on vectors.");
  }
  TW_ASSIGN_OR_RETURN(const std::vector<Assigned> assigned, Assign(flags, file));
  terminal.Print(invocation.json ? JsonTextOf(assigned) : TextOf(assigned));
  return absl::OkStatus();
}

absl::Status ReadRelevance(const std::string& text, double* relevance) {
  if (absl::SimpleAtod(text, relevance) && *relevance >= 0 && *relevance <= 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("must be a number from 0 to 1");
}

absl::Status ShowTopicsOrAssigned(const TopicsFlags& flags, const Invocation& invocation,
                                  Terminal& terminal) {
  return (flags.assigned.empty() ? ShowTopics : ShowAssigned)(flags, invocation, terminal);
}

}  // namespace

void AddTopics(base::Command app, Invocation& invocation) {
  auto [command, flags] =
      AddCommand(app, invocation,
                 {.name = "topics",
                  .description = "The topics of a model, heaviest first: number, share of all "
                                 "words, whether the topic would come again in another fit, and "
                                 "its most typical words with their probabilities. Words that it "
                                 "has less of than the corpus are never shown, and those that may "
                                 "be such are marked",
                  .example = "topicwall topics notes.model --top 8\n"
                             "  topicwall topics titles.model --assign mine.jsonl --json"},
                 ShowTopicsOrAssigned);
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("--top", flags->top, "Words of each topic").Positive().ShowDefault();
  command
      .AddParsed(
          "--relevance",
          [flags = flags](const std::string& text) {
            return ReadRelevance(text, &flags->relevance);
          },
          "Order of words: 1 by probability, 0 by how much more frequent they are than in the "
          "corpus, or between them (Sievert and Shirley's lambda); 0.6 if not given")
      .Called("WEIGHT");
  command.Add("--by", flags->by, "Order of words")
      .OneOf({"relevance", "probability"})
      .ShowDefault();
  command.Add("--assign", flags->assigned,
              "Of a mixture: the topic of each of these documents of your own instead (of one on "
              "vectors: JSON lines with a vector, or .npy)");
  AddFormat(command, &flags->format);
}

}  // namespace topicwall::client
