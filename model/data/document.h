// Documents as term counts, the one form in which text reaches the topic model.
//
//   DocumentList documents;
//   documents.Append({{.term = 3, .count = 2}, {.term = 17, .count = 1}});
//   int64_t tokens = TokenCount(documents[0]);  // 3
//
// A document is canonical when its terms are distinct and ascending and every count is at least 1.
// Sensitivity arguments lean on that (one term, one row), so everything that computes a statistic
// checks it with IsCanonical and takes a document that is not for an empty one.
//
// Privacy: on the server every document is PRIVATE; on the client it is the analyst's own.
// Threads: const access from many threads; Append from one.
#ifndef TOPICWALL_MODEL_DATA_DOCUMENT_H_
#define TOPICWALL_MODEL_DATA_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace topicwall::lda {

struct TermCount {
  uint32_t term;   // index into the vocabulary, from 0
  uint32_t count;  // occurrences in the document, at least 1

  friend bool operator==(const TermCount&, const TermCount&) = default;
};

// One document, borrowed from whoever stores it.
using DocumentView = absl::Span<const TermCount>;

// Number of tokens: the sum of the counts.
int64_t TokenCount(DocumentView document);

// Terms strictly ascending, all below `vocabulary_size`, counts at least 1. O(distinct terms).
bool IsCanonical(DocumentView document, int64_t vocabulary_size);

// Many documents in two flat arrays; the i-th is entries[offsets[i] .. offsets[i + 1]).
struct DocumentList {
  std::vector<TermCount> entries;
  std::vector<size_t> offsets = {0};

  size_t size() const { return offsets.size() - 1; }
  bool empty() const { return size() == 0; }
  DocumentView operator[](size_t i) const {
    return DocumentView(entries.data() + offsets[i], offsets[i + 1] - offsets[i]);
  }
  // `document` may not point into `entries`.
  void Append(DocumentView document);
};

// Number of tokens in all documents.
int64_t TokenCount(const DocumentList& documents);

// INVALID_ARGUMENT, by number from 1, for the first document that is not canonical.
absl::Status CheckCanonical(const DocumentList& documents, int64_t vocabulary_size);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_DATA_DOCUMENT_H_
