// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#ifndef TOPICWALL_MODEL_DATA_UTF8_H_
#define TOPICWALL_MODEL_DATA_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace topicwall::lda {

// Bytes of the well-formed character at the start of `bytes` (not empty), 1 to 4; 0 if there is
// none.
size_t Utf8CharacterSize(absl::string_view bytes);

// True if all of `bytes` is well-formed UTF-8. The empty string is; NUL is a character like others.
bool IsValidUtf8(absl::string_view bytes);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_DATA_UTF8_H_
