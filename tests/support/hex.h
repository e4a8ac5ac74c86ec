// Hexadecimal text of bytes, for expectations taken from standards and other programs.
#ifndef TOPICWALL_TESTS_SUPPORT_HEX_H_
#define TOPICWALL_TESTS_SUPPORT_HEX_H_

#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/types/span.h"

namespace topicwall::testing {

inline std::string Hex(absl::Span<const uint8_t> bytes) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_HEX_H_
