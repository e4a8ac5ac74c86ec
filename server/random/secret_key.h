// A 256-bit secret that is wiped from memory when it is no longer needed.
//
//   absl::StatusOr<SecretKey> key = SecretKey::Generate();
//
// It lies in OpenSSL's secure heap: kHeapBytes between pages without access, never in a dump and,
// where the limit of RLIMIT_MEMLOCK allows, never in swap. OpenSSL keeps signing keys there, too;
// the key schedules of its ciphers are elsewhere in its memory, wiped when they go.
//
// Move-only, so that there is one place in memory to wipe; a moved-from key is all zero
// and must not be used. It has no printing, no comparison and no conversion: reading the
// bytes takes the one loudly named accessor.
// Threads: const methods may be called from many threads at once. Cost: under a microsecond; all
// keys of a process share one lock while they are made and wiped. Throws std::bad_alloc when there
// are more of them than kHeapBytes hold, as new does.
#ifndef TOPICWALL_SERVER_RANDOM_SECRET_KEY_H_
#define TOPICWALL_SERVER_RANDOM_SECRET_KEY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::random {

class SecretKey {
 public:
  static constexpr std::size_t kSize = 32;
  static constexpr std::size_t kHeapBytes = 256 << 10;  // 8192 keys

  // Whether this process's keys are locked into memory: asked before there is one, it decides.
  static bool AreLocked();

  // Fresh bytes from secure_random.h. INTERNAL if the generator fails.
  static absl::StatusOr<SecretKey> Generate();

  // A key that was stored or derived. The caller wipes its own copy.
  explicit SecretKey(const std::array<uint8_t, kSize>& bytes);

  SecretKey(SecretKey&& other) noexcept;
  SecretKey& operator=(SecretKey&& other) noexcept;
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  ~SecretKey();

  // The 32 secret bytes, valid as long as this object: to feed a cipher, or to seal them.
  // Never log, compare or send them.
  absl::Span<const uint8_t> ExposeBytes() const;

 private:
  uint8_t* bytes_;  // null: moved from
};

}  // namespace topicwall::random

#endif  // TOPICWALL_SERVER_RANDOM_SECRET_KEY_H_
