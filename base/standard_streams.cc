#include "base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace topicwall::base {
namespace {

int print_error = 0;  // the first errno of standard output

// The stream knows that it failed, and not why; after that it writes nothing.
void Flush() {
  if (std::cout) {
    errno = 0;
    std::cout.flush();
  }
  if (!std::cout && print_error == 0) print_error = errno != 0 ? errno : EIO;
}

}  // namespace

// Not for writing: what is printed there shall fail.
void OccupyStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) return;
  }
}

void Print(absl::string_view text) {
  errno = 0;
  std::cout << text;
  Flush();
}

absl::Status Printed() {
  Flush();  // also what others print there: help
  // Who closed a pipe, as head does, has read what they wanted.
  if (print_error == 0 || print_error == EPIPE) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("cannot write standard output: ", std::generic_category().message(print_error),
                   ". What stands there is cut off: give it another place, "
                   "and the same command again."));
}

int CodeAfterPrinting(absl::string_view program, int code) {
  const absl::Status printed = Printed();
  if (printed.ok()) return code;
  std::cerr << program << ": " << printed.message() << std::endl;
  return code != 0 ? code : 1;
}

}  // namespace topicwall::base
