#include "proto/sha256.h"

#include <string>
#include <utility>

namespace topicwall::proto {

void Sha256::UpdateInteger(uint64_t value) {
  std::array<char, 8> bytes;
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  Update(absl::string_view(bytes.data(), bytes.size()));
}

void Sha256::UpdateString(absl::string_view bytes) {
  UpdateInteger(bytes.size());
  Update(bytes);
}

Digest Sha256::Finish() && {
  Digest digest;
  SHA256_Final(digest.data(), &context_);
  return digest;
}

Digest Sha256Of(absl::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return std::move(hash).Finish();
}

std::string DigestBytes(const Digest& digest) { return std::string(digest.begin(), digest.end()); }

}  // namespace topicwall::proto
