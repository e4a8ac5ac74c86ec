#include "server/audit/audit_seed.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "server/random/secret_key.h"

namespace topicwall::audit {

absl::StatusOr<AuditSeed> AuditSeed::Fresh() {
  AuditSeed seed;
  if (getentropy(seed.bytes_.data(), seed.bytes_.size()) != 0) {
    return absl::UnavailableError(
        "the operating system gave no random bytes for a seed. Give one with --seed.");
  }
  return seed;
}

absl::StatusOr<AuditSeed> AuditSeed::Of(absl::string_view hex) {
  if (hex.size() != 2 * kBytes || !std::all_of(hex.begin(), hex.end(), absl::ascii_isxdigit)) {
    return absl::InvalidArgumentError(absl::StrCat("seed must be 32 hexadecimal digits; got ", hex,
                                                   ". An audit prints its own first."));
  }
  AuditSeed seed;
  const std::string bytes = absl::HexStringToBytes(hex);
  std::copy(bytes.begin(), bytes.end(), seed.bytes_.begin());
  return seed;
}

std::string AuditSeed::Hex() const { return base::Hex(bytes_); }

absl::StatusOr<random::Keystream> AuditSeed::Choices(absl::string_view purpose) const {
  const base::Digest key = base::Sha256Of(absl::StrCat("topicwall-audit ", Hex(), " ", purpose));
  return random::Keystream::Create(random::SecretKey(key), 0);
}

}  // namespace topicwall::audit
