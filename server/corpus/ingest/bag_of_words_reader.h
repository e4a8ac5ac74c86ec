// Documents as counts in the UCI bag-of-words format:
//
//   D          number of documents
//   W          number of terms, that of the vocabulary file
//   NNZ        number of lines that follow
//   1 17 2     document 1 has term 17 two times; both are counted from 1
//   ...        document numbers never decrease
//
// A document's id is its number, in decimal, which says nothing about other files: a corpus of
// them is `unjoinable` (corpus_description.h). It names no owner. A document without a line
// is reported as empty. See document_reader.h for documents with problems.
//
// INVALID_ARGUMENT, with the line number, for a file that cannot be trusted as a whole: a
// line that is not three numbers, a document number out of order or above D, more or fewer
// lines than announced, W other than the size of the vocabulary, D above 2^31.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_BAG_OF_WORDS_READER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_BAG_OF_WORDS_READER_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/vocabulary.h"
#include "server/corpus/ingest/document_reader.h"
#include "server/corpus/ingest/line_reader.h"

namespace topicwall::corpus {

class BagOfWordsReader : public DocumentReader {
 public:
  static absl::StatusOr<std::unique_ptr<DocumentReader>> Open(absl::string_view path,
                                                              const lda::Vocabulary& vocabulary);

  absl::StatusOr<bool> Next(SourceDocument* document) override;
  double FractionRead() const override { return lines_->FractionRead(); }

 private:
  struct CountLine {
    int64_t document;
    int64_t term;
    int64_t count;
  };

  BagOfWordsReader(std::unique_ptr<LineReader> lines, int64_t num_terms)
      : lines_(std::move(lines)), num_terms_(num_terms) {}
  absl::Status ReadHeader();
  absl::Status ReadCountLine();
  absl::Status Untrusted(absl::string_view rule) const;
  Problem TakeCount(const CountLine& line, SourceDocument* document) const;

  const std::unique_ptr<LineReader> lines_;
  const int64_t num_terms_;
  int64_t num_documents_ = 0;    // D
  int64_t num_count_lines_ = 0;  // NNZ
  int64_t count_lines_read_ = 0;
  int64_t documents_given_ = 0;
  bool at_end_ = false;
  CountLine next_ = {};  // read and not yet given, unless at_end_
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_BAG_OF_WORDS_READER_H_
