#include "tests/proto/field_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::proto {
namespace {

std::string TextOf(const std::string& path) {
  std::string text = testing::ReadWholeFile(absl::StrCat(TOPICWALL_SOURCE_DIR, "/", path));
  EXPECT_NE(text, "") << path;
  return text;
}

TEST(FieldTableTest, NoNumberIsUsedAgainAndNoTypeChangesUnnoticed) {
  const std::vector<std::string> rows = absl::StrSplit(FieldTable(), '\n');
  const std::vector<std::string> before = absl::StrSplit(TextOf(kFieldTablePath), '\n');
  for (const std::string& row : before) {
    EXPECT_TRUE(absl::c_linear_search(rows, row)) << "gone: " << row;
  }
  for (const std::string& row : rows) {
    EXPECT_TRUE(absl::c_linear_search(before, row)) << "new: " << row;
  }
  EXPECT_EQ(rows.size(), before.size())
      << "if it is meant: proto_test --write " << kFieldTablePath << ", and say why";
}

// By the sources, so that no message of a new model is forgotten.
TEST(FieldTableTest, HasTheOptionsOfEveryModel) {
  const std::string table = FieldTable();
  int messages = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TOPICWALL_SOURCE_DIR "/proto/models")) {
    if (entry.path().extension() != ".proto") continue;
    const std::string text = testing::ReadWholeFile(entry.path().string());
    const std::regex message("(?:^|\n)message (\\w+)");
    for (std::sregex_iterator found(text.begin(), text.end(), message), end; found != end;
         ++found) {
      ++messages;
      EXPECT_NE(table.find(absl::StrCat("topicwall.v1.", found->str(1), ",")), std::string::npos)
          << found->str(1);
    }
  }
  EXPECT_GT(messages, 0);
}

// Comments included; the project's own name excepted.
TEST(FieldTableTest, TheServiceAndTheLedgerNameNoModelsBusiness) {
  const std::regex project("topicwall", std::regex::icase);
  const std::regex named("topic|\\bword|_word|lda|e[_ -]?step|document_completion|models/[a-z]",
                         std::regex::icase);
  for (const char* path : {"proto/wall.proto", "proto/ledger.proto"}) {
    const std::string text = std::regex_replace(TextOf(path), project, "");
    for (std::sregex_iterator found(text.begin(), text.end(), named), end; found != end; ++found) {
      ADD_FAILURE() << path << " names \"" << found->str() << "\" in: ..."
                    << std::string(found->prefix()).substr(0, 0)
                    << text.substr(std::max<long>(0, found->position() - 60), 120);
    }
  }
}

}  // namespace
}  // namespace topicwall::proto
