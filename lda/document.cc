#include "lda/document.h"

namespace topicwall::lda {

int64_t TokenCount(DocumentView document) {
  int64_t tokens = 0;
  for (const TermCount& entry : document) tokens += entry.count;
  return tokens;
}

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

}  // namespace topicwall::lda
