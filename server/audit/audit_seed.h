// Where everything that an audit chooses by chance comes from: pairs, inputs, orders.
//
//   TW_ASSIGN_OR_RETURN(const AuditSeed seed, AuditSeed::Fresh());
//   std::cerr << "seed " << seed.Hex() << "\n";
//   TW_ASSIGN_OR_RETURN(random::Keystream choices, seed.Choices("pairs"));
//
// A fresh seed makes every run look elsewhere; the seed of a run that found something makes the
// same choices once more. What the wall draws (keys, coins, noise, versions) is never seeded: a
// program that could would be the defect that an audit looks for. So a repeated run asks the same
// of other noise.
//
// Fresh asks the operating system itself, and not the wall's generator, which is being audited.
// Errors: UNAVAILABLE if the operating system gives nothing; INVALID_ARGUMENT for a text that is no
// seed; INTERNAL if OpenSSL fails. PUBLIC. Threads: values.
#ifndef TOPICWALL_SERVER_AUDIT_AUDIT_SEED_H_
#define TOPICWALL_SERVER_AUDIT_AUDIT_SEED_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/random/keystream.h"

namespace topicwall::audit {

class AuditSeed {
 public:
  static constexpr int kBytes = 16;

  static absl::StatusOr<AuditSeed> Fresh();
  // Of 32 hexadecimal digits.
  static absl::StatusOr<AuditSeed> Of(absl::string_view hex);

  std::string Hex() const;
  // Those of one purpose, independent of those of every other.
  absl::StatusOr<random::Keystream> Choices(absl::string_view purpose) const;

 private:
  AuditSeed() = default;

  std::array<uint8_t, kBytes> bytes_ = {};
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_AUDIT_SEED_H_
