// Documents as the rows of a NumPy file (model/data/npy.h), one vector each.
//
// A document's id is its row's number, from 1, which says nothing about other files: a corpus of
// them is `unjoinable` (corpus_description.h). It names no owner. A row with a number that is not
// finite is reported as a bad vector; see document_reader.h.
//
// INVALID_ARGUMENT for a file that cannot be trusted as a whole: a header that is none or of
// another kind of array, a number of columns other than the space's dimension, more or fewer bytes
// than the header announces. NOT_FOUND or FAILED_PRECONDITION if it cannot be read.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_NPY_READER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_NPY_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/bounded_vector.h"
#include "model/data/npy.h"
#include "server/corpus/ingest/document_reader.h"
#include "server/corpus/ingest/line_reader.h"

namespace topicwall::corpus {

class NpyReader : public DocumentReader {
 public:
  // `space` is checked (CheckVectorSpace).
  static absl::StatusOr<std::unique_ptr<DocumentReader>> Open(absl::string_view path,
                                                              const model::VectorSpace& space);

  absl::StatusOr<bool> Next(SourceDocument* document) override;
  double FractionRead() const override;

 private:
  NpyReader(absl::string_view path, const model::VectorSpace& space)
      : path_(path), space_(space), numbers_(static_cast<size_t>(space.dimension)) {}
  absl::Status ReadHeader();
  absl::Status Untrusted(absl::string_view rule) const;

  const std::string path_;
  const model::VectorSpace space_;
  OpenFile source_ = {};
  model::NpyHeader header_ = {};
  int64_t rows_given_ = 0;
  std::string row_;
  std::vector<double> numbers_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_NPY_READER_H_
