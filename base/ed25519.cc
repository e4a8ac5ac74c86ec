#include "base/ed25519.h"

#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topicwall::base {
namespace {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* MutableBytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

absl::Status SigningFailure() {
  return absl::InternalError("OpenSSL cannot sign with Ed25519. Check its providers.");
}

}  // namespace

absl::StatusOr<SigningKey> SigningKey::Create(absl::Span<const uint8_t> seed) {
  if (seed.size() != kSigningKeySize) {
    return absl::InvalidArgumentError(
        absl::StrCat("a signing key's seed must have 32 bytes; got ", seed.size()));
  }
  std::unique_ptr<EVP_PKEY, Free> pair(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()));
  std::string public_key(kSigningKeySize, '\0');
  std::size_t size = public_key.size();
  if (pair == nullptr ||
      EVP_PKEY_get_raw_public_key(pair.get(), MutableBytes(public_key), &size) != 1 ||
      size != kSigningKeySize) {
    return SigningFailure();
  }
  return SigningKey(std::move(pair), std::move(public_key));
}

// In one call: Ed25519 reads its message twice, so that OpenSSL has no Update for it. The digest is
// left out (nullptr) since the algorithm brings its own.
absl::StatusOr<std::string> SigningKey::Sign(absl::string_view text) const {
  const Context context(EVP_MD_CTX_new());
  std::string signature(kSignatureSize, '\0');
  std::size_t size = signature.size();
  if (context == nullptr ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, pair_.get()) != 1 ||
      EVP_DigestSign(context.get(), MutableBytes(signature), &size, Bytes(text), text.size()) !=
          1 ||
      size != kSignatureSize) {
    return SigningFailure();
  }
  return signature;
}

bool IsSignature(absl::string_view public_key, absl::string_view text,
                 absl::string_view signature) {
  if (public_key.size() != kSigningKeySize || signature.size() != kSignatureSize) return false;
  const std::unique_ptr<EVP_PKEY, FreeKey> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(public_key), public_key.size()));
  const Context context(EVP_MD_CTX_new());
  // Any 32 bytes make a key; whether they are a point of the curve is for EVP_DigestVerify to find.
  // So only memory can be missing here, and that must not pass for "not signed".
  if (key == nullptr || context == nullptr ||
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) {
    throw std::bad_alloc();
  }
  return EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text),
                          text.size()) == 1;
}

}  // namespace topicwall::base
