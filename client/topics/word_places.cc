#include "client/topics/word_places.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topicwall::client {

absl::StatusOr<std::vector<WordPlace>> PlacesOf(const TopicReading& reading,
                                                absl::string_view word) {
  const auto found = std::find(reading.terms().begin(), reading.terms().end(), word);
  if (found == reading.terms().end()) {
    return absl::NotFoundError(
        absl::StrCat("\"", word, "\" is not among the ", reading.terms().size(),
                     " words of the model; a word list is of whole words, mostly in lower case."));
  }
  const auto term = static_cast<uint32_t>(found - reading.terms().begin());
  std::vector<WordPlace> places;
  for (int k = 0; k < reading.model().num_topics(); ++k) {
    if (!reading.IsAvoided(k, term)) places.push_back({.topic = k, .word = reading.word(k, term)});
  }
  std::stable_sort(places.begin(), places.end(), [](const WordPlace& a, const WordPlace& b) {
    return a.word.lift > b.word.lift;
  });
  return places;
}

}  // namespace topicwall::client
