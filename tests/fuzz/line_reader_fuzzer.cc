// server/corpus/ingest/line_reader.h against splitting the whole text at once.
//
// Input: the longest line (1 byte), a distance (2), then the text. With a distance the text stands
// that many bytes before the end of the reader's first portion, behind a first line of padding.
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/corpus/ingest/line_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"
#include "tests/fuzz/memory_file.h"

namespace topicwall::fuzz {
namespace {

using Found = corpus::LineReader::Found;

constexpr size_t kPortion = size_t{1} << 14;

Verdict Run(absl::string_view input) {
  static MemoryFile& file = *new MemoryFile();
  InputCursor cursor(input);
  const size_t longest = cursor.Take<uint8_t>();
  const size_t distance = cursor.Take<uint16_t>() % kPortion;
  std::string text;
  if (distance > 0) text = std::string(kPortion - distance, 'p') + "\n";
  const absl::string_view rest = cursor.Rest();
  text.append(rest.data(), rest.size());
  file.Replace(text);

  auto reader = corpus::LineReader::Open(file.path(), longest);
  Require(reader.ok(), "a file that is there can be opened");
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  int64_t number = 0;
  for (const absl::string_view expected : lines) {
    absl::string_view line;
    const absl::StatusOr<Found> found = (*reader)->Next(&line);
    const bool too_long = expected.size() > longest;
    Require(found.ok() && *found == (too_long ? Found::kTooLong : Found::kLine),
            "every line is given, in order, and only long ones as too long");
    absl::string_view content = too_long ? absl::string_view() : expected;
    while (absl::ConsumePrefix(&content, "\xEF\xBB\xBF")) {
    }
    Require(line == content, "a line is what stands in it behind byte order marks");
    Require((*reader)->line_number() == ++number, "lines are numbered from 1");
    const double fraction = (*reader)->FractionRead();
    Require(fraction >= 0 && fraction <= 1, "what has been read is a fraction");
  }
  absl::string_view line;
  const absl::StatusOr<Found> end = (*reader)->Next(&line);
  Require(end.ok() && *end == Found::kEnd, "after the last line comes the end");
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() {
  const std::string header = std::string("\x05", 1) + NumberOf<uint16_t>(0);
  return {header + "one\ntwo\n\nthree", header + "too long a line\nnot\n",
          header +
              "\xEF\xBB\xBF"
              "a\n\xEF\xBB\xBF",
          std::string("\x03", 1) + NumberOf<uint16_t>(5) + "ab\ncdef\ng\n"};
}

[[maybe_unused]] const bool registered =
    Register({.name = "line_reader", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
