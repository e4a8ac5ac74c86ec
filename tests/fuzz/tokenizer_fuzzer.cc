// model/data/utf8.h and model/data/tokenizer.h on any bytes, against the rules of their headers
// written out again, slowly.
#include <map>

#include "model/data/tokenizer.h"
#include "model/data/utf8.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

bool IsTokenByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// Bytes of the character that begins `text` by RFC 3629, decoded to a number first; 0 if there is
// none.
size_t CharacterSize(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  const uint32_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC0 || first >= 0xF8 || text.size() < size) return 0;
  uint32_t code = first & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const uint32_t smallest = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code >= smallest && code <= 0x10FFFF && !surrogate ? size : 0;
}

bool IsWellFormed(absl::string_view text) {
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::vector<std::string> TokensOf(absl::string_view text) {
  std::vector<std::string> tokens(1);
  for (const char c : text) {
    if (IsTokenByte(c)) {
      tokens.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!tokens.back().empty()) {
      tokens.emplace_back();
    }
  }
  if (tokens.back().empty()) tokens.pop_back();
  return tokens;
}

const lda::Vocabulary& Words() {
  static const auto& words =
      *new lda::Vocabulary(*lda::Vocabulary::Create({"a", "cat", "dog", "\xC3\xA9t\xC3\xA9"}));
  return words;
}

Verdict Run(absl::string_view input) {
  static const RefusalRules& rules = *new RefusalRules();
  const bool well_formed = IsWellFormed(input);
  Require(lda::IsValidUtf8(input) == well_formed, "UTF-8 is what RFC 3629 says");
  std::vector<lda::TermCount> counts = {{.term = 9, .count = 9}};
  const absl::Status counted = lda::CountTerms(input, Words(), &counts);
  Require(counted.ok() == well_formed, "text is counted exactly if it is UTF-8");
  if (!counted.ok()) {
    Require(counts.empty(), "what is no text counts nothing");
    return Refuse(counted, rules);
  }
  std::map<uint32_t, uint32_t> expected;
  const std::vector<std::string> tokens = TokensOf(input);
  for (const std::string& token : tokens) {
    const auto term = Words().Find(token);
    if (term.has_value()) ++expected[*term];
  }
  Require(lda::IsCanonical(counts, static_cast<int64_t>(Words().size())), "counts are canonical");
  Require(counts.size() == expected.size(), "each known token is counted");
  for (const lda::TermCount& entry : counts) {
    Require(expected[entry.term] == entry.count, "tokens are counted as often as they stand there");
  }
  Require(lda::IsOneToken(input) == (tokens.size() == 1 && tokens[0] == input),
          "one token is what the tokenizer makes one of and leaves as it is");
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() {
  return {"cat", "A cat, a DOG: 2 cats!", "\xC3\xA9t\xC3\xA9 \xE2\x80\x99 dog", "\xF0\x9F\x98\x80"};
}

[[maybe_unused]] const bool registered =
    Register({.name = "tokenizer", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
