// Bytes as lower-case hexadecimal digits, two a byte: the form in which identifiers, heads and
// keys are shown. PUBLIC bytes only: what holds secrets is written without copies
// (server/sealing/custodian_key.cc).
#ifndef TOPICWALL_BASE_HEX_H_
#define TOPICWALL_BASE_HEX_H_

#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::base {

inline std::string Hex(absl::string_view bytes) { return absl::BytesToHexString(bytes); }

inline std::string Hex(absl::Span<const uint8_t> bytes) {
  return Hex(absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_HEX_H_
