#include "accountant/commands/number_text.h"

#include <cmath>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "accountant/events/dp_event.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// Long rubbish is not repeated in full.
std::string Shown(absl::string_view text) {
  constexpr size_t kLongest = 40;
  return absl::StrCat("\"", text.substr(0, kLongest), text.size() > kLongest ? "…" : "", "\"");
}

}  // namespace

// Not strtod: it reads what the locale calls a decimal point, takes hexadecimal numbers, and stops
// at the first thing that it does not understand. Out of range is an error, not infinity or 0: σ =
// 1e-400 must not be priced as something else.
absl::StatusOr<double> ParseNumber(absl::string_view field, absl::string_view text) {
  const absl::string_view number = absl::StripAsciiWhitespace(text);
  double value = 0;
  const absl::from_chars_result read =
      absl::from_chars(number.data(), number.data() + number.size(), value);
  const bool hexadecimal = number.find_first_of("xX") != absl::string_view::npos;
  const bool whole = !number.empty() && !hexadecimal && read.ptr == number.data() + number.size();
  if (!whole || read.ec != std::errc() || !std::isfinite(value)) {
    return absl::InvalidArgumentError(absl::StrCat(
        field, " must be a finite decimal number that a double can hold; got ", Shown(text), "."));
  }
  return value;
}

// By way of a double, so that 1e4 is a number of releases; whole numbers up to 2^40 are exact.
absl::StatusOr<int64_t> ParseSteps(absl::string_view field, absl::string_view text) {
  TW_ASSIGN_OR_RETURN(const double value, ParseNumber(field, text));
  if (!(value >= 0 && value <= static_cast<double>(kMostReleases)) || value != std::floor(value)) {
    return absl::InvalidArgumentError(absl::StrCat(field, " must be a whole number in [0, ",
                                                   kMostReleases, "]; got ", Shown(text), "."));
  }
  return static_cast<int64_t>(value);
}

std::string RoundTripText(double value) {
  std::string text;
  // 17 digits always lead back to the same double, 15 mostly do and are easier to read.
  for (int digits = 15; digits <= 17; ++digits) {
    text = absl::StrFormat("%.*g", digits, value);
    double back = 0;
    absl::from_chars(text.data(), text.data() + text.size(), back);
    if (back == value) break;
  }
  return text;
}

}  // namespace topicwall::accountant
