// A folder of its own for a test, under gtest's or another, gone with everything in it afterwards;
// and files in it.
#ifndef TOPICWALL_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_
#define TOPICWALL_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace topicwall::testing {

inline std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteWholeFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() : TemporaryDirectory(::testing::TempDir()) {}
  explicit TemporaryDirectory(const std::string& parent) {
    std::string name = std::filesystem::canonical(parent) / "topicwall.XXXXXX";
    path_ = mkdtemp(name.data()) == nullptr ? "/nonexistent" : name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

  // Makes the folders on its way. Returns Path(name).
  std::string Write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    WriteWholeFile(Path(name), content);
    return Path(name);
  }
  std::string Content(const std::string& name) const { return ReadWholeFile(Path(name)); }

  // Of everything that is right in it.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::string path_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_
