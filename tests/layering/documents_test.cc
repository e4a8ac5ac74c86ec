// What the documents name is there: a page that tells who checks a threat, or where something
// stands, would go on telling it after the test or the file is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace topicwall::layering {
namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& path) { return testing::ReadWholeFile(path); }

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

// What looks like a path of ours at the start of a `quotation`: names with slashes between them.
// What is built, and tests of a suite that is instantiated, are none.
std::vector<std::string> PathsNamedIn(const std::string& text) {
  static const std::regex kQuoted(R"(`([\w.-]+(?:/[\w.-]+)*/?)(?: [^`\n]*)?`)");
  static const std::regex kNotOurs(R"(build/.*|.*/[A-Z]\w+\.[A-Z]\w+/.*)");
  std::vector<std::string> paths;
  for (std::sregex_iterator match(text.begin(), text.end(), kQuoted), end; match != end; ++match) {
    const std::string named = (*match)[1];
    const bool path = named.find('/') != std::string::npos;
    if (path && !std::regex_match(named, kNotOurs)) paths.push_back(named);
  }
  return paths;
}

TEST(Documents, PathsAreFoundAmongWhatIsQuoted) {
  EXPECT_THAT(
      PathsNamedIn("`a/b.h`, `.ci/run`, `deploy/x --all` and `server/`; not `word`, `a or/b`, "
                   "`build/release/bin/x`, `K/Suite.Name/p` or `tests/<room>`"),
      ::testing::ElementsAre("a/b.h", ".ci/run", "deploy/x", "server/"));
}

// From the root, or from the document's own folder.
TEST(Documents, NameOnlyPathsThatExist) {
  const fs::path root = TOPICWALL_SOURCE_DIR;
  int named = 0;
  for (const fs::path& document : FilesUnder(root, ".md")) {
    for (const std::string& path : PathsNamedIn(Read(document))) {
      EXPECT_TRUE(fs::exists(root / path) || fs::exists(document.parent_path() / path))
          << document << " names " << path;
      ++named;
    }
  }
  EXPECT_GT(named, 100) << "the pattern finds nothing";
}

// The pages at the root that somebody who carries the project on looks for.
TEST(Documents, AreThereForWhoeverCarriesItOn) {
  for (const char* page : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md",
                           "SECURITY.md", "LICENSE"}) {
    EXPECT_NE(Read(fs::path(TOPICWALL_SOURCE_DIR) / page), "") << page;
  }
}

}  // namespace
}  // namespace topicwall::layering
