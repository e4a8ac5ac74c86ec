#include "tests/proto/field_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::proto {
namespace {

std::string TextOf(const std::string& path) {
  std::string text = testing::ReadWholeFile(absl::StrCat(TOPICWALL_SOURCE_DIR, "/", path));
  EXPECT_NE(text, "") << path;
  return text;
}

TEST(FieldTableTest, NoNumberIsUsedAgainAndNoTypeChangesUnnoticed) {
  EXPECT_EQ(TextOf(kFieldTablePath), FieldTable())
      << "if it is meant: proto_test --write " << kFieldTablePath << ", and say why";
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
