// The header is a literal of Python's, which NumPy itself evaluates. Here it is a list of three
// keys, read by a hand that knows no other words: whatever else Python would allow there, no
// program writes.
#include "model/data/npy.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/little_endian.h"
#include "base/status_macros.h"
#include "model/data/bounded_vector.h"

namespace topicwall::model {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";

absl::Status Refuse(absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat(
      rule, ". Write it by numpy.save(name, numpy.ascontiguousarray(vectors, dtype='<f4'))."));
}

// Takes `word` and the blanks before it from the front.
bool Take(absl::string_view word, absl::string_view* text) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  return absl::ConsumePrefix(text, word);
}

// What stands in quotes, of either kind, without any inside.
std::optional<absl::string_view> TakeQuoted(absl::string_view* text) {
  for (const char quote : {'\'', '"'}) {
    if (!Take(absl::string_view(&quote, 1), text)) continue;
    const size_t end = text->find(quote);
    if (end == absl::string_view::npos) return std::nullopt;
    const absl::string_view word = text->substr(0, end);
    text->remove_prefix(end + 1);
    return word;
  }
  return std::nullopt;
}

// Digits alone, and no more of them than the largest number here has.
std::optional<int64_t> TakeNumber(absl::string_view* text) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  if (text->empty() || !absl::ascii_isdigit(static_cast<unsigned char>(text->front()))) {
    return std::nullopt;
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

absl::Status TakeDescr(absl::string_view* text, NpyHeader* header) {
  const std::optional<absl::string_view> descr = TakeQuoted(text);
  if (descr != "<f4" && descr != "<f8") {
    return Refuse("descr must be '<f4' or '<f8': little-endian float32 or float64");
  }
  header->number_bytes = *descr == "<f4" ? 4 : 8;
  return absl::OkStatus();
}

absl::Status TakeShape(absl::string_view* text, NpyHeader* header) {
  const char* const rule = "shape must be (rows, columns), two whole numbers";
  if (!Take("(", text)) return Refuse(rule);
  const std::optional<int64_t> rows = TakeNumber(text);
  if (!rows.has_value() || !Take(",", text)) return Refuse(rule);
  const std::optional<int64_t> columns = TakeNumber(text);
  if (!columns.has_value()) return Refuse(rule);
  // NumPy writes none here, and Python would allow one.
  Take(",", text);
  if (!Take(")", text)) return Refuse(rule);
  // Before anything is multiplied by it.
  if (*rows > kMaxNpyRows) return Refuse(absl::StrCat("rows must be at most ", kMaxNpyRows));
  if (*columns < 1 || *columns > kMaxVectorDimension) {
    return Refuse(absl::StrCat("columns must be in [1, ", kMaxVectorDimension, "]"));
  }
  header->rows = *rows;
  header->columns = static_cast<int>(*columns);
  return absl::OkStatus();
}

absl::Status TakeDictionary(absl::string_view text, NpyHeader* header) {
  const char* const rule =
      "the header must be a dictionary of descr, fortran_order and shape, each once";
  bool descr = false;
  bool order = false;
  bool shape = false;
  if (!Take("{", &text)) return Refuse(rule);
  while (!Take("}", &text)) {
    const std::optional<absl::string_view> key = TakeQuoted(&text);
    if (!key.has_value() || !Take(":", &text)) return Refuse(rule);
    bool* const seen = key == "descr"           ? &descr
                       : key == "fortran_order" ? &order
                       : key == "shape"         ? &shape
                                                : nullptr;
    if (seen == nullptr || *seen) return Refuse(rule);
    *seen = true;
    absl::Status status;
    if (seen == &descr) status = TakeDescr(&text, header);
    if (seen == &shape) status = TakeShape(&text, header);
    if (seen == &order && !Take("False", &text)) {
      status = Refuse("fortran_order must be False: rows one behind the other");
    }
    if (!status.ok()) return status;
    // The comma behind the last one may be left out.
    if (!Take(",", &text) && !absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "}")) {
      return Refuse(rule);
    }
  }
  if (!descr || !order || !shape || !absl::StripAsciiWhitespace(text).empty()) return Refuse(rule);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view beginning) {
  absl::string_view rest = beginning;
  if (!absl::ConsumePrefix(&rest, kMagic)) return Refuse("must be an array in NumPy's format");
  if (rest.size() < 2 || (rest[0] != 1 && rest[0] != 2) || rest[1] != 0) {
    return Refuse("the format's version must be 1.0 or 2.0");
  }
  const size_t length_bytes = rest[0] == 1 ? 2 : 4;
  rest.remove_prefix(2);
  if (rest.size() < length_bytes) return Refuse("the file ends within its header");
  const size_t length = length_bytes == 2 ? base::FromLittleEndian<uint16_t>(rest)
                                          : base::FromLittleEndian<uint32_t>(rest);
  rest.remove_prefix(length_bytes);
  NpyHeader header = {};
  header.size = beginning.size() - rest.size();
  // Before it is believed: a file may say anything.
  if (length > kMaxNpyHeaderBytes - header.size) {
    return Refuse(absl::StrCat("the header must have at most ", kMaxNpyHeaderBytes, " bytes"));
  }
  if (length > rest.size()) return Refuse("the file ends within its header");
  header.size += length;
  TW_RETURN_IF_ERROR(TakeDictionary(rest.substr(0, length), &header));
  return header;
}

absl::Status CheckNpyFile(const NpyHeader& header, int dimension, int64_t file_bytes) {
  if (header.columns != dimension) {
    return absl::InvalidArgumentError(absl::StrCat("columns must be the ", dimension,
                                                   " dimensions of the vectors; they are ",
                                                   header.columns));
  }
  if (file_bytes < header.FileBytes()) {
    return absl::InvalidArgumentError(
        "the file ends before the last of the rows that it announces");
  }
  // Whatever stands behind would be rows that somebody meant and nobody counts.
  if (file_bytes > header.FileBytes()) {
    return absl::InvalidArgumentError("the file goes on behind the last of the rows it announces");
  }
  return absl::OkStatus();
}

void DecodeNpyRow(const NpyHeader& header, absl::string_view row, absl::Span<double> numbers) {
  if (header.number_bytes == 8) {
    std::memcpy(numbers.data(), row.data(), row.size());
    return;
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    float number = 0;
    std::memcpy(&number, row.data() + i * sizeof(number), sizeof(number));
    numbers[i] = number;
  }
}

}  // namespace topicwall::model
