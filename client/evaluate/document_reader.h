// Documents that the analyst owns, read over a model's vocabulary, and word lists.
//
//   absl::StatusOr<lda::DocumentList> documents =
//       ReadDocuments("mine.jsonl", DocumentFormat::kJsonl, {vocabulary, "words-1"});
//
// jsonl: one JSON object a line with a string "text" (other fields are ignored), counted by the
// tokenizer words-1. csv: the column "text" of a table with a header (other columns are ignored),
// by the rules of base/csv.h; every row must have as many fields as the header. uci: bag-of-words,
// three header lines D, V, NNZ, then "document term count", both numbered from 1, sorted by
// document; V must be the model's, and NNZ the number of lines. text-folder: text_folder.h, whose
// errors name files instead of lines. A document without a known term
// stays as an empty one: it has no token to score, and those behind it keep their numbers.
//
// Errors: NOT_FOUND or the system's for the file; INVALID_ARGUMENT naming the line (of a row of
// several, the first) and what is wrong with it, never its content; nothing is returned then.
// FAILED_PRECONDITION for text where the model's tokenizer is another. Memory: the counts; text is
// read line by line.
#ifndef TOPICWALL_CLIENT_EVALUATE_DOCUMENT_READER_H_
#define TOPICWALL_CLIENT_EVALUATE_DOCUMENT_READER_H_

#include <fstream>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/document.h"
#include "model/data/vocabulary.h"

namespace topicwall::client {

enum class DocumentFormat { kJsonl, kCsv, kUci, kTextFolder };

struct TermRule {
  const lda::Vocabulary& vocabulary;
  std::string tokenizer;  // of the model
};

absl::StatusOr<lda::DocumentList> ReadDocuments(const std::string& path, DocumentFormat format,
                                                const TermRule& rule);

// The same of texts in memory, named by their number from 1.
absl::StatusOr<lda::DocumentList> CountTexts(const std::vector<std::string>& texts,
                                             const TermRule& rule);

// Whose each of a .jsonl's documents is: its "owner".
absl::StatusOr<std::vector<std::string>> ReadOwners(const std::string& path);

// Behind its byte order mark. NOT_FOUND if there is none; where it cannot be read, as a folder,
// that and `hint`.
absl::StatusOr<std::ifstream> OpenLines(const std::string& path, absl::string_view hint = ".");

// A word list: one term a line, in term order, by the rule of `tokenizer` (model_file.h).
absl::StatusOr<lda::Vocabulary> ReadVocabulary(const std::string& path,
                                               absl::string_view tokenizer);

// FAILED_PRECONDITION, saying `otherwise`, unless the rule's tokenizer counts text.
absl::Status CheckTakesText(const TermRule& rule,
                            absl::string_view otherwise = "Give counts: --format uci.");

// The formats on a stream; `name` stands in messages.
absl::StatusOr<lda::DocumentList> ReadJsonl(std::istream& input, absl::string_view name,
                                            const TermRule& rule);
absl::StatusOr<lda::DocumentList> ReadCsv(std::istream& input, absl::string_view name,
                                          const TermRule& rule);
absl::StatusOr<lda::DocumentList> ReadUci(std::istream& input, absl::string_view name,
                                          const lda::Vocabulary& vocabulary);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_DOCUMENT_READER_H_
