#include "tests/e2e/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace topicwall::testing {
namespace {

int ExitCode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The soft limit only, so that the test can lift it again.
void Limit(decltype(RLIMIT_NOFILE) what, uint64_t value) {
  rlimit limit{};
  if (value == 0) return;
  if (getrlimit(what, &limit) != 0) _exit(126);
  limit.rlim_cur = value;
  if (setrlimit(what, &limit) != 0) _exit(126);
}

// Never returns in the child. `output` becomes its standard output and error.
pid_t Start(const std::vector<std::string>& command, int output, const Environment& environment,
            const ProcessLimits& limits) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that dies leaves nothing running
  signal(SIGINT, SIG_DFL);           // also where a script has the tests in the background
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  Limit(RLIMIT_NOFILE, limits.open_files);
  Limit(RLIMIT_FSIZE, limits.file_bytes);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

Finished RunToEnd(const std::vector<std::string>& command, const Environment& environment) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {.exit_code = 127, .output = "no pipe"};
  const pid_t pid = Start(command, ends[1], environment, {});
  close(ends[1]);
  Finished finished{.exit_code = 0, .output = ""};
  std::array<char, 4096> buffer;
  ssize_t count;
  while ((count = read(ends[0], buffer.data(), buffer.size())) > 0) {
    finished.output.append(buffer.data(), static_cast<size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  finished.exit_code = ExitCode(status);
  return finished;
}

Background::Background(const std::vector<std::string>& command, const std::string& output_path,
                       const Environment& environment, const ProcessLimits& limits) {
  const int output = open(output_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  pid_ = Start(command, output, environment, limits);
  close(output);
}

Background::~Background() {
  Signal(SIGKILL);
  Wait();
}

void Background::Signal(int signal) {
  if (!reaped_) kill(pid_, signal);
}

std::vector<pid_t> Background::Family() const {
  std::vector<pid_t> family = {pid_};
  const std::string process = std::to_string(pid_);
  std::ifstream children("/proc/" + process + "/task/" + process + "/children");
  for (pid_t child = 0; children >> child;) family.push_back(child);
  return family;
}

pid_t Background::Child(const std::string& program) const {
  for (const pid_t process : Family()) {
    std::string name;  // the kernel keeps 15 letters of it
    std::ifstream file("/proc/" + std::to_string(process) + "/comm");
    if (process != pid_ && std::getline(file, name) && name == program.substr(0, 15)) {
      return process;
    }
  }
  return 0;
}

pid_t Background::AwaitChild(const std::string& program) const {
  pid_t child = Child(program);
  for (int tries = 0; child == 0 && tries < 12000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    child = Child(program);
  }
  return child;
}

bool Background::KillChild(const std::string& program) const {
  const pid_t child = AwaitChild(program);
  return child != 0 && kill(child, SIGKILL) == 0;
}

int64_t Background::StatusField(const std::string& field) const {
  int64_t sum = 0;
  for (const pid_t process : Family()) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    int64_t number = 0;
    for (std::string word; status >> word;) {
      if (word == field) status >> number;
    }
    sum += number;
  }
  return sum;
}

bool Background::IsRunning() {
  if (reaped_) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  reaped_ = true;
  exit_code_ = ExitCode(status);
  return false;
}

int Background::Wait() {
  if (reaped_) return exit_code_;
  int status = 0;
  waitpid(pid_, &status, 0);
  reaped_ = true;
  exit_code_ = ExitCode(status);
  return exit_code_;
}

}  // namespace topicwall::testing
