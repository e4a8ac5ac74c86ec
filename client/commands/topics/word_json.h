// A word of a topic as the commands that read models print it.
#ifndef TOPICWALL_CLIENT_COMMANDS_TOPICS_WORD_JSON_H_
#define TOPICWALL_CLIENT_COMMANDS_TOPICS_WORD_JSON_H_

#include "base/json.h"
#include "client/topics/topic_reading.h"

namespace topicwall::client {

// {"term":…,"probability":…,"lift":…}, and where the model knows its noise "z",
// "probability_above", and with intervals "low", "high". An infinite z is null.
base::JsonObject WordJson(const TopicReading& reading, const ReadWord& word);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_TOPICS_WORD_JSON_H_
