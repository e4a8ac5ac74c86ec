#include "server/corpus/ingest/attribute_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class AttributeFileTest : public ::testing::Test {
 protected:
  auto Read(const std::string& text) const {
    return ReadAttributeFile(folder_.Write("attributes", text));
  }

  testing::TemporaryDirectory folder_;
};

// As the header shows it.
TEST_F(AttributeFileTest, HasAttributesInTextFormat) {
  ASSERT_OK_AND_ASSIGN(
      const auto attributes,
      Read("# Wards of the house, as on its web page.\n"
           "attributes { name: \"ward\" values: [\"north\", \"south\"] }\n"
           "attributes { name: \"month\" is_date: true\n"
           "             values: [\"2024-01-01\", \"2024-02-01\", \"2024-03-01\"] }\n"));
  EXPECT_EQ(attributes, WardAndMonth());
}

TEST_F(AttributeFileTest, WhatIsNoSuchTextIsRefusedWithItsPlace) {
  for (const char* text :
       {"attributes { name: \"ward\" values: \"north\" colour: 3 }", "values: \"north\"",
        "attributes { name: \"ward\" name: \"site\" values: \"north\" }", "north\nsouth\n",
        "attributes {"}) {
    EXPECT_THAT(Read(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(folder_.Path("attributes")), HasSubstr(":1:"))))
        << text;
  }
}

TEST_F(AttributeFileTest, NoAttributeOrOneThatBreaksARuleIsRefusedByName) {
  EXPECT_THAT(Read(""), StatusIs(absl::StatusCode::kInvalidArgument,
                                 AllOf(HasSubstr(folder_.Path("attributes")),
                                       HasSubstr("at least one attribute"))));
  EXPECT_THAT(Read("attributes { name: \"day\" is_date: true values: \"2024-01-01\" }"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr(folder_.Path("attributes")), HasSubstr("attribute day"))));
}

TEST_F(AttributeFileTest, AFileThatIsNotThereIsNotFound) {
  EXPECT_THAT(ReadAttributeFile(folder_.Path("absent")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent")));
}

}  // namespace
}  // namespace topicwall::corpus
