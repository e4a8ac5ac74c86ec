#include "server/random/secret_key.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "server/random/secure_random.h"

namespace topicwall::random {
namespace {

// The heap is made at most once in a process, and never given back: keys may outlive main.
enum class Heap { kNone, kNotLocked, kLocked };
Heap MakeHeap() {
  static const Heap heap = [] {
    switch (CRYPTO_secure_malloc_init(SecretKey::kHeapBytes, SecretKey::kSize)) {
      // OpenSSL's answers: 1 is a heap that is locked and between guard pages, 2 one that lacks
      // some of that.
      case 1:
        return Heap::kLocked;
      case 2:
        return Heap::kNotLocked;
      default:
        return Heap::kNone;
    }
  }();
  return heap;
}

// Zeros. Never of the ordinary heap, as OpenSSL would have it without its own.
uint8_t* Allocate() {
  void* const bytes = MakeHeap() == Heap::kNone ? nullptr : OPENSSL_secure_zalloc(SecretKey::kSize);
  if (bytes == nullptr) throw std::bad_alloc();
  return static_cast<uint8_t*>(bytes);
}

}  // namespace

bool SecretKey::AreLocked() { return MakeHeap() == Heap::kLocked; }

absl::StatusOr<SecretKey> SecretKey::Generate() {
  // Drawn straight into its place, so that no other copy has to be wiped.
  SecretKey key{std::array<uint8_t, kSize>{}};
  TW_RETURN_IF_ERROR(FillRandom(absl::MakeSpan(key.bytes_, kSize)));
  return key;
}

SecretKey::SecretKey(const std::array<uint8_t, kSize>& bytes) : bytes_(Allocate()) {
  std::copy(bytes.begin(), bytes.end(), bytes_);
}

SecretKey::SecretKey(SecretKey&& other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)) {}

SecretKey& SecretKey::operator=(SecretKey&& other) noexcept {
  if (this != &other) {
    OPENSSL_secure_clear_free(bytes_, kSize);
    bytes_ = std::exchange(other.bytes_, nullptr);
  }
  return *this;
}

SecretKey::~SecretKey() { OPENSSL_secure_clear_free(bytes_, kSize); }

absl::Span<const uint8_t> SecretKey::ExposeBytes() const {
  static constexpr std::array<uint8_t, kSize> kMovedFrom{};
  return bytes_ == nullptr ? absl::MakeConstSpan(kMovedFrom) : absl::MakeConstSpan(bytes_, kSize);
}

}  // namespace topicwall::random
