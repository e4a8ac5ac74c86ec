#include "client/mock/made_up_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace made_up_corpus_test {

v1::CorpusDescription Description(int64_t terms) {
  v1::CorpusDescription description;
  description.set_vocabulary_size(terms);
  description.set_vocabulary_sha256(std::string(32, 'd'));
  v1::Attribute& month = *description.add_attributes();
  month.set_name("month");
  month.set_is_date(true);
  for (const char* day : {"2024-01-01", "2024-02-01", "2024-03-01"}) month.add_values(day);
  return description;
}

TEST(MadeUpCorpusTest, DocumentsAreCanonicalOverAnyVocabulary) {
  for (const int64_t terms : {1, 2, 7, 150, 8000}) {
    const MadeUpCorpus corpus = MakeUpCorpus(Description(terms));
    ASSERT_EQ(corpus.size(), kMadeUpUnits);
    ASSERT_EQ(corpus.documents.size(), kMadeUpUnits);
    EXPECT_OK(lda::CheckCanonical(corpus.documents, terms));
    EXPECT_EQ(corpus.weight, 1);
    for (const auto& attributes : corpus.attributes) {
      ASSERT_EQ(attributes.size(), 1U);
      EXPECT_LT(attributes[0], 2);  // its two periods, and never "other"
    }
  }
}

TEST(MadeUpCorpusTest, ItIsAFunctionOfTheWordsAlone) {
  v1::CorpusDescription description = Description(150);
  const MadeUpCorpus first = MakeUpCorpus(description);
  description.set_corpus_version("another");
  EXPECT_EQ(MakeUpCorpus(description).documents.entries, first.documents.entries);
  description.set_vocabulary_sha256(std::string(32, 'e'));
  EXPECT_NE(MakeUpCorpus(description).documents.entries, first.documents.entries);
}

TEST(MadeUpCorpusTest, VectorsStayWithinTheNormBound) {
  v1::CorpusDescription description = Description(5);
  description.mutable_vectors()->set_dimension(5);
  const MadeUpCorpus corpus = MakeUpCorpus(description);
  ASSERT_EQ(corpus.vectors.size(), kMadeUpUnits);
  for (const std::vector<float>& vector : corpus.vectors) {
    double squares = 0;
    for (const float value : vector) squares += double{value} * double{value};
    EXPECT_LE(squares, 1);
  }
}

}  // namespace made_up_corpus_test
}  // namespace topicwall::client
