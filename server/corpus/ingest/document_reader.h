// One way of writing documents down, read document by document: what the importer sees of
// JSON lines, bag-of-words files, folders of texts and NumPy's files of vectors.
//
// A document that cannot be used comes with the problem it has and the place it has it,
// never with its content; reading then goes on with the next. A file that cannot be trusted
// as a whole (cut short, not in this format at all) is an error.
//
// PRIVATE: everything but the places, which are for the custodian's terminal only.
// Threads: one thread's object.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_DOCUMENT_READER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_DOCUMENT_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/document.h"
#include "model/data/vocabulary.h"

namespace topicwall::corpus {

// The longest line or text file that is read as a document, in bytes.
inline constexpr size_t kMaxDocumentBytes = size_t{16} << 20;

enum class Problem {
  kNone,
  kTooLong,          // more than kMaxDocumentBytes
  kNotUtf8,          // anywhere in the line or text
  kNotJson,          // not one JSON object, or a field given twice
  kNoId,             // no "id", or not a non-empty string
  kNoOwner,          // no "owner", or not a non-empty string, where the unit is the owner
  kNoText,           // no "text", or not a string
  kEmpty,            // nothing in it
  kOutOfVocabulary,  // no word of the vocabulary in it
  kBadCount,         // a count below 1 or above 2^32 - 1
  kBadTerm,          // a term number outside the vocabulary, or given twice
  kBadVector,        // no "vector", or not as many finite numbers as there are dimensions
  kUnreadable,       // the operating system would not let it be read
};

// "is not valid UTF-8" and the like: to stand behind a place.
absl::string_view Describe(Problem problem);

struct SourceDocument {
  int64_t line;      // from 1; of a folder, the number of the file in the order of names
  std::string name;  // besides the line, where there is one: file or document number
  Problem problem;
  // Only if there is no problem:
  std::string id;
  std::string owner;                   // empty if the format or the line names none
  std::vector<lda::TermCount> counts;  // canonical, not empty; of vectors empty
  std::vector<uint16_t> attributes;    // of each attribute its value; empty if the format has none
  std::vector<float> vector;  // of ScaleToBound (model/data/bounded_vector.h); of text empty
};

class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  // False at the end. Fills `document`, whose memory is used again.
  virtual absl::StatusOr<bool> Next(SourceDocument* document) = 0;

  // How much has been read, 0 to 1.
  virtual double FractionRead() const = 0;
};

// Counts `text` into document->counts: kNone, kNotUtf8, kEmpty or kOutOfVocabulary.
Problem CountText(absl::string_view text, const lda::Vocabulary& vocabulary,
                  SourceDocument* document);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_DOCUMENT_READER_H_
