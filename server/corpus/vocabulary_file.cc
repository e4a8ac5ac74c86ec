#include "server/corpus/vocabulary_file.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lda/vocabulary.h"
#include "server/corpus/line_reader.h"

namespace topicwall::corpus {
namespace {

constexpr size_t kMaxTermBytes = 4096;

}  // namespace

absl::StatusOr<lda::Vocabulary> ReadVocabularyFile(absl::string_view path, TermUse use) {
  absl::StatusOr<std::unique_ptr<LineReader>> lines = LineReader::Open(path, kMaxTermBytes);
  if (!lines.ok()) return lines.status();
  std::vector<std::string> terms;
  for (;;) {
    absl::string_view line;
    const absl::StatusOr<LineReader::Found> found = (*lines)->Next(&line);
    if (!found.ok()) return found.status();
    if (*found == LineReader::Found::kEnd) break;
    if (*found == LineReader::Found::kTooLong) {
      return absl::InvalidArgumentError(absl::StrCat(path, ", line ", (*lines)->line_number(),
                                                     ": a term must not be longer than ",
                                                     kMaxTermBytes, " bytes"));
    }
    terms.emplace_back(absl::StripSuffix(line, "\r"));
  }
  absl::StatusOr<lda::Vocabulary> vocabulary =
      use == TermUse::kTokens ? lda::Vocabulary::Create(std::move(terms))
                              : lda::Vocabulary::CreateOpaque(std::move(terms));
  if (vocabulary.ok()) return vocabulary;
  return absl::Status(vocabulary.status().code(),
                      absl::StrCat("vocabulary ", path, ": ", vocabulary.status().message()));
}

}  // namespace topicwall::corpus
