// Documents of the analyst's own as a folder: each file *.txt below it is one.
//
// In the order of their paths below the folder, by bytes; other files, and links to folders, are
// left alone. A document without a known term stays as an empty one (document_reader.h).
//
// Errors: NOT_FOUND or FAILED_PRECONDITION where the folder, or a folder below it, cannot be
// listed; INVALID_ARGUMENT naming the file, never its content, for a text of more than 64 MiB, of
// no valid UTF-8, or that is a link to nowhere or no file; those of base/durable_file.h for a file
// that cannot be read. Nothing is returned then. FAILED_PRECONDITION where the model's tokenizer is
// another. Memory: the counts, and one text.
#ifndef TOPICWALL_CLIENT_EVALUATE_TEXT_FOLDER_H_
#define TOPICWALL_CLIENT_EVALUATE_TEXT_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/evaluate/document_reader.h"
#include "model/data/document.h"

namespace topicwall::client {

absl::StatusOr<lda::DocumentList> ReadTextFolder(const std::string& folder, const TermRule& rule);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_TEXT_FOLDER_H_
