// SHA-256, for the digests that travel: requests, releases, the ledger's chain.
//
//   Sha256 hash;
//   hash.Update(tag);
//   hash.Update(bytes);
//   Digest digest = std::move(hash).Finish();
//
// A digest of PRIVATE bytes is PRIVATE: it is a membership oracle for whoever can
// guess the bytes. Only public or already released bytes are hashed with this.
#ifndef TOPICWALL_BASE_SHA256_H_
#define TOPICWALL_BASE_SHA256_H_

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace topicwall::proto {

using Digest = std::array<uint8_t, 32>;

// One hash in progress. Not for several threads. As operator new does, throws
// std::bad_alloc when OpenSSL has no memory; cannot fail otherwise.
class Sha256 {
 public:
  Sha256();
  void Update(absl::string_view bytes);
  // Integers are hashed as eight little-endian bytes, so that no two field lists
  // of the same hash can run into each other.
  void UpdateInteger(uint64_t value);
  // The bits of a double, as those of an integer.
  void UpdateNumber(double value);
  // A string of variable length is hashed behind its length.
  void UpdateString(absl::string_view bytes);
  Digest Finish() &&;

 private:
  struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, FreeContext> context_;
};

Digest Sha256Of(absl::string_view bytes);

// The 32 bytes as a string, as digests stand in messages.
std::string DigestBytes(const Digest& digest);

}  // namespace topicwall::proto

#endif  // TOPICWALL_BASE_SHA256_H_
