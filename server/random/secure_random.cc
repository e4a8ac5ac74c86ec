#include "server/random/secure_random.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstddef>

#include "base/status_macros.h"

namespace topicwall::random {
namespace {

// RAND_priv_bytes takes an int; a small piece also bounds one request to the generator.
constexpr std::size_t kPiece = std::size_t{1} << 16;

template <std::size_t kSize>
absl::StatusOr<std::array<uint8_t, kSize>> RandomArray() {
  std::array<uint8_t, kSize> bytes;
  TW_RETURN_IF_ERROR(FillRandom(absl::MakeSpan(bytes)));
  return bytes;
}

}  // namespace

absl::Status FillRandom(absl::Span<uint8_t> bytes) {
  for (std::size_t start = 0; start < bytes.size(); start += kPiece) {
    absl::Span<uint8_t> piece = bytes.subspan(start, kPiece);
    if (RAND_priv_bytes(piece.data(), static_cast<int>(piece.size())) != 1) {
      // All of it, not the one piece: half-random bytes look random to whoever forgets to ask.
      OPENSSL_cleanse(bytes.data(), bytes.size());
      return absl::InternalError(
          "the system's random generator failed; check that /dev/urandom works and restart");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::array<uint8_t, 16>> Random128() { return RandomArray<16>(); }

absl::StatusOr<std::array<uint8_t, 32>> Random256() { return RandomArray<32>(); }

}  // namespace topicwall::random
