// In a row that keeps the rules every quote has its other one, so that a line with an odd number of
// them goes on in the next: the row is put together first and cut into fields then.
#include "base/csv.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace topicwall::base {
namespace {

bool IsWithinQuotes(absl::string_view text) {
  return std::count(text.begin(), text.end(), '"') % 2 == 1;
}

// Takes one from the front of `rest`, which begins with a quote.
absl::StatusOr<std::string> TakeQuoted(absl::string_view& rest) {
  std::string field;
  rest.remove_prefix(1);
  while (true) {
    const size_t quote = rest.find('"');
    if (quote == absl::string_view::npos) {
      return absl::InvalidArgumentError("a quote must be closed");
    }
    field.append(rest.data(), quote);
    rest.remove_prefix(quote + 1);
    // Doubled it is one of the text.
    if (!absl::ConsumePrefix(&rest, "\"")) return field;
    field.push_back('"');
  }
}

absl::StatusOr<std::string> TakePlain(absl::string_view& rest) {
  const absl::string_view field = rest.substr(0, rest.find(','));
  if (absl::StrContains(field, '"')) {
    return absl::InvalidArgumentError("a field with a quote must stand in quotes, and it doubled");
  }
  if (absl::StrContains(field, '\r')) {
    return absl::InvalidArgumentError("lines must end in LF or CR LF; there is a CR by itself");
  }
  rest.remove_prefix(field.size());
  return std::string(field);
}

}  // namespace

void SkipByteOrderMark(std::istream& input) {
  size_t taken = 0;
  const auto next = [&] { return static_cast<unsigned char>(kByteOrderMark[taken]); };
  while (taken < kByteOrderMark.size() && input.peek() == next()) {
    input.get();
    ++taken;
  }
  for (; taken < kByteOrderMark.size() && taken > 0; --taken) input.unget();
  input.clear();  // of a file that ends here, which is for whoever reads on to find
}

std::string CsvField(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// An empty cell is a missing number to whoever reads tables; "nan" would make the column text.
std::string CsvNumber(double value) { return std::isfinite(value) ? JsonNumber(value) : ""; }

bool CsvReader::ReadLine(std::string& line) {
  if (lines_read_ == 0) SkipByteOrderMark(input_);
  if (!std::getline(input_, line)) return false;
  ++lines_read_;
  return true;
}

absl::StatusOr<bool> CsvReader::Next(std::vector<std::string>& row) {
  row.clear();
  std::string text;
  do {
    if (!ReadLine(text)) return false;
  } while (text.empty() || text == "\r");
  line_ = lines_read_;
  bool is_open = IsWithinQuotes(text);
  for (std::string more; is_open; is_open ^= IsWithinQuotes(more)) {
    if (!ReadLine(more)) return absl::InvalidArgumentError("a quote must be closed");
    absl::StrAppend(&text, "\n", more);
  }
  absl::string_view rest = absl::StripSuffix(absl::string_view(text), "\r");
  do {
    TW_ASSIGN_OR_RETURN(std::string field,
                        absl::StartsWith(rest, "\"") ? TakeQuoted(rest) : TakePlain(rest));
    row.push_back(std::move(field));
  } while (absl::ConsumePrefix(&rest, ","));
  if (rest.empty()) return true;
  return absl::InvalidArgumentError("behind a closing quote must be a comma or the line's end");
}

}  // namespace topicwall::base
