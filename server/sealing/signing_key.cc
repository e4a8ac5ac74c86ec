#include "server/sealing/signing_key.h"

#include <cstddef>

#include "absl/status/status.h"

namespace topicwall::sealing {
namespace {

constexpr std::size_t kPublicKeySize = 32;
constexpr std::size_t kSignatureSize = 64;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

unsigned char* MutableBytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

absl::Status SigningFailure() {
  return absl::InternalError("OpenSSL cannot sign with Ed25519. Check its providers.");
}

}  // namespace

absl::StatusOr<SigningKey> SigningKey::Create(const random::SecretKey& seed) {
  std::unique_ptr<EVP_PKEY, Free> pair(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, seed.ExposeBytes().data(), random::SecretKey::kSize));
  std::string public_key(kPublicKeySize, '\0');
  std::size_t size = public_key.size();
  if (pair == nullptr ||
      EVP_PKEY_get_raw_public_key(pair.get(), MutableBytes(public_key), &size) != 1 ||
      size != kPublicKeySize) {
    return SigningFailure();
  }
  return SigningKey(std::move(pair), std::move(public_key));
}

absl::StatusOr<std::string> SigningKey::Sign(absl::string_view text) const {
  const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  std::string signature(kSignatureSize, '\0');
  std::size_t size = signature.size();
  if (context == nullptr ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, pair_.get()) != 1 ||
      EVP_DigestSign(context.get(), MutableBytes(signature), &size,
                     reinterpret_cast<const unsigned char*>(text.data()), text.size()) != 1 ||
      size != kSignatureSize) {
    return SigningFailure();
  }
  return signature;
}

}  // namespace topicwall::sealing
