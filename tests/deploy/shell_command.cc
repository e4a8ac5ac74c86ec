#include "tests/deploy/shell_command.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace topicwall::deploy {

Outcome RunShell(const std::string& line) {
  std::FILE* const pipe = popen(("(" + line + ") </dev/null 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot start a shell"};
  std::string output;
  std::array<char, 4096> buffer;
  while (const size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), size);
  }
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

std::string Deployed(const std::string& name) { return TOPICWALL_SOURCE_DIR "/deploy/" + name; }

}  // namespace topicwall::deploy
