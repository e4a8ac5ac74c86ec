// The list of terms that a corpus is counted over, and the way from a token to its number.
//
//   absl::StatusOr<Vocabulary> vocabulary = Vocabulary::Create({"apple", "pear"});
//   vocabulary->Find("pear");  // 1
//
// Privacy: PUBLIC by construction (a given file, or the output of a paid mechanism; never counted
// from the corpus), so that errors may name a term by number and show it.
// Threads: immutable after construction. Cost: one hash lookup per Find.
#ifndef TOPICWALL_MODEL_DATA_VOCABULARY_H_
#define TOPICWALL_MODEL_DATA_VOCABULARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::lda {

class Vocabulary {
 public:
  // For text: every term must be exactly one token of the tokenizer `words-1` as it comes out of it
  // (tokenizer.h), since another could never be found. Terms must be distinct, and at least one.
  // INVALID_ARGUMENT names the first bad term by its number from 1 (its line in a word list).
  static absl::StatusOr<Vocabulary> Create(std::vector<std::string> terms);

  // For count formats, where the numbers are given and the terms are only labels: they must be
  // distinct, not empty, valid UTF-8 and free of line breaks.
  static absl::StatusOr<Vocabulary> CreateOpaque(std::vector<std::string> terms);

  // The number of `term`, from 0; nothing if it is not in the vocabulary.
  std::optional<uint32_t> Find(absl::string_view term) const;

  const std::vector<std::string>& terms() const { return terms_; }
  size_t size() const { return terms_.size(); }

 private:
  Vocabulary() = default;
  static absl::StatusOr<Vocabulary> CreateDistinct(std::vector<std::string> terms);

  // Constant after construction.
  std::vector<std::string> terms_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_DATA_VOCABULARY_H_
