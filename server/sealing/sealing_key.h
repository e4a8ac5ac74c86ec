// Authenticated encryption at rest: what the wall writes to disk and must neither be
// read nor changed by whoever holds the disk.
//
//   TW_ASSIGN_OR_RETURN(SealingKey key, SealingKey::Create(secret));
//   TW_ASSIGN_OR_RETURN(std::string sealed, key.Seal(plaintext, "ledger release 7"));
//   TW_ASSIGN_OR_RETURN(std::string again, key.Open(sealed, "ledger release 7"));
//
// AES-256-GCM (NIST SP 800-38D). A sealed value is
//
//   nonce (12 random bytes) ‖ ciphertext (as long as the plaintext) ‖ tag (16 bytes),
//
// so it is always kSealingOverhead bytes longer than what it holds: it hides content,
// not length. Sealing the same plaintext twice gives two different values.
//
// The associated data is not stored. It says where the value belongs (which file, which
// row, how many there are), and opening needs the same bytes again: a value moved to
// another place does not open. Choose it so that no two places share it. Sealing does not
// hide that an *older* value of the same place was put back; the chain and the epochs
// of the ledger are for that.
//
// How many values one key may seal: nonces are random, two equal nonces would reveal the
// xor of their plaintexts and let tags be forged. With q values that has probability
// below q^2/2^97. A corpus has at most 2^31 blocks (below 2^-35); the standard's ceiling
// for random nonces, q = 2^32, keeps it below 2^-32. Make a new custodian key before that.
//
// Threads: const methods may be called from many threads at once. Cost: about 1 ns per
// byte or less with AES instructions, plus one key set-up (about 1 µs) per call.
#ifndef TOPICWALL_SERVER_SEALING_SEALING_KEY_H_
#define TOPICWALL_SERVER_SEALING_SEALING_KEY_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/random/secret_key.h"

namespace topicwall::sealing {

inline constexpr std::size_t kSealingNonceSize = 12;
inline constexpr std::size_t kSealingTagSize = 16;
inline constexpr std::size_t kSealingOverhead = kSealingNonceSize + kSealingTagSize;

// Longest plaintext and longest associated data, in bytes: 2^30. (GCM itself allows
// 2^36 - 32; the files it goes into hold no value longer than 10^9.)
inline constexpr std::size_t kMaxSealedPlaintext = std::size_t{1} << 30;

class SealingKey {
 public:
  // The AES key is derived from `secret`, so the same secret may also serve other
  // purposes. INTERNAL if OpenSSL fails.
  static absl::StatusOr<SealingKey> Create(const random::SecretKey& secret);

  SealingKey(SealingKey&&) = default;
  SealingKey& operator=(SealingKey&&) = default;

  // INVALID_ARGUMENT for more than kMaxSealedPlaintext bytes; INTERNAL if the operating
  // system gives no randomness: nothing is ever sealed under a weaker nonce.
  absl::StatusOr<std::string> Seal(absl::string_view plaintext,
                                   absl::string_view associated_data) const;

  // DATA_LOSS with one and the same message whatever is wrong: too short, another key,
  // other associated data, any bit changed. No byte of an unauthentic value is returned.
  // INTERNAL if OpenSSL fails: that says nothing of the value.
  absl::StatusOr<std::string> Open(absl::string_view sealed,
                                   absl::string_view associated_data) const;

  // The same into a string whose memory is used again; empty after an error. `plaintext`
  // must not be where `sealed` points to.
  absl::Status OpenInto(absl::string_view sealed, absl::string_view associated_data,
                        std::string* plaintext) const;

 private:
  explicit SealingKey(random::SecretKey key) : key_(std::move(key)) {}

  random::SecretKey key_;
};

}  // namespace topicwall::sealing

#endif  // TOPICWALL_SERVER_SEALING_SEALING_KEY_H_
