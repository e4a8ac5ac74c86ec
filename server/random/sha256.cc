#include "server/random/sha256.h"

#include "absl/status/status.h"

namespace topicwall::random {
namespace {

absl::Status Failed() { return absl::InternalError("OpenSSL could not compute SHA-256"); }

}  // namespace

absl::StatusOr<Sha256Digest> Sha256(absl::Span<const uint8_t> message) {
  Sha256Digest digest;
  if (EVP_Digest(message.data(), message.size(), digest.data(), nullptr, EVP_sha256(), nullptr) !=
      1) {
    return Failed();
  }
  return digest;
}

absl::StatusOr<Sha256Hasher> Sha256Hasher::Create() {
  Context context(EVP_MD_CTX_new());
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return Failed();
  }
  return Sha256Hasher(std::move(context));
}

void Sha256Hasher::Update(absl::Span<const uint8_t> piece) {
  if (EVP_DigestUpdate(context_.get(), piece.data(), piece.size()) != 1) failed_ = true;
}

absl::StatusOr<Sha256Digest> Sha256Hasher::Finish() && {
  Sha256Digest digest;
  if (failed_ || EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1) return Failed();
  return digest;
}

}  // namespace topicwall::random
