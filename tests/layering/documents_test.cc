// What the documents say of the tests is true: a page that tells who checks a threat would go on
// telling it after the test is gone.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace topicwall::layering {
namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> FilesUnder(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(folder);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename();
    if (entry->is_directory() && (name == "build" || name[0] == '.')) {
      entry.disable_recursion_pending();
    } else if (entry->path().extension() == extension) {
      files.push_back(entry->path());
    }
  }
  return files;
}

// "Suite.Name" of every test in the sources.
std::set<std::string> Tests() {
  static const std::regex kTest(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
  std::set<std::string> tests;
  for (const fs::path& path : FilesUnder(fs::path(TOPICWALL_SOURCE_DIR) / "tests", ".cc")) {
    const std::string text = Read(path);
    for (std::sregex_iterator match(text.begin(), text.end(), kTest), end; match != end; ++match) {
      tests.insert((*match)[1].str() + "." + (*match)[2].str());
    }
  }
  return tests;
}

TEST(Documents, NameOnlyTestsThatExist) {
  static const std::regex kNamed(R"(`([A-Z]\w+\.[A-Z]\w+)`)");
  const std::set<std::string> tests = Tests();
  int named = 0;
  for (const fs::path& path : FilesUnder(TOPICWALL_SOURCE_DIR, ".md")) {
    const std::string text = Read(path);
    for (std::sregex_iterator match(text.begin(), text.end(), kNamed), end; match != end; ++match) {
      EXPECT_TRUE(tests.contains((*match)[1])) << path << " names " << (*match)[1];
      ++named;
    }
  }
  EXPECT_GT(named, 20) << "the pattern finds nothing";
}

}  // namespace
}  // namespace topicwall::layering
