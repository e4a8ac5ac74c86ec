#include "server/corpus/ingest/bag_of_words_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/server/corpus/read_documents.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::topicwall::testing::StatusIs;

class BagOfWordsReaderTest : public ::testing::Test {
 protected:
  // Over a vocabulary of three terms.
  absl::StatusOr<std::vector<SourceDocument>> Read(const std::string& content) {
    auto reader = BagOfWordsReader::Open(folder_.Write("docword.txt", content), *vocabulary_);
    if (!reader.ok()) return reader.status();
    return ReadDocuments(**reader);
  }

  testing::TemporaryDirectory folder_;
  const std::shared_ptr<const lda::Vocabulary> vocabulary_ = Words({"apple", "pear", "plum"});
};

TEST_F(BagOfWordsReaderTest, GivesEveryDocumentWithTermsFromZero) {
  ASSERT_OK_AND_ASSIGN(const auto documents,
                       Read("2\n3\n4\n1 1 5\n1 3 1\n2 3 4294967295\n2 2 1\n"));
  EXPECT_THAT(ProblemsOf(documents), IsEmpty());
  EXPECT_THAT(UsableIds(documents), ElementsAre("1", "2"));
  EXPECT_EQ(documents[0].counts, (std::vector<lda::TermCount>{{0, 5}, {2, 1}}));
  EXPECT_EQ(documents[1].counts, (std::vector<lda::TermCount>{{1, 1}, {2, 4294967295u}}));
  EXPECT_EQ(documents[1].line, 6);
}

TEST_F(BagOfWordsReaderTest, WhiteSpaceMayVary) {
  ASSERT_OK_AND_ASSIGN(const auto documents, Read(" 1 \r\n3\t\r\n1\r\n1\t2  3 \r\n"));
  EXPECT_EQ(documents[0].counts, (std::vector<lda::TermCount>{{1, 3}}));
}

TEST_F(BagOfWordsReaderTest, EveryBadDocumentIsReportedByItsFirstLineAndTheRestKept) {
  const auto documents = Read(
      "8\n3\n10\n"
      "1 1 1\n"           // line 4
      "2 1 1\n2 4 1\n"    // 5: term beyond the vocabulary
      "3 0 1\n"           // 7: terms count from 1
      "4 1 0\n"           // 8: a count of nothing
      "5 1 4294967296\n"  // 9: too large a count
      "6 1 1\n6 1 2\n"    // 10: a term twice
      "8 2 2\n8 3 3\n");  // 12; nothing of document 7
  ASSERT_OK(documents);
  EXPECT_THAT(ProblemsOf(*documents),
              ElementsAre(Pair(5, Problem::kBadTerm), Pair(7, Problem::kBadTerm),
                          Pair(8, Problem::kBadCount), Pair(9, Problem::kBadCount),
                          Pair(10, Problem::kBadTerm), Pair(1, Problem::kEmpty)));
  EXPECT_THAT(UsableIds(*documents), ElementsAre("1", "8"));
  EXPECT_EQ((*documents)[6].name, "document 7");
}

TEST_F(BagOfWordsReaderTest, DocumentsWithoutALineAtTheEndsAreEmpty) {
  ASSERT_OK_AND_ASSIGN(const auto documents, Read("4\n3\n1\n3 1 1\n"));
  EXPECT_THAT(ProblemsOf(documents), ElementsAre(Pair(1, Problem::kEmpty), Pair(1, Problem::kEmpty),
                                                 Pair(1, Problem::kEmpty)));
  EXPECT_THAT(UsableIds(documents), ElementsAre("3"));
}

TEST_F(BagOfWordsReaderTest, AFileNotToBeTrustedIsRefusedAsAWholeWithItsLine) {
  struct Case {
    const char* content;
    const char* said;
  };
  for (const Case& c :
       std::vector<Case>{{"", "line 0"},
                         {"1\n3\n", "line 2: the first three lines"},
                         {"1\nthree\n1\n1 1 1\n", "line 2: the first three lines"},
                         {"1 2\n3\n1\n1 1 1\n", "line 1: the first three lines"},
                         {"0\n3\n0\n", "line 1: the number of documents"},
                         {"2147483649\n3\n0\n", "line 1: the number of documents"},
                         {"1\n4\n1\n1 1 1\n", "line 2: the number of terms"},
                         {"1\n3\n2\n1 1 1\n", "line 4: the file ends before"},
                         {"1\n3\n1\n1 1 1\n1 2 1\n", "line 5: the file has more"},
                         {"2\n3\n2\n2 1 1\n1 1 1\n", "line 5: document numbers"},
                         {"1\n3\n1\n2 1 1\n", "line 4: document numbers"},
                         {"1\n3\n1\n0 1 1\n", "line 4: document numbers"},
                         {"1\n3\n1\n1 1\n", "line 4: must be three numbers"},
                         {"1\n3\n1\n1 1 1 1\n", "line 4: must be three numbers"},
                         {"1\n3\n1\n1 1 1.5\n", "line 4: must be three numbers"},
                         {"1\n3\n1\n1 1 99999999999999999999\n", "line 4: must be three numbers"},
                         {"1\n3\n1\n\n", "line 4: must be three numbers"}}) {
    EXPECT_THAT(Read(c.content), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.said)))
        << c.content;
  }
}

}  // namespace
}  // namespace topicwall::corpus
