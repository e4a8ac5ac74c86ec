#include "model/data/tokenizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "model/data/utf8.h"

namespace topicwall::lda {
namespace {

bool IsTokenByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || absl::ascii_isalpha(byte);
}

// The numbers of the vocabulary's tokens in the text, in its order.
// Byte by byte, without decoding: every byte of a character beyond ASCII is >= 0x80, so no rule
// about characters, which would change with each version of Unicode, is needed.
std::vector<uint32_t> TokenNumbers(absl::string_view text, const Vocabulary& vocabulary) {
  std::vector<uint32_t> numbers;
  std::string token;
  size_t i = 0;
  while (i < text.size()) {
    token.clear();
    for (; i < text.size() && IsTokenByte(text[i]); ++i) {
      // Not the locale's tolower, which may change bytes beyond ASCII.
      token.push_back(absl::ascii_tolower(static_cast<unsigned char>(text[i])));
    }
    if (token.empty()) {
      ++i;
    } else if (const std::optional<uint32_t> number = vocabulary.Find(token)) {
      numbers.push_back(*number);
    }
  }
  return numbers;
}

}  // namespace

bool IsOneToken(absl::string_view term) {
  return !term.empty() && IsValidUtf8(term) && std::all_of(term.begin(), term.end(), [](char c) {
    return IsTokenByte(c) && !absl::ascii_isupper(static_cast<unsigned char>(c));
  });
}

absl::Status CountTerms(absl::string_view utf8_text, const Vocabulary& vocabulary,
                        std::vector<TermCount>* counts) {
  counts->clear();
  if (!IsValidUtf8(utf8_text)) {
    return absl::InvalidArgumentError("text must be valid UTF-8. Convert it first.");
  }
  std::vector<uint32_t> numbers = TokenNumbers(utf8_text, vocabulary);
  // Sorted numbers, not a map of counts: time and memory follow the text's length alone.
  std::sort(numbers.begin(), numbers.end());
  for (const uint32_t number : numbers) {
    if (counts->empty() || counts->back().term != number) {
      counts->push_back({.term = number, .count = 1});
    } else if (counts->back().count < std::numeric_limits<uint32_t>::max()) {
      // Stays at the largest: a text of more than 2^32 times one word is no error.
      ++counts->back().count;
    }
  }
  return absl::OkStatus();
}

}  // namespace topicwall::lda
