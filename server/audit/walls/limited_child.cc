#include "server/audit/walls/limited_child.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace topicwall::audit {
namespace {

// Of a child that may not be limited. Others that it ends with are 0 and 1.
constexpr int kNotLimited = 3;

// A line "VmSize:  123 kB" of /proc/self/status, in bytes; 0 if there is none.
int64_t OwnStatus(const std::string& field) {
  std::ifstream file("/proc/self/status");
  std::string name;
  int64_t kilobytes = 0;
  while (file >> name) {
    if (name == field && file >> kilobytes) return kilobytes * 1024;
    file.ignore(1 << 16, '\n');
  }
  return 0;
}

void Limit(int64_t bytes) {
  const auto limit = static_cast<rlim_t>(bytes);
  const rlimit both = {.rlim_cur = limit, .rlim_max = limit};
  if (setrlimit(RLIMIT_AS, &both) != 0) _exit(kNotLimited);
}

// In the child: "GROWTH TEXT" into the pipe.
[[noreturn]] void WorkAndEnd(absl::FunctionRef<absl::Status()> prepare,
                             absl::FunctionRef<std::string()> work, int64_t most_growth,
                             int pipe_end) {
  // What a dying child has to say is no part of the audit's.
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0) _exit(1);
  // An arena for each thread would take address space by how threads happen to run.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 16);
  if (!prepare().ok()) _exit(1);
  const int64_t before = OwnStatus("VmSize:");
  if (most_growth != kNoLimit) Limit(before + most_growth);
  std::string text;
  try {
    text = work();
  } catch (const std::exception&) {
    text = "an exception";
  }
  const std::string line = absl::StrCat(OwnStatus("VmPeak:") - before, " ", text);
  // Not exit: what the parent has registered to be done at its end is not done twice.
  _exit(write(pipe_end, line.data(), line.size()) == static_cast<ssize_t>(line.size()) ? 0 : 1);
}

std::string ReadAll(int pipe_end) {
  std::string text;
  std::array<char, 512> buffer;
  while (true) {
    const ssize_t got = read(pipe_end, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string HowItDied(int status) {
  if (WIFSIGNALED(status)) return absl::StrCat("ended by signal ", WTERMSIG(status));
  return "could not be prepared";
}

}  // namespace

absl::StatusOr<ChildEnding> RunLimited(absl::FunctionRef<absl::Status()> prepare,
                                       absl::FunctionRef<std::string()> work, int64_t most_growth) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) return absl::UnavailableError("no pipe to a child process");
  const pid_t child = fork();
  if (child == 0) WorkAndEnd(prepare, work, most_growth, ends[1]);
  // Ours must be closed, or the reading below never comes to an end.
  close(ends[1]);
  const std::string line = child > 0 ? ReadAll(ends[0]) : "";
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    return absl::UnavailableError("no child process");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotLimited) {
    return absl::UnavailableError(
        "the address space of a child process cannot be limited: it is by less already. Lift "
        "ulimit -v.");
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  ChildEnding ending = {.died = false, .text = std::string(parts.second), .most_growth = 0};
  // A child that wrote and then died has died all the same.
  if (status != 0 || !absl::SimpleAtoi(parts.first, &ending.most_growth)) {
    return ChildEnding{.died = true, .text = HowItDied(status), .most_growth = 0};
  }
  return ending;
}

}  // namespace topicwall::audit
