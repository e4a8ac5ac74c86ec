#include "model/data/document.h"

#include "absl/strings/str_cat.h"

namespace topicwall::lda {

int64_t TokenCount(DocumentView document) {
  int64_t tokens = 0;
  for (const TermCount& entry : document) tokens += entry.count;
  return tokens;
}

// Ascending, so the last term is the largest: one comparison with V is enough.
bool IsCanonical(DocumentView document, int64_t vocabulary_size) {
  int64_t previous = -1;
  for (const TermCount& entry : document) {
    if (int64_t{entry.term} <= previous || entry.count == 0) return false;
    previous = entry.term;
  }
  return previous < vocabulary_size;
}

void DocumentList::Append(DocumentView document) {
  entries.insert(entries.end(), document.begin(), document.end());
  offsets.push_back(entries.size());
}

int64_t TokenCount(const DocumentList& documents) { return TokenCount(documents.entries); }

absl::Status CheckCanonical(const DocumentList& documents, int64_t vocabulary_size) {
  for (size_t i = 0; i < documents.size(); ++i) {
    if (!IsCanonical(documents[i], vocabulary_size)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "document ", i + 1, " must have distinct ascending terms below ", vocabulary_size,
          " with counts of at least 1. Count it over the model's vocabulary."));
    }
  }
  return absl::OkStatus();
}

}  // namespace topicwall::lda
