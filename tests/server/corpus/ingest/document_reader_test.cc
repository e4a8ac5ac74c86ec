#include "server/corpus/ingest/document_reader.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/server/corpus/small_corpus.h"

namespace topicwall::corpus {
namespace {

TEST(DocumentReader, EveryProblemHasWordsOfItsOwn) {
  std::set<std::string> words;
  for (int problem = 0; problem <= static_cast<int>(Problem::kUnreadable); ++problem) {
    words.insert(std::string(Describe(static_cast<Problem>(problem))));
  }
  EXPECT_EQ(words.size(), static_cast<size_t>(Problem::kUnreadable) + 1);
  EXPECT_EQ(words.count("has an unknown problem"), 0u);
}

TEST(DocumentReader, TextIsCountedOrItsProblemSaid) {
  const auto vocabulary = Words({"apple", "pear"});
  SourceDocument document;
  EXPECT_EQ(CountText("Pear, apple & pear!", *vocabulary, &document), Problem::kNone);
  EXPECT_EQ(document.counts, (std::vector<lda::TermCount>{{0, 1}, {1, 2}}));
  EXPECT_EQ(CountText("", *vocabulary, &document), Problem::kEmpty);
  EXPECT_EQ(CountText("\xff pear", *vocabulary, &document), Problem::kNotUtf8);
  EXPECT_EQ(CountText("plum 7", *vocabulary, &document), Problem::kOutOfVocabulary);
}

}  // namespace
}  // namespace topicwall::corpus
