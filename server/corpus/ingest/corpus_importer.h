// Ingestion: from the custodian's documents to a sealed corpus file.
//
//   TW_ASSIGN_OR_RETURN(ImportReport report,
//                       Ingest({.format = DocumentFormat::kJsonLines,
//                               .documents = "notes.jsonl",
//                               .vocabulary = "words.txt",
//                               .privacy_unit = v1::PRIVACY_UNIT_OWNER,
//                               .strict = false},
//                              key, "notes.corpus", /*progress=*/nullptr));
//
// Lines that cannot be used (document_reader.h lists why) are left out and reported by number,
// never by content; `strict` refuses the whole ingestion instead. Whether one can be used depends
// on that line alone. Where the unit is the owner, one document without an owner always refuses
// all: leaving it out would say that nobody owned it, taking it in that somebody else did.
//
// Lines of one name (owner and id; id where the document is the unit) refuse it as well, unless
// `duplicates` says what they are to be. Then, as always, the corpus holds for every unit a
// function of that unit's own lines (unit_content.h): two inputs that differ in the lines of one
// unit make corpora that differ in that unit, and a refusal makes none.
//
// Of JSON lines a document's values of `attributes` are read, too (json_lines_reader.h); a value
// that is not listed, or missing, is "other" and rejects no document. What is not typed beforehand
// does not become a value: the list is PUBLIC, and a value that a document brought would tell of
// it.
//
// Documents may be vectors: those longer than the norm bound, which is PUBLIC and typed like the
// list above, are scaled to it, each by itself. A vector that is none is left out like any other
// line.
//
// The report is for the custodian's terminal alone. It depends on the documents: it must
// not be logged where analysts read, and nothing may be configured from it.
//
// Errors, after each of which nothing exists under the output's name that was not there:
// ALREADY_EXISTS (the output does), NOT_FOUND or FAILED_PRECONDITION (an input cannot be
// read), INVALID_ARGUMENT (params, vocabulary, a file not to be trusted as a whole, no usable
// document, more than max_units units, refusals as above), UNAVAILABLE (disk).
//
// Memory: see corpus_writer.h; of a folder also the names of its files.
// Cost: about 20 µs and 0.1 µs a word for a JSON document.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_CORPUS_IMPORTER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_CORPUS_IMPORTER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/attributes.h"
#include "model/data/bounded_vector.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/corpus_manifest.h"
#include "server/corpus/ingest/document_reader.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::corpus {

enum class DocumentFormat {
  kJsonLines,   // json_lines_reader.h, of text or vectors; the only one with owners and attributes
  kBagOfWords,  // bag_of_words_reader.h; tokenizer "counts"
  kTextFolder,  // text_folder_reader.h
  kNpy,         // npy_reader.h, of vectors alone
};

struct IngestParams {
  DocumentFormat format;
  std::string documents;   // a file, or the folder
  std::string vocabulary;  // a file, one term to a line; given, never counted from documents. Of
                           // vectors a name of each dimension; without a file x1, x2, …
  v1::PrivacyUnit privacy_unit;
  bool strict;
  v1::DuplicateRule duplicates = v1::DUPLICATE_RULE_REFUSE;
  int64_t max_units = kMaxUnits;                  // Limits.max_units
  std::vector<model::Attribute> attributes = {};  // CheckAttributes
  // Documents are vectors of it; of text nothing.
  std::optional<model::VectorSpace> vectors = std::nullopt;  // CheckVectorSpace
};

struct RejectedDocument {
  int64_t line;
  std::string name;  // of a file or document number; may be empty
  Problem problem;
};

// "line 7 is not valid UTF-8", with control characters of file names escaped.
std::string Describe(const RejectedDocument& rejected);

inline constexpr size_t kRejectedDocumentsNamed = 20;

struct ImportReport {
  CorpusVersion version;  // PUBLIC; the rest is the custodian's
  int64_t accepted;       // documents of the corpus
  int64_t num_units;
  int64_t repeated_lines;                        // beside the first of their name
  int64_t cut_units;                             // too large to be held whole
  int64_t rejected;                              // lines
  std::vector<RejectedDocument> first_rejected;  // kRejectedDocumentsNamed at most
};

// Called now and then with the share of the input read (0 to 1) and documents seen so far.
using ImportProgress = std::function<void(double fraction_read, int64_t documents)>;

// `progress` may be null.
absl::StatusOr<ImportReport> Ingest(const IngestParams& params, const sealing::CustodianKey& key,
                                    absl::string_view output, const ImportProgress& progress);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_CORPUS_IMPORTER_H_
