// One line is always read ahead, into next_: that a document is over shows only in the next one's
// first line.
//
// Two kinds of faults. A term or a count that cannot be spoils its document, which is left out and
// reported. A line that is none, numbers out of order, or more or fewer lines than announced spoil
// the file: a copy that was cut off at the end of a line looks whole otherwise, and would be sealed
// as a corpus.
#include "server/corpus/ingest/bag_of_words_reader.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "model/data/document.h"
#include "server/corpus/corpus_manifest.h"

namespace topicwall::corpus {
namespace {

// Three numbers and their blanks.
constexpr size_t kMaxLineBytes = 256;

// The whole numbers of a line, separated by blanks; false unless there are as many as
// `numbers` holds and nothing else.
bool ParseNumbers(absl::string_view line, absl::Span<int64_t> numbers) {
  for (int64_t& number : numbers) {
    line = absl::StripLeadingAsciiWhitespace(line);
    // Of no locale, and a number that is too large is an error and no other number.
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc()) return false;
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    if (!line.empty() && !absl::ascii_isspace(static_cast<unsigned char>(line.front()))) {
      return false;
    }
  }
  return absl::StripAsciiWhitespace(line).empty();
}

// Sorts by term; false if a term is there twice.
bool SortTerms(std::vector<lda::TermCount>& counts) {
  std::sort(counts.begin(), counts.end(),
            [](const lda::TermCount& a, const lda::TermCount& b) { return a.term < b.term; });
  return std::adjacent_find(counts.begin(), counts.end(),
                            [](const lda::TermCount& a, const lda::TermCount& b) {
                              return a.term == b.term;
                            }) == counts.end();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DocumentReader>> BagOfWordsReader::Open(
    absl::string_view path, const lda::Vocabulary& vocabulary) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<LineReader> lines, LineReader::Open(path, kMaxLineBytes));
  std::unique_ptr<BagOfWordsReader> reader(
      new BagOfWordsReader(std::move(lines), static_cast<int64_t>(vocabulary.size())));
  TW_RETURN_IF_ERROR(reader->ReadHeader());
  TW_RETURN_IF_ERROR(reader->ReadCountLine());
  return reader;
}

absl::Status BagOfWordsReader::Untrusted(absl::string_view rule) const {
  return absl::InvalidArgumentError(
      absl::StrCat(lines_->path(), ", line ", lines_->line_number(), ": ", rule));
}

absl::Status BagOfWordsReader::ReadHeader() {
  int64_t num_terms = 0;
  for (int64_t* number : {&num_documents_, &num_terms, &num_count_lines_}) {
    absl::string_view line;
    TW_ASSIGN_OR_RETURN(const LineReader::Found found, lines_->Next(&line));
    if (found != LineReader::Found::kLine || !ParseNumbers(line, absl::MakeSpan(number, 1))) {
      return Untrusted("the first three lines must be one number each: documents, terms, counts");
    }
  }
  if (num_documents_ < 1 || num_documents_ > kMaxUnits) {
    return absl::InvalidArgumentError(absl::StrCat(
        lines_->path(), ", line 1: the number of documents must be in [1, ", kMaxUnits, "]"));
  }
  if (num_terms != num_terms_) {
    return absl::InvalidArgumentError(absl::StrCat(lines_->path(),
                                                   ", line 2: the number of terms must be that "
                                                   "of the vocabulary file, ",
                                                   num_terms_));
  }
  return absl::OkStatus();
}

// Reads one line into next_, or finds the end where it was announced.
absl::Status BagOfWordsReader::ReadCountLine() {
  absl::string_view line;
  TW_ASSIGN_OR_RETURN(const LineReader::Found found, lines_->Next(&line));
  if (found == LineReader::Found::kEnd) {
    at_end_ = true;
    if (count_lines_read_ == num_count_lines_) return absl::OkStatus();
    return Untrusted("the file ends before the number of counts its third line announces");
  }
  const int64_t previous_document = next_.document;
  int64_t numbers[3] = {};
  if (found != LineReader::Found::kLine || !ParseNumbers(line, absl::MakeSpan(numbers))) {
    return Untrusted("must be three numbers: document, term, count");
  }
  next_ = {.document = numbers[0], .term = numbers[1], .count = numbers[2]};
  if (next_.document < 1 || next_.document > num_documents_ || next_.document < previous_document) {
    return Untrusted("document numbers must be from 1 to that of line 1 and never decrease");
  }
  if (++count_lines_read_ > num_count_lines_) {
    return Untrusted("the file has more counts than its third line announces");
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> BagOfWordsReader::Next(SourceDocument* document) {
  if (documents_given_ == num_documents_) return false;
  const int64_t number = ++documents_given_;
  document->id = absl::StrCat(number);
  document->name = absl::StrCat("document ", number);
  document->owner.clear();
  document->counts.clear();
  document->problem = Problem::kNone;
  // Ids are places: a document without a line keeps its number, or all behind it would have
  // another's.
  if (at_end_ || next_.document != number) {
    document->line = 1;  // which is all that speaks of it
    document->problem = Problem::kEmpty;
    return true;
  }
  document->line = lines_->line_number();
  while (!at_end_ && next_.document == number) {
    // Read to its end, also after a problem, or the rest of it would be taken for another document.
    const Problem problem = TakeCount(next_, document);
    if (document->problem == Problem::kNone) document->problem = problem;
    TW_RETURN_IF_ERROR(ReadCountLine());
  }
  if (document->problem == Problem::kNone && !SortTerms(document->counts)) {
    document->problem = Problem::kBadTerm;
  }
  return true;
}

Problem BagOfWordsReader::TakeCount(const CountLine& line, SourceDocument* document) const {
  if (line.term < 1 || line.term > num_terms_) return Problem::kBadTerm;
  if (line.count < 1 || line.count > std::numeric_limits<uint32_t>::max()) {
    return Problem::kBadCount;
  }
  document->counts.push_back(
      {.term = static_cast<uint32_t>(line.term - 1), .count = static_cast<uint32_t>(line.count)});
  return Problem::kNone;
}

}  // namespace topicwall::corpus
