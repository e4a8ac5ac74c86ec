// Everything a reader gives, for tests of readers.
#ifndef TOPICWALL_TESTS_SERVER_CORPUS_READ_DOCUMENTS_H_
#define TOPICWALL_TESTS_SERVER_CORPUS_READ_DOCUMENTS_H_

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/corpus/ingest/document_reader.h"

namespace topicwall::lda {

inline void PrintTo(const TermCount& entry, std::ostream* out) {
  *out << entry.term << ":" << entry.count;
}

}  // namespace topicwall::lda

namespace topicwall::corpus {

inline void PrintTo(Problem problem, std::ostream* out) { *out << std::string(Describe(problem)); }

inline absl::StatusOr<std::vector<SourceDocument>> ReadDocuments(DocumentReader& reader) {
  std::vector<SourceDocument> documents;
  SourceDocument document;
  for (;;) {
    const absl::StatusOr<bool> found = reader.Next(&document);
    if (!found.ok()) return found.status();
    if (!*found) return documents;
    documents.push_back(document);
  }
}

// Line and problem of every document that has one.
inline std::vector<std::pair<int64_t, Problem>> ProblemsOf(
    const std::vector<SourceDocument>& documents) {
  std::vector<std::pair<int64_t, Problem>> problems;
  for (const SourceDocument& document : documents) {
    if (document.problem != Problem::kNone) {
      problems.emplace_back(document.line, document.problem);
    }
  }
  return problems;
}

// Ids of every document that has none.
inline std::vector<std::string> UsableIds(const std::vector<SourceDocument>& documents) {
  std::vector<std::string> ids;
  for (const SourceDocument& document : documents) {
    if (document.problem == Problem::kNone) ids.push_back(document.id);
  }
  return ids;
}

}  // namespace topicwall::corpus

#endif  // TOPICWALL_TESTS_SERVER_CORPUS_READ_DOCUMENTS_H_
