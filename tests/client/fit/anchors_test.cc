#include "client/fit/anchors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace anchors_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

TEST(AnchorsTest, AreTheSameInWhateverOrderTheyWereWritten) {
  const auto anchors = ParseAnchors(R"({"lungs": ["asthma"], "heart": ["ecg", "cardiac", "ecg"]})");
  ASSERT_OK(anchors);
  EXPECT_EQ(AnchorsJson(*anchors), R"({"heart":["cardiac","ecg"],"lungs":["asthma"]})");
  ASSERT_OK_AND_ASSIGN(const auto again, ParseAnchors(AnchorsJson(*anchors)));
  EXPECT_EQ(AnchorsJson(again), AnchorsJson(*anchors));
}

TEST(AnchorsTest, WhatIsNoObjectOfListsOfWordsIsRefused) {
  for (const char* json : {"", "[]", "{}", "heart", R"({"heart": "cardiac"})", R"({"heart": [1]})",
                           R"({"heart": {"cardiac": 1}})", R"({"heart": ["cardiac"])"}) {
    EXPECT_THAT(ParseAnchors(json), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr(R"({"heart": ["cardiac", "ecg"]})")))
        << json;
  }
  EXPECT_THAT(ParseAnchors(R"({"heart": []})"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                         HasSubstr("\"heart\" must have a word")));
  // It becomes the topic's label.
  EXPECT_THAT(ParseAnchors(R"({"two\nlines": ["cardiac"]})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a label must be")));
}

TEST(AnchorsTest, AFileIsNamedInItsErrors) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/anchors.json";
  EXPECT_THAT(ReadAnchors(path), StatusIs(absl::StatusCode::kNotFound, HasSubstr(path)));
  testing::WriteWholeFile(path, "heart: cardiac");
  EXPECT_THAT(ReadAnchors(path), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(path)));
  testing::WriteWholeFile(path, R"({"heart": ["cardiac"]})");
  EXPECT_OK(ReadAnchors(path));
}

TEST(AnchorsTest, WordsAreTheListsOrTheOneThatIsNotIsNamed) {
  const auto words = lda::Vocabulary::Create({"asthma", "cardiac", "ecg"});
  ASSERT_OK(words);
  const auto anchors = ParseAnchors(R"({"lungs": ["asthma"], "heart": ["ecg", "cardiac"]})");
  ASSERT_OK(anchors);
  const auto terms = AnchorTermsOf(*anchors, *words, 2);
  ASSERT_OK(terms);
  EXPECT_THAT(*terms, ElementsAre(ElementsAre(1, 2), ElementsAre(0)));
  EXPECT_THAT(AnchorTermsOf(*anchors, *words, 1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("topics must be at least as many as anchors, 2; got 1")));
  const auto unknown = ParseAnchors(R"({"heart": ["cardiac", "valve"]})");
  ASSERT_OK(unknown);
  EXPECT_THAT(AnchorTermsOf(*unknown, *words, 2),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::AllOf(HasSubstr("\"valve\" of anchor \"heart\""),
                                        HasSubstr("topicwall vocabulary"))));
}

}  // namespace anchors_test
}  // namespace topicwall::client
