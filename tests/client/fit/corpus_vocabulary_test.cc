#include "client/fit/corpus_vocabulary.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

TEST(VocabularyDigestTest, IsWhatSha256sumPrintsForTheWordList) {
  // printf 'apple\npear\n' | sha256sum   (GNU coreutils)
  EXPECT_EQ(absl::BytesToHexString(base::DigestBytes(VocabularyDigest({"apple", "pear"}))),
            "9ff482bbad59dc6d2dda31549c8431f4cfd280a2e6b52f4b0f761b5961593322");
}

TEST(VocabularyDigestTest, TermsCannotRunIntoEachOther) {
  EXPECT_NE(VocabularyDigest({"ab", "c"}), VocabularyDigest({"a", "bc"}));
}

TEST(FetchVocabularyTest, TakesTheListThatTheDescriptionNames) {
  LocalWall wall;
  ASSERT_OK_AND_ASSIGN(const auto vocabulary, FetchVocabulary(wall, wall.description()));
  EXPECT_EQ(vocabulary.terms(), wall.terms());
}

TEST(FetchVocabularyTest, OneTermMissingMovedOrChangedIsDataLoss) {
  LocalWall missing;
  missing.terms().pop_back();
  EXPECT_THAT(FetchVocabulary(missing, missing.description()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("12 terms; got 11")));
  LocalWall moved;
  std::swap(moved.terms()[2], moved.terms()[9]);
  EXPECT_THAT(FetchVocabulary(moved, moved.description()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("digest")));
  LocalWall changed;
  changed.terms()[0] = "other";
  EXPECT_THAT(FetchVocabulary(changed, changed.description()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("digest")));
}

TEST(FetchVocabularyTest, AnUnknownTokenizerIsRefusedBeforeAnythingIsFetched) {
  LocalWall wall;
  wall.description().set_tokenizer("words-9");
  EXPECT_THAT(FetchVocabulary(wall, wall.description()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("words-9")));
  EXPECT_EQ(wall.calls(), 0);
}

}  // namespace
}  // namespace topicwall::client
