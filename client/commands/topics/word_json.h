// Words of a topic as the commands that read models print them.
#ifndef TOPICWALL_CLIENT_COMMANDS_TOPICS_WORD_JSON_H_
#define TOPICWALL_CLIENT_COMMANDS_TOPICS_WORD_JSON_H_

#include <string>
#include <vector>

#include "base/json.h"
#include "client/topics/topic_reading.h"

namespace topicwall::client {

// {"term":…,"probability":…,"lift":…}, and where the model knows its noise "z",
// "probability_above", and with intervals "low", "high". An infinite z is null.
base::JsonObject WordJson(const TopicReading& reading, const ReadWord& word);

// The five most relevant, or as many as there are: what a topic without a label is called by.
std::vector<std::string> TypicalWords(const TopicReading& reading, int topic);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_TOPICS_WORD_JSON_H_
