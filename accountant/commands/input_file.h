// The one place of the program that opens files: a CSV table by path, or "-" for standard input;
// and progress on standard error.
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_INPUT_FILE_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_INPUT_FILE_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "accountant/commands/csv_table.h"

namespace topicwall::accountant {

// NOT_FOUND when it cannot be opened, else as CsvTable::Read.
absl::StatusOr<CsvTable> ReadCsvFile(const std::string& path);

// "420 of 1000" on a line of standard error that replaces itself: only on a terminal, only once
// two seconds have passed, and gone at the end.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(int64_t done, int64_t total);

 private:
  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_COMMANDS_INPUT_FILE_H_
