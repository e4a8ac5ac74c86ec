// In which topics a word is typical.
//
// Errors: NOT_FOUND for a word that the model does not have. PUBLIC. Pure. Cost: a search of the
// word list.
#ifndef TOPICWALL_CLIENT_TOPICS_WORD_PLACES_H_
#define TOPICWALL_CLIENT_TOPICS_WORD_PLACES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/topics/topic_reading.h"

namespace topicwall::client {

struct WordPlace {
  int topic;  // from 0
  ReadWord word;
};

// Topics that do not avoid the word, that with the largest lift first, equal ones by number.
absl::StatusOr<std::vector<WordPlace>> PlacesOf(const TopicReading& reading,
                                                absl::string_view word);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_WORD_PLACES_H_
