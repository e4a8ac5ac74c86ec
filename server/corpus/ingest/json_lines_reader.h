// Documents as JSON lines: one object to a line, UTF-8,
//
//   {"id": "note-1", "owner": "ann", "text": "what the note says"}
//
// "id" and "text" are required, "owner" where the privacy unit is the owner. Of a corpus of vectors
// a "vector" is in place of "text": [0.25, -1, 3e-2], as many numbers as there are dimensions,
// which are scaled to the norm bound (model/data/bounded_vector.h). Of each attribute of the corpus
// (model/data/attributes.h) the field of its name is its value: a string as it is; a whole number
// of less than 2^53 as its decimal digits, so that 7 and 7.0 are "7"; anything else, or no such
// field, is "other", and never a problem. Other fields are read over. Lines of white space only are
// not documents. A field given twice is refused: it would be open which one counts. See
// document_reader.h.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_JSON_LINES_READER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_JSON_LINES_READER_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/attributes.h"
#include "model/data/bounded_vector.h"
#include "model/data/vocabulary.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/ingest/document_reader.h"
#include "server/corpus/ingest/line_reader.h"

namespace topicwall::corpus {

class JsonLinesReader : public DocumentReader {
 public:
  // `vocabulary` must live as long as the reader; `attributes` and `vectors` are checked
  // (CheckAttributes, CheckVectorSpace). Errors as in line_reader.h.
  static absl::StatusOr<std::unique_ptr<DocumentReader>> Open(
      absl::string_view path, v1::PrivacyUnit privacy_unit, const lda::Vocabulary& vocabulary,
      std::vector<model::Attribute> attributes = {},
      std::optional<model::VectorSpace> vectors = std::nullopt);

  absl::StatusOr<bool> Next(SourceDocument* document) override;
  double FractionRead() const override { return lines_->FractionRead(); }

 private:
  JsonLinesReader(std::unique_ptr<LineReader> lines, bool owner_required,
                  const lda::Vocabulary& vocabulary, std::vector<model::Attribute> attributes,
                  std::optional<model::VectorSpace> vectors)
      : lines_(std::move(lines)),
        owner_required_(owner_required),
        vocabulary_(vocabulary),
        attributes_(std::move(attributes)),
        vectors_(vectors) {}
  Problem ReadLine(absl::string_view line, SourceDocument* document) const;

  const std::unique_ptr<LineReader> lines_;
  const bool owner_required_;
  const lda::Vocabulary& vocabulary_;
  const std::vector<model::Attribute> attributes_;
  const std::optional<model::VectorSpace> vectors_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_JSON_LINES_READER_H_
