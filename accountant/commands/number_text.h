// Numbers as a person or a file writes them, taken strictly.
//
// The whole text, blanks at its ends aside, must be one decimal number that a double can hold:
// "inf", "nan", "1e999", "0x10", "1,5", "12abc" and "" are refused. `field` is the name the error
// begins with; errors are INVALID_ARGUMENT and repeat the text. PUBLIC, stateless.
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_NUMBER_TEXT_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_NUMBER_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::accountant {

absl::StatusOr<double> ParseNumber(absl::string_view field, absl::string_view text);

// A number of releases: a whole number in [0, kMostReleases]; "20", "20.0" and "2e1" are the same.
absl::StatusOr<int64_t> ParseSteps(absl::string_view field, absl::string_view text);

// The shortest of %.15g, %.16g and %.17g that reads back as the same double; "inf" for +infinity.
std::string RoundTripText(double value);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_COMMANDS_NUMBER_TEXT_H_
