// Reads a UCI bag of words: D, V and the number of entries, then `document term count` from 1.
#ifndef TOPICWALL_TESTS_BENCH_DOCWORD_FILE_H_
#define TOPICWALL_TESTS_BENCH_DOCWORD_FILE_H_

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "model/data/document.h"

namespace topicwall::lda::bench {

struct DocwordFile {
  int vocabulary_size = 0;
  DocumentList documents;  // in the file's order, empty ones included
};

inline absl::StatusOr<DocwordFile> ReadDocword(const std::string& path) {
  std::ifstream file(path);
  int64_t num_documents = 0, num_terms = 0, num_entries = 0;
  if (!(file >> num_documents >> num_terms >> num_entries) || num_documents < 0 || num_terms < 1 ||
      num_terms > INT32_MAX) {
    return absl::NotFoundError(absl::StrCat("no bag of words can be read from ", path));
  }
  std::vector<std::vector<TermCount>> read(static_cast<size_t>(num_documents));
  int64_t document = 0, term = 0, count = 0;
  for (int64_t entry = 1; file >> document >> term >> count; ++entry) {
    if (document < 1 || document > num_documents || term < 1 || term > num_terms || count < 1 ||
        count > INT32_MAX) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": entry ", entry, " is out of range"));
    }
    read[static_cast<size_t>(document - 1)].push_back(
        {.term = static_cast<uint32_t>(term - 1), .count = static_cast<uint32_t>(count)});
  }
  DocwordFile result = {.vocabulary_size = static_cast<int>(num_terms), .documents = {}};
  for (std::vector<TermCount>& terms : read) {
    std::sort(terms.begin(), terms.end(), [](TermCount a, TermCount b) { return a.term < b.term; });
    result.documents.Append(terms);
  }
  return result;
}

}  // namespace topicwall::lda::bench

#endif  // TOPICWALL_TESTS_BENCH_DOCWORD_FILE_H_
