#include "proto/signature.h"

#include <openssl/evp.h>

#include <memory>
#include <new>

#include "absl/strings/str_cat.h"

namespace topicwall::proto {
namespace {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

absl::string_view TagOf(SignedMatter matter) {
  switch (matter) {
    case SignedMatter::kReceipt:
      return "topicwall.v1.receipt";
    case SignedMatter::kStatement:
      return "topicwall.v1.statement";
    case SignedMatter::kHead:
      return "topicwall.v1.head-statement";
  }
  return "";
}

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string TextToSign(SignedMatter matter, absl::string_view bytes) {
  return absl::StrCat(TagOf(matter), absl::string_view("\0", 1), bytes);
}

bool IsSignedBy(absl::string_view public_key, SignedMatter matter, absl::string_view bytes,
                absl::string_view signature) {
  if (public_key.size() != kSigningKeySize || signature.size() != kSignatureSize) return false;
  const std::unique_ptr<EVP_PKEY, FreeKey> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(public_key), public_key.size()));
  const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  if (key == nullptr || context == nullptr ||
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) {
    throw std::bad_alloc();
  }
  const std::string text = TextToSign(matter, bytes);
  return EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text),
                          text.size()) == 1;
}

}  // namespace topicwall::proto
