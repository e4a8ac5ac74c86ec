// A folder of its own for every test, so that tests run side by side and leave nothing
// behind; and files in it.
#ifndef TOPICWALL_TESTS_SERVER_CORPUS_SCRATCH_FOLDER_H_
#define TOPICWALL_TESTS_SERVER_CORPUS_SCRATCH_FOLDER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace topicwall::corpus {

class ScratchFolder {
 public:
  ScratchFolder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ =
        absl::StrCat(::testing::TempDir(), "corpus_", getpid(), "_",
                     absl::StrReplaceAll(absl::StrCat(info->test_suite_name(), "_", info->name()),
                                         {{"/", "_"}}));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string Path(const std::string& name) const { return path_ + "/" + name; }

  std::string Write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }

  std::string Content(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  // Names of everything in the folder.
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

}  // namespace topicwall::corpus

#endif  // TOPICWALL_TESTS_SERVER_CORPUS_SCRATCH_FOLDER_H_
