// SHA-256 (FIPS 180-4), in one call or piece by piece.
//
//   Sha256 hash;
//   hash.Update(tag);
//   hash.UpdateString(name);
//   Digest digest = std::move(hash).Finish();
//
// Update puts nothing between pieces: whoever hashes several fields must make the boundaries
// recoverable, by fixed sizes, UpdateInteger or UpdateString.
//
// A digest of PRIVATE bytes is PRIVATE: it is a membership oracle for whoever can guess the bytes.
// What leaves the wall is a digest of public or already released bytes; to name anything PRIVATE
// use the keyed HmacSha256 of server/random/key_derivation.h.
//
// Errors: none. As operator new does, throws std::bad_alloc when OpenSSL has no memory.
// Threads: one hash belongs to one thread. Cost: about 0.6 ns a byte with SHA instructions, 0.5 µs
// a hash.
#ifndef TOPICWALL_BASE_SHA256_H_
#define TOPICWALL_BASE_SHA256_H_

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::base {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  void Update(absl::string_view bytes);
  void Update(absl::Span<const uint8_t> bytes);
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

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_SHA256_H_
