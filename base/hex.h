// Bytes as lower-case hexadecimal digits, two a byte: the form in which identifiers, heads and
// keys are shown. PUBLIC bytes only: what holds secrets is written without copies
// (server/sealing/custodian_key.cc).
#ifndef TOPICWALL_BASE_HEX_H_
#define TOPICWALL_BASE_HEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::base {

inline std::string Hex(absl::string_view bytes) { return absl::BytesToHexString(bytes); }

inline std::string Hex(absl::Span<const uint8_t> bytes) {
  return Hex(absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// The `size` bytes that `hex` is the digits of, upper or lower case; none if it is anything else.
inline std::optional<std::string> BytesOfHex(absl::string_view hex, std::size_t size) {
  const bool digits = hex.size() == 2 * size && std::all_of(hex.begin(), hex.end(), [](char c) {
                        return absl::ascii_isxdigit(static_cast<unsigned char>(c));
                      });
  if (!digits) return std::nullopt;
  return absl::HexStringToBytes(hex);
}

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_HEX_H_
