// What corpora, custodians, algorithms and plans may be called. A name comes from a configuration,
// a wall or a file of anybody's, and stands in commands that are shown to be copied and in the
// names of files: it is one word to a shell, no option and no path.
#ifndef TOPICWALL_BASE_NAME_H_
#define TOPICWALL_BASE_NAME_H_

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace topicwall::base {

// For errors: "corpus must be …".
inline constexpr char kNameRule[] = "1 to 64 letters, digits, '-' or '_', the first not '-'";

inline bool IsName(absl::string_view text) {
  return !text.empty() && text.size() <= 64 && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
         });
}

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_NAME_H_
