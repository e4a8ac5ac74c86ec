#include "model/data/utf8.h"

#include <cstdint>

namespace topicwall::lda {

// RFC 3629, §4.
size_t Utf8CharacterSize(absl::string_view bytes) {
  const auto at = [bytes](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  // 0x80 to 0xBF continue a character, 0xC0 and 0xC1 could only begin overlong ones.
  const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || length > bytes.size()) return 0;
  // The second byte excludes overlong forms, surrogates and what lies above U+10FFFF.
  const uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (at(1) < lowest || at(1) > highest) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (at(i) < 0x80 || at(i) > 0xBF) return 0;
  }
  return length;
}

bool IsValidUtf8(absl::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = Utf8CharacterSize(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace topicwall::lda
