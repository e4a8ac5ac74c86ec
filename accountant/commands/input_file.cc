#include "accountant/commands/input_file.h"

#include <unistd.h>

#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"

namespace topicwall::accountant {

absl::StatusOr<CsvTable> ReadCsvFile(const std::string& path) {
  if (path == "-") return CsvTable::Read(std::cin, "standard input");
  std::ifstream file(path);
  // A folder opens, but cannot be read.
  if (!file || (file.peek(), file.bad())) {
    return absl::NotFoundError(absl::StrCat(path, " cannot be read."));
  }
  file.clear();
  return CsvTable::Read(file, path);
}

ProgressLine::ProgressLine()
    : on_terminal_(::isatty(STDERR_FILENO) != 0),
      // Nothing before: what takes less than two seconds needs no progress.
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(2)) {}

// Wiped, not ended: what follows on the terminal begins in its place.
ProgressLine::~ProgressLine() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
}

void ProgressLine::Show(int64_t done, int64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_terminal_ || now < next_) return;
  std::cerr << "\r\x1b[K" << done << " of " << total << std::flush;
  shown_ = true;
  next_ = now + std::chrono::milliseconds(200);
}

}  // namespace topicwall::accountant
