#include "server/random/key_derivation.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <array>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topicwall::random {
namespace {

// Purpose and domain are of a known length in the text that is hashed, so that no purpose with its
// context reads like another with another. Without the length, "a" + "bc" would be "ab" + "c".
constexpr absl::string_view kDomain = "topicwall-1";

struct FreeKdf {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

// OpenSSL's parameter lists hold pointers to non-const, but are only read.
OSSL_PARAM OctetsParam(const char* name, absl::Span<const uint8_t> octets) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<uint8_t*>(octets.data()),
                                           octets.size());
}

bool Hkdf(absl::Span<const uint8_t> secret, absl::Span<const uint8_t> info,
          absl::Span<uint8_t> output) {
  std::unique_ptr<EVP_KDF, FreeKdf> kdf(EVP_KDF_fetch(nullptr, OSSL_KDF_NAME_HKDF, nullptr));
  if (kdf == nullptr) return false;
  std::unique_ptr<EVP_KDF_CTX, FreeKdf> context(EVP_KDF_CTX_new(kdf.get()));
  if (context == nullptr) return false;
  char digest[] = "SHA256";
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                               OctetsParam(OSSL_KDF_PARAM_KEY, secret),
                               OctetsParam(OSSL_KDF_PARAM_INFO, info), OSSL_PARAM_construct_end()};
  return EVP_KDF_derive(context.get(), output.data(), output.size(), params) == 1;
}

}  // namespace

absl::StatusOr<SecretKey> Derive(const SecretKey& secret, absl::string_view purpose,
                                 absl::Span<const uint8_t> context) {
  if (purpose.empty() || purpose.size() > 255) {
    return absl::InvalidArgumentError(
        absl::StrCat("a key's purpose must have 1 to 255 bytes; got ", purpose.size()));
  }
  const absl::string_view context_text(reinterpret_cast<const char*>(context.data()),
                                       context.size());
  const std::string length(1, static_cast<char>(purpose.size()));
  const std::string info = absl::StrCat(kDomain, length, purpose, context_text);
  std::array<uint8_t, SecretKey::kSize> bytes;
  const bool derived = Hkdf(secret.ExposeBytes(), AsBytes(info), absl::MakeSpan(bytes));
  // Into locked memory before anything else, and the copy on the stack is wiped whether or not it
  // worked.
  SecretKey key(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  if (!derived) return absl::InternalError("OpenSSL could not derive a key");
  return key;
}

absl::StatusOr<base::Digest> HmacSha256(const SecretKey& key, absl::Span<const uint8_t> message) {
  const absl::Span<const uint8_t> secret = key.ExposeBytes();
  base::Digest name;
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), message.data(),
           message.size(), name.data(), &size) == nullptr ||
      size != name.size()) {
    return absl::InternalError("OpenSSL could not compute HMAC-SHA256");
  }
  return name;
}

}  // namespace topicwall::random
