#include "client/evaluate/document_reader.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/data/tokenizer.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace document_reader_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

lda::Vocabulary Fruit() { return *lda::Vocabulary::Create({"apple", "fig", "pear"}); }

absl::StatusOr<lda::DocumentList> Jsonl(const std::string& text) {
  std::istringstream input(text);
  return ReadJsonl(input, "mine.jsonl", {.vocabulary = Fruit(), .tokenizer = lda::kTokenizerName});
}
absl::StatusOr<lda::DocumentList> Uci(const std::string& text) {
  std::istringstream input(text);
  return ReadUci(input, "docword", Fruit());
}

TEST(ReadJsonlTest, CountsKnownWordsOfEachLine) {
  ASSERT_OK_AND_ASSIGN(const auto documents,
                       Jsonl("{\"id\": \"1\", \"text\": \"Apple pear, APPLE!\"}\n"
                             "\n"
                             "{\"text\": \"unknown words only\", \"owner\": 3}\n"
                             "{\"text\": \"f\\u0069g\"}"));
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_THAT(documents[0], ElementsAre(lda::TermCount{.term = 0, .count = 2},
                                        lda::TermCount{.term = 2, .count = 1}));
  EXPECT_TRUE(documents[1].empty());
  EXPECT_THAT(documents[2], ElementsAre(lda::TermCount{.term = 1, .count = 1}));
}

TEST(ReadJsonlTest, ABadLineIsNamedByNumberAndNeverByContent) {
  const std::string good = "{\"text\": \"apple\"}\n";
  for (const std::string bad :
       {"secret", "{\"text\": \"secret\"", "[\"secret\"]", "{\"body\": \"secret\"}",
        "{\"text\": 7, \"secret\": 1}", "{\"text\": \"secret \xff\"}"}) {
    EXPECT_THAT(Jsonl(good + good + bad + "\n"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("mine.jsonl, line 3"), Not(HasSubstr("secret")))))
        << bad;
  }
}

TEST(ReadJsonlTest, TextNeedsAModelOfTheSameTokenizer) {
  std::istringstream input("{\"text\": \"apple\"}");
  EXPECT_THAT(ReadJsonl(input, "x", {.vocabulary = Fruit(), .tokenizer = "counts"}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--format uci")));
}

absl::StatusOr<lda::DocumentList> Csv(const std::string& text) {
  std::istringstream input(text);
  return ReadCsv(input, "mine.csv", {.vocabulary = Fruit(), .tokenizer = lda::kTokenizerName});
}

TEST(ReadCsvTest, CountsKnownWordsOfTheColumnTextWhereverItStands) {
  for (const std::string mark : {"", "\xef\xbb\xbf"}) {
    ASSERT_OK_AND_ASSIGN(const auto documents, Csv(mark + "text,id\r\n"
                                                          "\"Apple pear,\r\nAPPLE!\",pear\r\n"
                                                          "\r\n"
                                                          "unknown words only,\"fig\nfig\"\r\n"
                                                          ",\xff\r\n"
                                                          "fig,"));
    ASSERT_EQ(documents.size(), 4u);
    EXPECT_THAT(documents[0], ElementsAre(lda::TermCount{.term = 0, .count = 2},
                                          lda::TermCount{.term = 2, .count = 1}));
    EXPECT_TRUE(documents[1].empty());
    EXPECT_TRUE(documents[2].empty());
    EXPECT_THAT(documents[3], ElementsAre(lda::TermCount{.term = 1, .count = 1}));
  }
  ASSERT_OK_AND_ASSIGN(const auto last, Csv("id,\"text\"\n1,pear\n"));
  EXPECT_EQ(lda::TokenCount(last[0]), 1);
}

TEST(ReadCsvTest, ABadLineIsNamedByNumberAndNeverByContent) {
  // The second row is of two lines.
  const std::string good = "id,text\n1,\"apple\nfig\"\n";
  for (const std::string bad : {"secret", "1,secret,2", "1,secret \xff", "1,\"secret",
                                "1,\"secret\"2", "1,the \"secret\""}) {
    EXPECT_THAT(Csv(good + bad + "\n"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("mine.csv, line 4"), Not(HasSubstr("secret")))))
        << bad;
  }
}

// A file without its header would lose its first document, or all of another column be read.
TEST(ReadCsvTest, WithoutOneColumnTextTheFileIsRefused) {
  for (const std::string header :
       {"", "\n\n", "id,Text\n1,a\n", "an apple\n", "text,text\na,b\n"}) {
    EXPECT_THAT(Csv(header), StatusIs(absl::StatusCode::kInvalidArgument,
                                      AllOf(HasSubstr("mine.csv, line 1"), HasSubstr("\"text\""))))
        << header;
  }
  EXPECT_EQ(Csv("text")->size(), 0U);
}

TEST(ReadCsvTest, TextNeedsAModelOfTheSameTokenizer) {
  std::istringstream input("text\napple");
  EXPECT_THAT(ReadCsv(input, "x", {.vocabulary = Fruit(), .tokenizer = "counts"}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--format uci")));
}

TEST(ReadUciTest, ReadsCountsNumberedFromOneInAnyOrderWithinADocument) {
  ASSERT_OK_AND_ASSIGN(const auto documents, Uci("5\n3\n4\n1 3 2\n1 1 1\n4 2 7\n5 1 4294967295\n"));
  ASSERT_EQ(documents.size(), 5U);
  EXPECT_THAT(documents[0], ElementsAre(lda::TermCount{.term = 0, .count = 1},
                                        lda::TermCount{.term = 2, .count = 2}));
  EXPECT_EQ(lda::TokenCount(documents[4]), 4294967295);
}

// Or what is told of document 4 would stand beside the number of another.
TEST(ReadUciTest, DocumentsWithoutAnEntryKeepTheirPlace) {
  ASSERT_OK_AND_ASSIGN(const auto documents, Uci("6\n3\n2\n2 1 7\n4 2 9\n"));
  ASSERT_EQ(documents.size(), 6U);
  const int64_t words[] = {0, 7, 0, 9, 0, 0};
  for (size_t d = 0; d < 6; ++d) EXPECT_EQ(lda::TokenCount(documents[d]), words[d]);
  EXPECT_EQ(Uci("2\n3\n0\n")->size(), 2U);
}

TEST(ReadUciTest, EveryBrokenRuleIsNamedWithItsLine) {
  const auto refused = [](const std::string& text, const std::string& why) {
    EXPECT_THAT(Uci(text), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why))) << text;
  };
  refused("", "line 1");
  refused("2\nx\n3\n", "line 2");
  refused("100000001\n3\n0\n", "line 1: D must be at most 100000000");
  refused("2\n4\n3\n", "line 2: V must be the model's 3 terms; got 4");
  refused("2\n3\n1\n1 1\n", "line 4: must be three");
  refused("2\n3\n1\n1 1 1 1\n", "line 4: must be three");
  refused("2\n3\n1\n1 0 1\n", "line 4: the term");
  refused("2\n3\n1\n1 4 1\n", "line 4: the term");
  refused("2\n3\n1\n1 1 0\n", "line 4: the term");
  refused("2\n3\n1\n1 1 4294967296\n", "line 4: the term");
  refused("2\n3\n1\n3 1 1\n", "line 4: documents");
  refused("2\n3\n2\n2 1 1\n1 1 1\n", "line 5: documents");
  refused("2\n3\n3\n1 1 1\n1 1 2\n2 1 1\n", "a term twice");
  refused("2\n3\n2\n2 1 1\n2 1 2\n", "a term twice");
  refused("2\n3\n3\n1 1 1\n2 1 2\n", "NNZ says 3 entries; got 2");
  refused("2\n3\n1\n1 1 1\n2 1 2\n", "NNZ says 1 entries; got 2");
}

TEST(ReadDocumentsTest, AMissingFileOrAFolderIsAnErrorThatNamesIt) {
  const lda::Vocabulary fruit = Fruit();
  const TermRule rule = {.vocabulary = fruit, .tokenizer = lda::kTokenizerName};
  EXPECT_THAT(ReadDocuments("/nowhere.jsonl", DocumentFormat::kJsonl, rule),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere.jsonl")));
  const testing::TemporaryDirectory folder;
  EXPECT_THAT(
      ReadDocuments(folder.path(), DocumentFormat::kJsonl, rule),
      StatusIs(absl::StatusCode::kNotFound,
               HasSubstr(absl::StrCat(folder.path(), ": documents of your own are one file"))));
}

// A folder would be a corpus of no owners: the first document would then have none.
TEST(ReadOwnersTest, AMissingFileOrAFolderIsAnErrorThatNamesIt) {
  EXPECT_THAT(ReadOwners("/nowhere.jsonl"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere.jsonl")));
  const testing::TemporaryDirectory folder;
  EXPECT_THAT(ReadOwners(folder.path()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(folder.path())));
}

// It would be a part of the first term, which no text has.
TEST(ReadVocabularyTest, AByteOrderMarkIsNoneOfTheFirstTerm) {
  const testing::TemporaryDirectory folder;
  testing::WriteWholeFile(folder.path() + "/words.txt",
                          "\xef\xbb\xbf"
                          "apple\r\nfig\r\n");
  for (const char* tokenizer : {lda::kTokenizerName, lda::kCountsTokenizerName}) {
    const auto words = ReadVocabulary(folder.path() + "/words.txt", tokenizer);
    ASSERT_OK(words) << tokenizer;
    EXPECT_THAT(words->terms(), ElementsAre("apple", "fig"));
  }
}

// As editors on Windows leave it. A mark that is begun and not ended is text.
TEST(ReadDocumentsTest, AByteOrderMarkIsNoPartOfTheFirstLine) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/mine";
  const auto size_of = [&](DocumentFormat format, const std::string& text) {
    testing::WriteWholeFile(path, text);
    const auto documents =
        ReadDocuments(path, format, {.vocabulary = Fruit(), .tokenizer = lda::kTokenizerName});
    EXPECT_OK(documents) << text;
    return documents.ok() ? documents->size() : 0;
  };
  EXPECT_EQ(size_of(DocumentFormat::kJsonl, "\xef\xbb\xbf{\"text\": \"fig\"}\n"), 1U);
  EXPECT_EQ(size_of(DocumentFormat::kUci,
                    "\xef\xbb\xbf"
                    "1\n3\n1\n1 1 1\n"),
            1U);
  EXPECT_EQ(size_of(DocumentFormat::kCsv, "\xef\xbb\xbftext\nfig\n"), 1U);
  EXPECT_EQ(size_of(DocumentFormat::kCsv, "\xef\xbc\xa1,text\n1,fig\n"), 1U);
}

TEST(ReadDocumentsTest, AnEmptyFileHasNoDocuments) {
  const testing::TemporaryDirectory folder;
  testing::WriteWholeFile(folder.path() + "/empty", "");
  ASSERT_OK_AND_ASSIGN(const auto documents,
                       ReadDocuments(folder.path() + "/empty", DocumentFormat::kJsonl,
                                     {.vocabulary = Fruit(), .tokenizer = lda::kTokenizerName}));
  EXPECT_TRUE(documents.empty());
}

}  // namespace document_reader_test
}  // namespace topicwall::client
