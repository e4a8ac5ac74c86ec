#include "server/vault/lines/answer_cache.h"

namespace topicwall::server {

std::optional<std::string> AnswerCache::Find(absl::string_view key) {
  absl::MutexLock lock(&mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

void AnswerCache::Keep(absl::string_view key, std::string answer) {
  const size_t size = key.size() + answer.size();
  if (size > kMostBytes) return;
  absl::MutexLock lock(&mutex_);
  if (places_.contains(key)) return;
  entries_.emplace_front(std::string(key), std::move(answer));
  places_.emplace(entries_.front().first, entries_.begin());
  bytes_ += size;
  while (bytes_ > kMostBytes) {
    const Entry& last = entries_.back();
    bytes_ -= last.first.size() + last.second.size();
    places_.erase(last.first);
    entries_.pop_back();
  }
}

}  // namespace topicwall::server
