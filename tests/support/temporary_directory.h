// A folder of its own for a test, under gtest's, gone with everything in it afterwards.
#ifndef TOPICWALL_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_
#define TOPICWALL_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace topicwall::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = std::filesystem::canonical(::testing::TempDir()) / "topicwall.XXXXXX";
    path_ = mkdtemp(name.data()) == nullptr ? "/nonexistent" : name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteWholeFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_
