// The map's keys are views of the strings in the list, whose entries never move. So an entry leaves
// the map before it leaves the list.
#include "server/acts/answer_cache.h"

#include <utility>

namespace topicwall::acts {

std::optional<Answer> AnswerCache::Find(absl::string_view key) {
  absl::MutexLock lock(&mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->answer;
}

void AnswerCache::Keep(absl::string_view key, Answer answer) {
  size_t bytes = key.size();
  for (const std::string& message : answer) bytes += sizeof(message) + message.size();
  if (bytes > most_bytes_) return;
  absl::MutexLock lock(&mutex_);
  if (places_.contains(key)) return;
  entries_.push_front({.key = std::string(key), .answer = std::move(answer), .bytes = bytes});
  places_.emplace(entries_.front().key, entries_.begin());
  bytes_ += bytes;
  while (bytes_ > most_bytes_) {
    bytes_ -= entries_.back().bytes;
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace topicwall::acts
