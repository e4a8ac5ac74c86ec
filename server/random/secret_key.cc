#include "server/random/secret_key.h"

#include <openssl/crypto.h>

#include "absl/status/status.h"
#include "server/random/secure_random.h"

namespace topicwall::random {

absl::StatusOr<SecretKey> SecretKey::Generate() {
  SecretKey key{std::array<uint8_t, kSize>{}};
  absl::Status status = FillRandom(absl::MakeSpan(key.bytes_));
  if (!status.ok()) return status;
  return key;
}

SecretKey::SecretKey(SecretKey&& other) noexcept : bytes_(other.bytes_) {
  OPENSSL_cleanse(other.bytes_.data(), other.bytes_.size());
}

SecretKey& SecretKey::operator=(SecretKey&& other) noexcept {
  if (this != &other) {
    bytes_ = other.bytes_;
    OPENSSL_cleanse(other.bytes_.data(), other.bytes_.size());
  }
  return *this;
}

SecretKey::~SecretKey() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

}  // namespace topicwall::random
