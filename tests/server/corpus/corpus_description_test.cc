#include "server/corpus/corpus_description.h"

#include <gmock/gmock.h>

#include "absl/strings/escaping.h"
#include "model/data/vocabulary.h"
#include "tests/support/status_matchers.h"

namespace topicwall::corpus {
namespace {

TEST(CorpusDescription, VersionIsShownAsThirtyTwoHexadecimalDigits) {
  const CorpusVersion version = {0x00, 0x0f, 0xf0, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(VersionHex(version), "000ff0ff0102030405060708090a0b0c");
}

// By an independent method: printf 'apple\npear\n' | sha256sum.
TEST(CorpusDescription, VocabularyDigestIsThatOfItsFile) {
  ASSERT_OK_AND_ASSIGN(const auto vocabulary, lda::Vocabulary::Create({"apple", "pear"}));
  EXPECT_EQ(absl::BytesToHexString(base::DigestBytes(VocabularySha256(vocabulary))),
            "9ff482bbad59dc6d2dda31549c8431f4cfd280a2e6b52f4b0f761b5961593322");
}

TEST(CorpusDescription, OnlyACorpusWhoseNamesHoldTheirOwnersMayBeChargedFor) {
  CorpusDescription description{};
  EXPECT_THAT(RequireWholeUnits(description),
              testing::StatusIs(absl::StatusCode::kFailedPrecondition,
                                ::testing::HasSubstr("ingest it again")));
  for (const v1::DuplicateRule rule :
       {v1::DUPLICATE_RULE_REFUSE, v1::DUPLICATE_RULE_MERGE, v1::DUPLICATE_RULE_LEAVE_OUT}) {
    description.duplicates = rule;
    EXPECT_OK(RequireWholeUnits(description));
  }
}

TEST(CorpusDescription, VocabularyDigestDependsOnTheOrder) {
  EXPECT_NE(VocabularySha256(*lda::Vocabulary::Create({"apple", "pear"})),
            VocabularySha256(*lda::Vocabulary::Create({"pear", "apple"})));
}

}  // namespace
}  // namespace topicwall::corpus
