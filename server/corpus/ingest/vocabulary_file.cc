#include "server/corpus/ingest/vocabulary_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "model/data/tokenizer.h"
#include "model/data/utf8.h"
#include "model/data/vocabulary.h"
#include "server/corpus/ingest/line_reader.h"

namespace topicwall::corpus {
namespace {

constexpr size_t kMaxTermBytes = 4096;

absl::Status LineError(const LineReader& lines, absl::string_view rule, absl::string_view term,
                       TermUse use) {
  // Most word lists have capitals, apostrophes and repetitions; a refusal alone would not help.
  constexpr absl::string_view kHowToMakeOne =
      ". From a list of English words: tr A-Z a-z < LIST | grep -xE '[a-z]+' | sort -u";
  return absl::InvalidArgumentError(absl::StrCat(
      lines.path(), ", line ", lines.line_number(), ": a term ", rule, "; got \"",
      // A wrong file may be binary: forty bytes of it, escaped, are enough to see that.
      absl::CHexEscape(term.substr(0, 40)), "\"", use == TermUse::kTokens ? kHowToMakeOne : ""));
}

// Tokens have no capitals (model/data/tokenizer.h): those of the file stand for the small letters.
absl::Status CheckTerm(const LineReader& lines, absl::string_view term, TermUse use) {
  if (use == TermUse::kTokens && !lda::IsOneToken(term)) {
    return LineError(lines, "must be one word of letters, in UTF-8", term, use);
  }
  if (term.empty() || !lda::IsValidUtf8(term)) {
    return LineError(lines, "must be at least one character, in UTF-8", term, use);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<lda::Vocabulary> ReadVocabularyFile(absl::string_view path, TermUse use) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<LineReader> lines, LineReader::Open(path, kMaxTermBytes));
  std::vector<std::string> terms;
  // Vocabulary::Create would refuse a repetition as well, but knows no lines.
  absl::flat_hash_map<std::string, int64_t> line_of;
  for (;;) {
    absl::string_view line;
    TW_ASSIGN_OR_RETURN(const LineReader::Found found, lines->Next(&line));
    if (found == LineReader::Found::kEnd) break;
    const int64_t number = lines->line_number();
    if (found == LineReader::Found::kTooLong) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ", line ", number, ": a term must not be longer than ", kMaxTermBytes, " bytes"));
    }
    std::string term(absl::StripSuffix(line, "\r"));
    // Labels stay as they are: nothing is looked up by them.
    if (use == TermUse::kTokens) absl::AsciiStrToLower(&term);
    TW_RETURN_IF_ERROR(CheckTerm(*lines, term, use));
    const auto [first, is_new] = line_of.emplace(term, number);
    if (!is_new) {
      return LineError(*lines, absl::StrCat("must differ from that of line ", first->second), line,
                       use);
    }
    terms.push_back(std::move(term));
  }
  absl::StatusOr<lda::Vocabulary> vocabulary =
      use == TermUse::kTokens ? lda::Vocabulary::Create(std::move(terms))
                              : lda::Vocabulary::CreateOpaque(std::move(terms));
  if (vocabulary.ok()) return vocabulary;
  return absl::Status(vocabulary.status().code(),
                      absl::StrCat("vocabulary ", path, ": ", vocabulary.status().message()));
}

}  // namespace topicwall::corpus
