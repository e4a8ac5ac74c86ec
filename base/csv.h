// Fields of a CSV file (RFC 4180): rows end in CR LF, a field with a comma, a quote or an end of a
// line stands in quotes. A number reads back as the same double; one that cannot be told, NaN or
// infinite, is empty. Pure.
#ifndef TOPICWALL_BASE_CSV_H_
#define TOPICWALL_BASE_CSV_H_

#include <string>

#include "absl/strings/string_view.h"

namespace topicwall::base {

std::string CsvField(absl::string_view text);
std::string CsvNumber(double value);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_CSV_H_
