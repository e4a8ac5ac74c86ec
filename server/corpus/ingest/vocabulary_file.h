// A vocabulary as the custodian gives it: a text file with one term to a line, term 0 first.
// deploy/debian-words.txt is one of English words; deploy/count-words makes others, from public
// text.
// PUBLIC: errors name the file, the line (from 1) and the term.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_VOCABULARY_FILE_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_VOCABULARY_FILE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/vocabulary.h"

namespace topicwall::corpus {

// What the terms are used for: to find the words of texts (then each must be a token), or
// as labels of given counts.
enum class TermUse { kTokens, kLabels };

// INVALID_ARGUMENT for the first line that is no term of its own, says what to do, and for lines
// above 4,096 bytes; NOT_FOUND or FAILED_PRECONDITION if the file cannot be read. A "\r" before
// the line's end is not part of the term. ASCII capitals of a token stand for small letters, as in
// texts; two lines that then are equal are an error that names both.
absl::StatusOr<lda::Vocabulary> ReadVocabularyFile(absl::string_view path, TermUse use);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_VOCABULARY_FILE_H_
