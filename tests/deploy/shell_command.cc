#include "tests/deploy/shell_command.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

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

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteWhole(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void FolderTest::SetUp() {
  std::string pattern = ::testing::TempDir() + "/topicwall-deploy-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
}

void FolderTest::TearDown() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace topicwall::deploy
