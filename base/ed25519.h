// Ed25519 (RFC 8032): what the custodian signs with, and what everybody checks with.
//
//   TW_ASSIGN_OR_RETURN(const SigningKey key, SigningKey::Create(seed));
//   TW_ASSIGN_OR_RETURN(const std::string signature, key.Sign(text));
//   if (!IsSignature(key.public_key(), text, signature)) ...
//
// Signing is deterministic: the same text always gets the same 64 bytes, so what was signed once
// can be signed again instead of being stored. Callers put what the text is about in front of it
// (proto/signature.h): here whatever bytes are given are signed.
//
// Privacy: public_key() and signatures are PUBLIC; the rest of a key is secret, in OpenSSL's
// memory, wiped when it goes. Threads: const methods and functions, any number at once.
// Cost: about 50 µs a signature, 100 µs a check.
#ifndef TOPICWALL_BASE_ED25519_H_
#define TOPICWALL_BASE_ED25519_H_

#include <openssl/evp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::base {

inline constexpr std::size_t kSigningKeySize = 32;  // of the seed, and of the public key
inline constexpr std::size_t kSignatureSize = 64;

class SigningKey {
 public:
  // The key pair of this 32-byte seed (RFC 8032's private key). INVALID_ARGUMENT for another
  // size, INTERNAL if OpenSSL fails.
  static absl::StatusOr<SigningKey> Create(absl::Span<const uint8_t> seed);

  SigningKey(SigningKey&&) = default;
  SigningKey& operator=(SigningKey&&) = default;

  const std::string& public_key() const { return public_key_; }  // 32 bytes

  // 64 bytes. INTERNAL if OpenSSL fails.
  absl::StatusOr<std::string> Sign(absl::string_view text) const;

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  SigningKey(std::unique_ptr<EVP_PKEY, Free> pair, std::string public_key)
      : pair_(std::move(pair)), public_key_(std::move(public_key)) {}

  std::unique_ptr<EVP_PKEY, Free> pair_;
  std::string public_key_;
};

// False for a key or signature of another size, too. As operator new does, throws
// std::bad_alloc when OpenSSL has no memory.
bool IsSignature(absl::string_view public_key, absl::string_view text, absl::string_view signature);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_ED25519_H_
