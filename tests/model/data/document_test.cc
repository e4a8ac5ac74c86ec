#include "model/data/document.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace topicwall::lda {
namespace {

TEST(DocumentTest, TokenCountSumsCountsBeyond32Bits) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  const std::vector<TermCount> document = {{0, kMost}, {1, kMost}, {2, 3}};
  EXPECT_EQ(TokenCount(document), 2 * int64_t{kMost} + 3);
  EXPECT_EQ(TokenCount(DocumentView()), 0);
}

TEST(DocumentTest, CanonicalMeansAscendingDistinctInRangeAndCounted) {
  EXPECT_TRUE(IsCanonical({}, 10));
  EXPECT_TRUE(IsCanonical({{0, 1}, {4, 2}, {9, 1}}, 10));
  EXPECT_FALSE(IsCanonical({{0, 1}, {10, 2}}, 10)) << "term beyond the vocabulary";
  EXPECT_FALSE(IsCanonical({{4, 1}, {4, 2}}, 10)) << "the same term twice";
  EXPECT_FALSE(IsCanonical({{4, 1}, {3, 2}}, 10)) << "descending";
  EXPECT_FALSE(IsCanonical({{4, 0}}, 10)) << "a count of 0";
  EXPECT_FALSE(IsCanonical({{std::numeric_limits<uint32_t>::max(), 1}}, 10));
}

TEST(DocumentTest, ListGivesBackWhatWasAppended) {
  DocumentList documents;
  EXPECT_TRUE(documents.empty());
  documents.Append({{3, 2}, {17, 1}});
  documents.Append({});
  documents.Append({{0, 5}});
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_EQ(documents[0], DocumentView({{3, 2}, {17, 1}}));
  EXPECT_TRUE(documents[1].empty());
  EXPECT_EQ(documents[2], DocumentView({{0, 5}}));
  EXPECT_EQ(TokenCount(documents), 8);
}

}  // namespace
}  // namespace topicwall::lda
