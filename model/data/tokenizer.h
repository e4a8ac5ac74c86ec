// Text to term counts: the tokenizer `words-1`, the same code on both sides of the wall.
//
// Rule. The text must be valid UTF-8. A token is a maximal run of ASCII letters and bytes >= 0x80;
// ASCII letters are lower-cased, all other bytes stay as they are (so "É" and "é" differ, and a
// non-ASCII punctuation mark such as "’" joins what it touches). Digits, spaces and all other ASCII
// characters only separate. No stemming, no stop list. Tokens outside the vocabulary are dropped.
//
//   CountTerms("Don't PANIC, 42 times: panic!", vocabulary_of_don_panic_t_times, &counts);
//   // don 1, panic 2, t 1, times 1
//
// The name of the tokenizer is stored with corpora and models; two sides with different names must
// not exchange counts. The rule behind a name never changes: a new rule gets a new name.
//
// Privacy: the text is PRIVATE on the server; no message tells anything about it.
// Threads: pure functions.
#ifndef TOPICWALL_MODEL_DATA_TOKENIZER_H_
#define TOPICWALL_MODEL_DATA_TOKENIZER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/data/document.h"
#include "model/data/vocabulary.h"

namespace topicwall::lda {

// The rule above.
inline constexpr char kTokenizerName[] = "words-1";
// No tokenizer at all: documents arrived as counts over a numbered vocabulary.
inline constexpr char kCountsTokenizerName[] = "counts";
// No words at all: documents are vectors (bounded_vector.h), and terms the names of their
// dimensions.
inline constexpr char kVectorsTokenizerName[] = "vectors";

// Whether `words-1` makes exactly one token of `term` and leaves it as it is: valid UTF-8 of at
// least one byte, each a lower-case ASCII letter or >= 0x80.
bool IsOneToken(absl::string_view term);

// Sets *counts to the canonical document of `utf8_text` (terms ascending; possibly empty) and keeps
// its capacity for reuse. Counts beyond 2^32 - 1 stay there.
// INVALID_ARGUMENT, with *counts empty, if the text is not valid UTF-8.
// Cost: linear in the text, plus the sort of its tokens' numbers.
absl::Status CountTerms(absl::string_view utf8_text, const Vocabulary& vocabulary,
                        std::vector<TermCount>* counts);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_DATA_TOKENIZER_H_
