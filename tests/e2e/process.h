// Programs run by tests: once to the end, or in the background until told otherwise.
#ifndef TOPICWALL_TESTS_E2E_PROCESS_H_
#define TOPICWALL_TESTS_E2E_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace topicwall::testing {

using Environment = std::map<std::string, std::string>;  // added to the test's own

// What a program may use, 0 = as much as the test itself. Soft limits: prlimit(2) lifts them.
struct ProcessLimits {
  uint64_t file_bytes = 0;  // of any one file
  uint64_t open_files = 0;
};

struct Finished {
  int exit_code;       // or 128 + signal
  std::string output;  // standard output and standard error together
};

// Of a command line without quotes.
inline std::vector<std::string> Words(absl::string_view line) {
  return absl::StrSplit(line, ' ', absl::SkipEmpty());
}

// Runs a program to its end with an empty standard input.
Finished RunToEnd(const std::vector<std::string>& command, const Environment& environment = {});

// A program in the background; killed and reaped with the object.
class Background {
 public:
  Background(const std::vector<std::string>& command, const std::string& output_path,
             const Environment& environment = {}, const ProcessLimits& limits = {});
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal);
  // The program and those that it has started.
  std::vector<pid_t> Family() const;
  // Of those, the one that runs this program; 0 if there is none.
  pid_t Child(const std::string& program) const;
  // That one, once there is one: it may just be started, or anew. 0 if there is none for a minute.
  pid_t AwaitChild(const std::string& program) const;
  // Kills it. False if there is none. (kill(2) takes 0 for the caller's own group.)
  bool KillChild(const std::string& program) const;
  // The sum of a number of their /proc/PID/status, e.g. of "VmRSS:" (KiB).
  int64_t StatusField(const std::string& field) const;
  bool IsRunning();
  // Waits for the end; the exit code as in Finished.
  int Wait();

 private:
  pid_t pid_;
  bool reaped_ = false;
  int exit_code_ = 0;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_PROCESS_H_
