// Documents as a folder of UTF-8 texts: every file below it whose name ends in
// ".txt" is one document. Its id is its path below the folder ("2024/may/note.txt"); it
// names no owner. Files are read in the order of these paths; links to files are followed,
// links to folders are not. What has such a name and is neither file nor folder is a document that
// is unreadable. Other files are not looked at. See document_reader.h.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_TEXT_FOLDER_READER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_TEXT_FOLDER_READER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/vocabulary.h"
#include "server/corpus/ingest/document_reader.h"

namespace topicwall::corpus {

class TextFolderReader : public DocumentReader {
 public:
  // `vocabulary` must live as long as the reader. NOT_FOUND or FAILED_PRECONDITION if the
  // folder, or any folder below it, cannot be listed.
  static absl::StatusOr<std::unique_ptr<DocumentReader>> Open(absl::string_view folder,
                                                              const lda::Vocabulary& vocabulary);

  absl::StatusOr<bool> Next(SourceDocument* document) override;
  double FractionRead() const override;

 private:
  TextFolderReader(std::string folder, std::vector<std::string> names,
                   const lda::Vocabulary& vocabulary)
      : folder_(std::move(folder)), names_(std::move(names)), vocabulary_(vocabulary) {}

  const std::string folder_;
  const std::vector<std::string> names_;  // below the folder, sorted
  const lda::Vocabulary& vocabulary_;
  size_t given_ = 0;
  std::string text_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_TEXT_FOLDER_READER_H_
