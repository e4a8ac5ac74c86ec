#include "client/commands/topics/word_json.h"

namespace topicwall::client {

base::JsonObject WordJson(const TopicReading& reading, const ReadWord& word) {
  base::JsonObject json;
  json.SetString("term", reading.terms()[word.term])
      .SetNumber("probability", word.probability)
      .SetNumber("lift", word.lift);
  if (word.z.has_value()) {
    json.SetNumber("z", *word.z).SetNumber("probability_above", *word.probability_above);
  }
  if (word.low.has_value()) json.SetNumber("low", *word.low).SetNumber("high", *word.high);
  return json;
}

}  // namespace topicwall::client
