#include "server/corpus/ingest/repeated_lines.h"

#include <iterator>

#include "absl/strings/str_cat.h"

namespace topicwall::corpus {

void RepeatedLines::Add(int64_t line, int64_t first_line) {
  ++size_;
  kept_[line] = first_line;
  // The largest number goes: they come in the order of keyed names, and the first in the file are
  // wanted.
  if (kept_.size() > kRepeatedLinesNamed) kept_.erase(std::prev(kept_.end()));
}

std::string RepeatedLines::Text() const {
  std::string text;
  for (const auto& [line, first_line] : kept_) {
    absl::StrAppend(&text, "\n  line ", line, " repeats line ", first_line);
  }
  const int64_t unnamed = size_ - static_cast<int64_t>(kept_.size());
  if (unnamed > 0) absl::StrAppend(&text, "\n  and ", unnamed, " more");
  return text;
}

}  // namespace topicwall::corpus
