#include "model/data/spread_document.h"

#include <gtest/gtest.h>

#include <set>

namespace topicwall::lda {
namespace {

TEST(SpreadDocuments, HaveOneTermOfEachStretchAndAllTheirWords) {
  const SpreadDocuments documents{.words = 20, .vocabulary_size = 7};
  std::set<std::vector<uint32_t>> different;
  for (uint64_t number = 0; number < 5; ++number) {
    std::vector<TermCount> document;
    documents.Fill(number, &document);
    ASSERT_EQ(document.size(), 7);
    for (size_t i = 0; i < document.size(); ++i) EXPECT_EQ(document[i].term, i);
    EXPECT_EQ(document[0].count, 1);
    EXPECT_GE(document[1].count, 2) << "20 words over 7 terms";
  }
}

TEST(SpreadDocuments, AreSpreadAndDifferAndAreTheSameAgain) {
  const SpreadDocuments documents{.words = 10, .vocabulary_size = 1000};
  std::vector<TermCount> one, another, again;
  documents.Fill(1, &one);
  documents.Fill(2, &another);
  documents.Fill(1, &again);
  bool differs = false;
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(one[i].term / 100, i);
    EXPECT_EQ(one[i].term, again[i].term);
    differs |= one[i].term != another[i].term;
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(documents.EndOfFirstStretch(), 100);
}

}  // namespace
}  // namespace topicwall::lda
