// All formats end in the same: canonical documents over the model's vocabulary, as the server
// makes them of its own. A line that cannot be used ends the reading. These are the analyst's
// documents, few and at hand, and a perplexity over those that happened to parse would be one of
// other documents.
#include "client/evaluate/document_reader.h"

#include <google/protobuf/struct.pb.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/csv.h"
#include "base/durable_file.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/evaluate/text_folder.h"
#include "client/exit_code.h"
#include "client/fit/model_file.h"
#include "model/data/tokenizer.h"
#include "proto/json_line.h"

namespace topicwall::client {
namespace {

absl::Status BadLine(absl::string_view name, int64_t line, absl::string_view what) {
  return WithDetail(
      absl::InvalidArgumentError(absl::StrCat(name, ", line ", line, ": ", what, ".")),
      base::JsonObject()
          .SetString("kind", "input")
          .SetString("path", name)
          .SetInteger("line", line));
}

absl::StatusOr<std::string> StringOf(absl::string_view name, const std::string& line) {
  const std::optional<google::protobuf::Struct> object = proto::JsonObjectOf(line);
  if (!object.has_value()) return absl::InvalidArgumentError("must be one JSON object");
  const auto value = object->fields().find(std::string(name));
  if (value == object->fields().end() || !value->second.has_string_value()) {
    return absl::InvalidArgumentError(absl::StrCat("must have a string \"", name, "\""));
  }
  return value->second.string_value();
}

// The `count` whole numbers of a line; false if there is anything else.
template <size_t kCount>
bool ParseNumbers(const std::string& line, std::array<int64_t, kCount>& numbers) {
  const std::vector<absl::string_view> fields =
      // With "\r", for files from Windows.
      absl::StrSplit(absl::string_view(line), absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
  if (fields.size() != kCount) return false;
  for (size_t i = 0; i < kCount; ++i) {
    if (!absl::SimpleAtoi(fields[i], &numbers[i])) return false;
  }
  return true;
}

constexpr int64_t kMaxUciDocuments = 100'000'000;

struct UciHeader {
  int64_t documents;
  int64_t terms;
  int64_t entries;
};

absl::StatusOr<UciHeader> ReadUciHeader(std::istream& input, absl::string_view name,
                                        const lda::Vocabulary& vocabulary) {
  std::array<int64_t, 3> header = {};
  for (size_t i = 0; i < header.size(); ++i) {
    std::string line;
    std::array<int64_t, 1> number = {};
    if (!std::getline(input, line) || !ParseNumbers(line, number) || number[0] < 0) {
      return BadLine(name, static_cast<int64_t>(i) + 1,
                     "the first three lines must be the numbers D, V and NNZ");
    }
    header[i] = number[0];
  }
  // Each is kept, with an entry or without.
  if (header[0] > kMaxUciDocuments) {
    return BadLine(name, 1,
                   absl::StrCat("D must be at most ", kMaxUciDocuments, "; got ", header[0]));
  }
  // Term numbers mean nothing without the list: with one of another length they would score other
  // words.
  if (header[1] != static_cast<int64_t>(vocabulary.size())) {
    return BadLine(
        name, 2,
        absl::StrCat("V must be the model's ", vocabulary.size(), " terms; got ", header[1]));
  }
  return UciHeader{.documents = header[0], .terms = header[1], .entries = header[2]};
}

// The document that `counts` are of, and empty ones until there are `number`.
void AppendUpTo(int64_t number, std::vector<lda::TermCount>& counts, lda::DocumentList& documents) {
  std::sort(counts.begin(), counts.end(),
            [](const lda::TermCount& a, const lda::TermCount& b) { return a.term < b.term; });
  while (static_cast<int64_t>(documents.size()) < number) {
    documents.Append(counts);
    counts.clear();
  }
}

// Not summed up: which of the two counts was meant, the file does not say.
bool HasRepeatedTerm(const std::vector<lda::TermCount>& counts) {
  std::vector<uint32_t> terms;
  for (const lda::TermCount& entry : counts) terms.push_back(entry.term);
  std::sort(terms.begin(), terms.end());
  return std::adjacent_find(terms.begin(), terms.end()) != terms.end();
}

absl::StatusOr<std::ifstream> OpenToRead(const std::string& path) {
  return OpenLines(path,
                   ": documents of your own are one file, a JSON object with a \"text\" a line, a "
                   "table with --format csv, or counts with --format uci; or files *.txt below a "
                   "folder, with --format text-folder.");
}

}  // namespace

absl::StatusOr<std::ifstream> OpenLines(const std::string& path, absl::string_view hint) {
  std::ifstream input(path, std::ios::binary);
  if (!input) return absl::NotFoundError(absl::StrCat("cannot open ", path, "."));
  // A folder opens like a file and then reads as empty.
  if (input.peek(); input.bad())
    return absl::NotFoundError(absl::StrCat("cannot read ", path, hint));
  // An empty file has set the end by now; it is no error, it holds no document.
  input.clear();
  base::SkipByteOrderMark(input);
  return input;
}

absl::Status CheckTakesText(const TermRule& rule, absl::string_view otherwise) {
  if (rule.tokenizer == lda::kTokenizerName) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("documents as text need a model of tokenizer ",
                                                    lda::kTokenizerName, "; this model's is ",
                                                    rule.tokenizer, ". ", otherwise));
}

absl::StatusOr<lda::DocumentList> CountTexts(const std::vector<std::string>& texts,
                                             const TermRule& rule) {
  TW_RETURN_IF_ERROR(CheckTakesText(rule, "Give counts."));
  lda::DocumentList documents;
  std::vector<lda::TermCount> counts;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!lda::CountTerms(texts[i], rule.vocabulary, &counts).ok()) {
      return absl::InvalidArgumentError(absl::StrCat("text ", i + 1, " must be valid UTF-8."));
    }
    documents.Append(counts);
  }
  return documents;
}

absl::StatusOr<lda::DocumentList> ReadJsonl(std::istream& input, absl::string_view name,
                                            const TermRule& rule) {
  TW_RETURN_IF_ERROR(CheckTakesText(rule));
  lda::DocumentList documents;
  std::vector<lda::TermCount> counts;
  std::string line;
  for (int64_t number = 1; std::getline(input, line); ++number) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const absl::StatusOr<std::string> text = StringOf("text", line);
    if (!text.ok()) return BadLine(name, number, text.status().message());
    if (!lda::CountTerms(*text, rule.vocabulary, &counts).ok()) {
      return BadLine(name, number, "the text must be valid UTF-8");
    }
    documents.Append(counts);
  }
  if (input.bad()) return absl::DataLossError(absl::StrCat("cannot read ", name, " to its end."));
  return documents;
}

absl::StatusOr<lda::DocumentList> ReadCsv(std::istream& input, absl::string_view name,
                                          const TermRule& rule) {
  TW_RETURN_IF_ERROR(CheckTakesText(rule));
  base::CsvReader rows(input);
  std::vector<std::string> row;
  size_t columns = 0;
  size_t column = 0;  // of the text
  lda::DocumentList documents;
  std::vector<lda::TermCount> counts;
  for (absl::StatusOr<bool> is_row = rows.Next(row);; is_row = rows.Next(row)) {
    if (!is_row.ok()) return BadLine(name, rows.line(), is_row.status().message());
    if (!*is_row) break;
    if (columns == 0) {
      if (std::count(row.begin(), row.end(), "text") != 1) {
        return BadLine(name, rows.line(), "the header must have one column \"text\"");
      }
      columns = row.size();
      column = static_cast<size_t>(std::find(row.begin(), row.end(), "text") - row.begin());
      continue;
    }
    if (row.size() != columns) {
      return BadLine(name, rows.line(),
                     absl::StrCat("must have the header's ", columns, " fields; got ", row.size()));
    }
    if (!lda::CountTerms(row[column], rule.vocabulary, &counts).ok()) {
      return BadLine(name, rows.line(), "the text must be valid UTF-8");
    }
    documents.Append(counts);
  }
  if (input.bad()) return absl::DataLossError(absl::StrCat("cannot read ", name, " to its end."));
  if (columns == 0) return BadLine(name, 1, "must be a header with a column \"text\"");
  return documents;
}

absl::StatusOr<std::vector<std::string>> ReadOwners(const std::string& path) {
  TW_ASSIGN_OR_RETURN(std::ifstream input, OpenToRead(path));
  std::vector<std::string> owners;
  std::string line;
  for (int64_t number = 1; std::getline(input, line); ++number) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    absl::StatusOr<std::string> owner = StringOf("owner", line);
    if (!owner.ok()) return BadLine(path, number, owner.status().message());
    owners.push_back(*std::move(owner));
  }
  if (input.bad()) return absl::DataLossError(absl::StrCat("cannot read ", path, " to its end."));
  return owners;
}

absl::StatusOr<lda::DocumentList> ReadUci(std::istream& input, absl::string_view name,
                                          const lda::Vocabulary& vocabulary) {
  TW_ASSIGN_OR_RETURN(const UciHeader header, ReadUciHeader(input, name, vocabulary));
  lda::DocumentList documents;
  std::vector<lda::TermCount> counts;  // of the document at hand
  int64_t current = 0;
  int64_t entries = 0;
  std::string line;
  for (int64_t number = 4; std::getline(input, line); ++number) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    ++entries;
    std::array<int64_t, 3> entry = {};
    if (!ParseNumbers(line, entry)) return BadLine(name, number, "must be three whole numbers");
    const auto [document, term, count] = entry;
    // In order, so that one document is held at a time, and none comes again after it was appended.
    if (document < std::max<int64_t>(current, 1) || document > header.documents) {
      return BadLine(name, number, "documents must be in order and numbered from 1 to D");
    }
    if (term < 1 || term > header.terms || count < 1 ||
        count > std::numeric_limits<uint32_t>::max()) {
      return BadLine(name, number, "the term must be in 1 to V and the count in 1 to 2^32 - 1");
    }
    if (document != current) {
      // It shows only once the document is over, on the first line of the next.
      if (HasRepeatedTerm(counts))
        return BadLine(name, number, "the document before has a term twice");
      AppendUpTo(document - 1, counts, documents);
      current = document;
    }
    counts.push_back(
        {.term = static_cast<uint32_t>(term - 1), .count = static_cast<uint32_t>(count)});
  }
  if (input.bad()) return absl::DataLossError(absl::StrCat("cannot read ", name, " to its end."));
  // A file that was cut off between two lines looks whole otherwise.
  if (entries != header.entries) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": NNZ says ", header.entries, " entries; got ", entries, ". Is the file complete?"));
  }
  if (HasRepeatedTerm(counts)) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": the last document has a term twice."));
  }
  AppendUpTo(header.documents, counts, documents);
  return documents;
}

absl::StatusOr<lda::DocumentList> ReadDocuments(const std::string& path, DocumentFormat format,
                                                const TermRule& rule) {
  if (format == DocumentFormat::kTextFolder) return ReadTextFolder(path, rule);
  TW_ASSIGN_OR_RETURN(std::ifstream input, OpenToRead(path));
  if (format == DocumentFormat::kUci) return ReadUci(input, path, rule.vocabulary);
  return format == DocumentFormat::kCsv ? ReadCsv(input, path, rule) : ReadJsonl(input, path, rule);
}

absl::StatusOr<lda::Vocabulary> ReadVocabulary(const std::string& path,
                                               absl::string_view tokenizer) {
  constexpr int64_t kMaxBytes = int64_t{1} << 30;
  TW_ASSIGN_OR_RETURN(const std::string text, base::ReadWholeFile(path, kMaxBytes));
  // A byte order mark is none of the first term.
  const absl::string_view lines = absl::StripPrefix(absl::string_view(text), base::kByteOrderMark);
  std::vector<std::string> terms =
      // The last line end is no empty term; an empty line anywhere else is, and is refused.
      absl::StrSplit(absl::StripSuffix(lines, "\n"), '\n');
  for (std::string& term : terms) {
    if (!term.empty() && term.back() == '\r') term.pop_back();
  }
  absl::StatusOr<lda::Vocabulary> vocabulary = MakeVocabulary(tokenizer, std::move(terms));
  if (vocabulary.ok()) return vocabulary;
  return absl::Status(vocabulary.status().code(),
                      absl::StrCat(path, ": ", vocabulary.status().message()));
}

}  // namespace topicwall::client
