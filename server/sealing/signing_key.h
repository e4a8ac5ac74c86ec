// What the custodian signs with: Ed25519 (RFC 8032).
//
//   TW_ASSIGN_OR_RETURN(SigningKey key, custodian_key.IdentitySigningKey());
//   TW_ASSIGN_OR_RETURN(std::string signature, key.Sign(text));
//
// Signing is deterministic: the same text always gets the same 64 bytes, so what was signed once
// can be signed again instead of being stored. Callers put what the text is about in front of it
// (proto/signature.h, where signatures are checked): this room signs whatever bytes it is given.
//
// Privacy: public_key() is PUBLIC; the rest is secret, in OpenSSL's memory, wiped when it goes.
// Threads: const methods may be called from many threads at once. Cost: about 50 µs a signature.
#ifndef TOPICWALL_SERVER_SEALING_SIGNING_KEY_H_
#define TOPICWALL_SERVER_SEALING_SIGNING_KEY_H_

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/random/secret_key.h"

namespace topicwall::sealing {

class SigningKey {
 public:
  // The key pair of this 32-byte seed (RFC 8032's private key). INTERNAL if OpenSSL fails.
  static absl::StatusOr<SigningKey> Create(const random::SecretKey& seed);

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

}  // namespace topicwall::sealing

#endif  // TOPICWALL_SERVER_SEALING_SIGNING_KEY_H_
