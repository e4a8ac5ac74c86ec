// That what deploy/measure-house prints is counted: every house here is made up, and small enough
// to be counted by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class MeasureHouse : public FolderTest {
 protected:
  void Plant(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(Path(path)).parent_path());
    WriteWholeFile(Path(path), text);
  }

  Outcome Measure(const std::string& options = "") {
    return RunShell(absl::StrCat(Deployed("measure-house"), " --root ", Path(""), " ", options));
  }
};

std::string Statements(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) absl::StrAppend(&lines, "  Call(\"}\");  // {\n");
  return lines;
}

TEST_F(MeasureHouse, CountsLinesThatAreNotBlankOfTheRoomsAlone) {
  Plant("server/a.cc", "// Why.\n\nint a;\n");
  Plant("base/b.h", "int b;\n");
  Plant("deploy/study/c.cc", "int c;\n");
  Plant("tests/server/a_test.cc", "int d;\nint e;\n");
  EXPECT_THAT(Measure().output, AllOf(ContainsRegex("product C\\+\\+ lines +3 "),
                                      ContainsRegex("test C\\+\\+ lines +2 "),
                                      ContainsRegex("comment lines of .cc, percent +50.0 ")));
}

TEST_F(MeasureHouse, FindsAFunctionThatIsALineTooLong) {
  Plant("server/a.cc", absl::StrCat("namespace a {\nclass B {\n public:\n  B() : b_{1} {}\n};\n",
                                    "int F(int x) {\n", Statements(59), "}\n}\n"));
  EXPECT_THAT(Measure().output, ContainsRegex("longest function +60 .* ok +server/a.cc:6\n"));
  Plant("server/a.cc",
        absl::StrCat("constexpr int kA[] = {\n  1,\n};\n",
                     "B::B(int b)\n    : b_{b} {\n  for (;;) {\n", Statements(58), "  }\n}\n"));
  EXPECT_THAT(Measure().output, ContainsRegex("longest function +61 .* not yet +server/a.cc:5\n"));
}

TEST_F(MeasureHouse, NamesTheFullestRoomAndCountsAHeaderAndItsSourceOnce) {
  Plant("server/a.cc", "int a;\n");
  for (const char* file : {"a.h", "a.cc", "b.h"}) Plant(absl::StrCat("client/", file), "int a;\n");
  EXPECT_THAT(Measure().output, ContainsRegex("fullest room +2 .* ok +client; 0 of 2 rooms"));
}

TEST_F(MeasureHouse, SeesWhatIsOutOfItsPlace) {
  Plant("client/a.cc", "#include <sqlite3.h>\n  ::rename(a, b);\n  std::rename(a, b);\n");
  Plant("server/corpus/b.cc", "#include <sqlite3.h>\n");
  Plant("base/c.cc", "  ::rename(a, b);\nEVP_MD_CTX_new();\n");
  Plant("server/d.h", "  friend class audit::Reading;\n");
  EXPECT_THAT(Measure().output, AllOf(ContainsRegex("SQLite elsewhere +1 .* client/a.cc"),
                                      ContainsRegex("rename\\(\\) outside base +2 "),
                                      ContainsRegex("EVP_MD_CTX_new outside base +0 .* ok"),
                                      ContainsRegex("friend class of the audit +1 ")));
}

TEST_F(MeasureHouse, KnowsAModelsWordsFromTheNameOfTheProject) {
  Plant("server/a.cc", "int a;\n");
  Plant("proto/wall.proto", "package topicwall.v1;\nmessage Password { bytes keyword = 1; }\n");
  Plant("proto/ledger.proto", "int32 num_topics = 9;\nmessage RunEStep {}\nint32 units = 1;\n");
  EXPECT_THAT(Measure().output, AllOf(ContainsRegex("in proto/wall.proto +0 .* ok"),
                                      ContainsRegex("in proto/ledger.proto +2 .* not yet")));
}

TEST_F(MeasureHouse, WhatIsNotThereIsSaidAndOnlyCheckFails) {
  Plant("server/a.cc", "int a;\n");
  const Outcome outcome = Measure();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, ContainsRegex("in proto/wall.proto +no such file yet"));
  EXPECT_EQ(Measure("--check").exit_code, 1);
}

TEST_F(MeasureHouse, PrintsTheSameAsJson) {
  Plant("server/a.cc", "int a;\n");
  EXPECT_THAT(Measure("--json").output,
              HasSubstr("\"name\": \"product C++ lines\",\n  \"value\": 1,\n"));
}

}  // namespace
}  // namespace topicwall::deploy
