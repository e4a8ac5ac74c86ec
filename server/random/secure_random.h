// Fresh random bytes: OpenSSL's private generator (RAND_priv_bytes), which the operating
// system seeds and reseeds. The only source of entropy in the server.
//
//   absl::StatusOr<std::array<uint8_t, 16>> version = Random128();
//
// There is no seed and no way to replace the generator from configuration. Repeatable
// streams come from a key that was drawn here once (key_derivation.h, keystream.h).
//
// Errors: INTERNAL if the generator fails. There is no weaker source to fall back on:
// the caller gives up, whatever it was about to do.
// Threads: any. Cost: about 0.7 µs a call; never call it per sample.
#ifndef TOPICWALL_SERVER_RANDOM_SECURE_RANDOM_H_
#define TOPICWALL_SERVER_RANDOM_SECURE_RANDOM_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::random {

// Fills all of `bytes`. After an error they are all zero and must not be used.
absl::Status FillRandom(absl::Span<uint8_t> bytes);

// For names that must not be guessed or collide (versions, plan ids, request ids).
absl::StatusOr<std::array<uint8_t, 16>> Random128();

// For keys prefer SecretKey::Generate() (secret_key.h), which wipes what it held.
absl::StatusOr<std::array<uint8_t, 32>> Random256();

}  // namespace topicwall::random

#endif  // TOPICWALL_SERVER_RANDOM_SECURE_RANDOM_H_
