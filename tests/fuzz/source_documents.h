// What every reader of documents (server/corpus/ingest/document_reader.h) keeps to, whatever its
// file.
#ifndef TOPICWALL_TESTS_FUZZ_SOURCE_DOCUMENTS_H_
#define TOPICWALL_TESTS_FUZZ_SOURCE_DOCUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/document.h"
#include "model/data/vocabulary.h"
#include "server/corpus/ingest/document_reader.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {

// Eight words; the last is PRIVATE-looking, so that a text that quotes it would be noticed.
inline const lda::Vocabulary& FuzzVocabulary() {
  static const auto& vocabulary = *new lda::Vocabulary(*lda::Vocabulary::Create(
      {"a", "cat", "dog", "\xC3\xA9t\xC3\xA9", "of", "the", "word", "secretive"}));
  return vocabulary;
}

// Errors of a whole file name the file and a line, and quote nothing of it.
inline const RefusalRules& FileRules() {
  static const RefusalRules& rules =
      *new RefusalRules{.codes = {absl::StatusCode::kInvalidArgument},
                        .longest_message = 200,
                        .never_said = {"secretive"}};
  return rules;
}

// A file may announce many more documents than it has lines.
inline constexpr int kMostDocuments = 2000;

struct Reading {
  int usable = 0;
  int with_problems = 0;
};

// Reads to the end, to an error or to kMostDocuments. `attribute_sizes`: CorpusShape's.
inline Reading ReadAllDocuments(corpus::DocumentReader& reader, bool owner_required,
                                const std::vector<int>& attribute_sizes = {}) {
  Reading reading;
  corpus::SourceDocument document = {};
  const auto size = static_cast<int64_t>(FuzzVocabulary().size());
  while (reading.usable + reading.with_problems < kMostDocuments) {
    const absl::StatusOr<bool> next = reader.Next(&document);
    if (!next.ok()) Refuse(next.status(), FileRules());
    if (!next.ok() || !*next) break;
    Require(document.line >= 1, "a document has a place");
    const double fraction = reader.FractionRead();
    Require(fraction >= 0 && fraction <= 1, "what has been read is a fraction");
    if (document.problem != corpus::Problem::kNone) {
      Require(!corpus::Describe(document.problem).empty(), "a problem can be described");
      ++reading.with_problems;
      continue;
    }
    ++reading.usable;
    Require(!document.id.empty(), "a document that is taken has an id");
    Require(!owner_required || !document.owner.empty(), "where owners count, each has one");
    Require(!document.counts.empty() && lda::IsCanonical(document.counts, size),
            "a document that is taken has canonical counts");
    Require(document.attributes.size() == attribute_sizes.size(),
            "a document that is taken has a value of each attribute");
    for (size_t a = 0; a < attribute_sizes.size(); ++a) {
      Require(document.attributes[a] < attribute_sizes[a], "a value is one of its attribute's");
    }
  }
  return reading;
}

// What the client reads of a person's own file.
inline void RequireSound(const absl::StatusOr<lda::DocumentList>& documents) {
  if (!documents.ok()) {
    Refuse(documents.status(), FileRules());
    return;
  }
  const auto size = static_cast<int64_t>(FuzzVocabulary().size());
  for (size_t i = 0; i < documents->size(); ++i) {
    Require(lda::IsCanonical((*documents)[i], size), "the client's documents are canonical");
  }
}

}  // namespace topicwall::fuzz

#endif  // TOPICWALL_TESTS_FUZZ_SOURCE_DOCUMENTS_H_
