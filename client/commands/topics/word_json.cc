#include "client/commands/topics/word_json.h"

#include "model/lda/reading/word_relevance.h"

namespace topicwall::client {
namespace {

constexpr int kTypicalWords = 5;

}  // namespace

base::JsonObject WordJson(const TopicReading& reading, const ReadWord& word) {
  base::JsonObject json;
  json.SetString("term", reading.terms()[word.term])
      .SetNumber("probability", word.probability)
      .SetNumber("lift", word.lift);
  // Of an unknown noise neither is told.
  if (word.z.has_value()) json.SetNumber("z", *word.z);
  if (word.probability_above.has_value()) {
    json.SetNumber("probability_above", *word.probability_above);
  }
  if (word.low.has_value()) json.SetNumber("low", *word.low).SetNumber("high", *word.high);
  return json;
}

std::vector<std::string> TypicalWords(const TopicReading& reading, int topic) {
  std::vector<std::string> words;
  for (const ReadWord& word :
       reading.Words(topic, {.relevance = lda::kRelevance, .count = kTypicalWords})) {
    words.push_back(reading.terms()[word.term]);
  }
  return words;
}

}  // namespace topicwall::client
