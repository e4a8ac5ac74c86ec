// One input taken apart: numbers and pieces from its front, for targets that need several values.
//
// Whatever the bytes, every call answers: past the end there are zeros and empty pieces, so that
// an input that was cut short is still an input. `Piece` has its length before it (two bytes,
// little-endian; all that is left if there is less); `PieceOf` writes what it reads.
#ifndef TOPICWALL_TESTS_FUZZ_INPUT_CURSOR_H_
#define TOPICWALL_TESTS_FUZZ_INPUT_CURSOR_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace topicwall::fuzz {

class InputCursor {
 public:
  explicit InputCursor(absl::string_view input) : rest_(input) {}

  bool at_end() const { return rest_.empty(); }

  template <typename Number>
  Number Take() {
    Number number = {};
    const size_t size = std::min(sizeof(number), rest_.size());
    if (size > 0) std::memcpy(&number, rest_.data(), size);
    rest_.remove_prefix(size);
    return number;
  }

  absl::string_view Piece() {
    const uint16_t size = Take<uint16_t>();
    const absl::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(piece.size());
    return piece;
  }

  absl::string_view Rest() {
    const absl::string_view rest = rest_;
    rest_ = {};
    return rest;
  }

 private:
  absl::string_view rest_;
};

inline std::string PieceOf(absl::string_view bytes) {
  const auto size = static_cast<uint16_t>(bytes.size());
  std::string piece(reinterpret_cast<const char*>(&size), sizeof(size));
  piece.append(bytes.data(), bytes.size());
  return piece;
}

template <typename Number>
std::string NumberOf(Number number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace topicwall::fuzz

#endif  // TOPICWALL_TESTS_FUZZ_INPUT_CURSOR_H_
