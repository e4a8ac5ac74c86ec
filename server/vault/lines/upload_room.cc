#include "server/vault/lines/upload_room.h"

namespace topicwall::server {

// Written as a difference, which cannot overflow. Whoever is alone is let in: one request may be
// larger than the room was meant to be, and must not wait for ever.
std::optional<UploadRoom::Place> UploadRoom::Enter(absl::string_view principal, int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  const std::string name(principal);
  const auto own = uploads_.find(name);
  if (own != uploads_.end() && own->second >= kUploadsOfOne) return std::nullopt;
  if (bytes_ > 0 && !(bytes <= most_bytes_ - bytes_)) return std::nullopt;
  ++uploads_[name];
  bytes_ += bytes;
  return Place(this, name, bytes);
}

void UploadRoom::Leave(const std::string& principal, int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  const auto own = uploads_.find(principal);
  if (--own->second == 0) uploads_.erase(own);
  bytes_ -= bytes;
}

}  // namespace topicwall::server
