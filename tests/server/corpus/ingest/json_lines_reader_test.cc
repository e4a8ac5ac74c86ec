#include "server/corpus/ingest/json_lines_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/corpus/read_documents.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::topicwall::testing::StatusIs;

class JsonLinesReaderTest : public ::testing::Test {
 protected:
  std::vector<SourceDocument> Read(const std::string& content,
                                   v1::PrivacyUnit unit = v1::PRIVACY_UNIT_DOCUMENT) {
    const auto reader =
        JsonLinesReader::Open(folder_.Write("in.jsonl", content), unit, *vocabulary_);
    EXPECT_OK(reader);
    const auto documents = ReadDocuments(**reader);
    EXPECT_OK(documents);
    return *documents;
  }

  // The values that a line has of `attributes`, which says them behind its id and text.
  std::vector<uint16_t> ValuesOf(const std::string& fields,
                                 const std::vector<model::Attribute>& attributes) {
    const auto reader = JsonLinesReader::Open(
        folder_.Write("in.jsonl", "{\"id\": \"a\", \"text\": \"pear\"" + fields + "}\n"),
        v1::PRIVACY_UNIT_DOCUMENT, *vocabulary_, attributes);
    EXPECT_OK(reader);
    const auto documents = ReadDocuments(**reader);
    EXPECT_OK(documents);
    EXPECT_EQ(documents->size(), 1u);
    EXPECT_EQ(documents->at(0).problem, Problem::kNone) << fields;
    return documents->at(0).attributes;
  }

  Problem ProblemOf(const std::string& line, v1::PrivacyUnit unit = v1::PRIVACY_UNIT_DOCUMENT) {
    const std::vector<SourceDocument> documents = Read(line + "\n", unit);
    EXPECT_EQ(documents.size(), 1u);
    return documents.empty() ? Problem::kNone : documents[0].problem;
  }

  testing::TemporaryDirectory folder_;
  const std::shared_ptr<const lda::Vocabulary> vocabulary_ = Words({"apple", "pear"});
};

TEST_F(JsonLinesReaderTest, CountsTheWordsOfEveryLine) {
  const auto documents = Read(
      "{\"id\": \"a\", \"text\": \"Apple pear apple\", \"owner\": \"ann\"}\n"
      "\n"
      "  {\"text\": \"p\\u0065ar\\nplum\", \"year\": 2024, \"tags\": [\"x\", {\"y\": null}],"
      " \"id\": \"b\\u00e9\"} \r\n"
      "{\"id\":\"c\",\"text\":\"pear\"}",
      v1::PRIVACY_UNIT_DOCUMENT);
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_THAT(ProblemsOf(documents), IsEmpty());
  EXPECT_THAT(UsableIds(documents), ElementsAre("a", "b\xc3\xa9", "c"));
  EXPECT_EQ(documents[0].owner, "ann");
  EXPECT_EQ(documents[0].counts, (std::vector<lda::TermCount>{{0, 2}, {1, 1}}));
  EXPECT_EQ(documents[1].owner, "");
  EXPECT_EQ(documents[1].counts, (std::vector<lda::TermCount>{{1, 1}}));
  EXPECT_EQ(documents[1].line, 3);
  EXPECT_EQ(documents[2].line, 4);
}

TEST_F(JsonLinesReaderTest, EveryBadLineIsReportedByNumberAndTheRestKept) {
  const std::string good = "{\"id\": \"good\", \"text\": \"pear\"}\n";
  const auto documents = Read(good +                                            // 1
                              "{\"id\": \"a\", \"text\": \"pear\"\n" +          // 2 cut short
                              good +                                            // 3
                              "{\"id\": \"b\", \"text\": \"\xff pear\"}\n" +    // 4
                              "{\"id\": \"c\", \"text\": \"\"}\n" +             // 5
                              "{\"id\": \"d\", \"text\": \"plum\"}\n" +         // 6
                              "{\"text\": \"pear\"}\n" +                        // 7
                              "{\"id\": \"e\"}\n" +                             // 8
                              std::string(kMaxDocumentBytes + 1, ' ') + "\n" +  // 9
                              good);                                            // 10
  EXPECT_THAT(
      ProblemsOf(documents),
      ElementsAre(Pair(2, Problem::kNotJson), Pair(4, Problem::kNotUtf8), Pair(5, Problem::kEmpty),
                  Pair(6, Problem::kOutOfVocabulary), Pair(7, Problem::kNoId),
                  Pair(8, Problem::kNoText), Pair(9, Problem::kTooLong)));
  EXPECT_THAT(UsableIds(documents), ElementsAre("good", "good", "good"));
}

TEST_F(JsonLinesReaderTest, WhatIsNotOneObjectIsNotADocument) {
  for (const char* line :
       {"text", "[]", "\"id\"", "null", "7", "{\"id\":\"a\"} {\"id\":\"b\"}", "{\"id\":\"a\"},",
        "[{\"id\":\"a\",\"text\":\"pear\"}]", "{\"id\":\"a\",\"text\":\"\\ud83d\"}",
        "{\"id\":\"a\",\"text\":\"\\udc00\"}", "{\"id\":\"a\",\"text\":\"pear}"}) {
    EXPECT_EQ(ProblemOf(line), Problem::kNotJson) << line;
  }
  EXPECT_EQ(ProblemOf(std::string(100000, '[')), Problem::kNotJson);
}

// The parser alone would need hours for it.
TEST_F(JsonLinesReaderTest, WhatIsNestedTooDeepIsNoJson) {
  EXPECT_EQ(ProblemOf("{\"id\":\"a\",\"text\":\"pear\",\"x\":" + std::string(1'000'000, '[') +
                      std::string(1'000'000, ']') + "}"),
            Problem::kNotJson);
}

// Which of the two would count? Above all for an owner that must not be open.
TEST_F(JsonLinesReaderTest, AFieldGivenTwiceIsRefused) {
  EXPECT_EQ(ProblemOf("{\"id\":\"a\",\"owner\":\"x\",\"text\":\"pear\",\"owner\":\"y\"}",
                      v1::PRIVACY_UNIT_OWNER),
            Problem::kNotJson);
  EXPECT_EQ(ProblemOf("{\"id\":\"a\",\"id\":\"b\",\"text\":\"pear\"}"), Problem::kNotJson);
}

TEST_F(JsonLinesReaderTest, IdAndTextMustBeStrings) {
  EXPECT_EQ(ProblemOf("{\"id\":7,\"text\":\"pear\"}"), Problem::kNoId);
  EXPECT_EQ(ProblemOf("{\"id\":\"\",\"text\":\"pear\"}"), Problem::kNoId);
  EXPECT_EQ(ProblemOf("{\"id\":null,\"text\":\"pear\"}"), Problem::kNoId);
  EXPECT_EQ(ProblemOf("{\"id\":\"a\",\"text\":[\"pear\"]}"), Problem::kNoText);
}

TEST_F(JsonLinesReaderTest, AnOwnerIsRequiredOnlyWhereTheUnitIsTheOwner) {
  for (const char* line :
       {"{\"id\":\"a\",\"text\":\"pear\"}", "{\"id\":\"a\",\"text\":\"pear\",\"owner\":\"\"}",
        "{\"id\":\"a\",\"text\":\"pear\",\"owner\":null}",
        "{\"id\":\"a\",\"text\":\"pear\",\"owner\":12}",
        "{\"id\":\"a\",\"text\":\"pear\",\"Owner\":\"ann\"}"}) {
    EXPECT_EQ(ProblemOf(line, v1::PRIVACY_UNIT_OWNER), Problem::kNoOwner) << line;
    EXPECT_EQ(ProblemOf(line, v1::PRIVACY_UNIT_DOCUMENT), Problem::kNone) << line;
  }
  // Missing first, whatever else is wrong: such a line must stop the ingestion.
  for (const char* line : {"{\"id\":\"a\",\"text\":\"plum\"}", "{\"text\":\"pear\"}", "{}"}) {
    EXPECT_EQ(ProblemOf(line, v1::PRIVACY_UNIT_OWNER), Problem::kNoOwner) << line;
  }
}

TEST_F(JsonLinesReaderTest, AFieldOfAnAttributesNameIsItsValue) {
  const std::vector<model::Attribute> attributes = WardAndMonth();
  EXPECT_THAT(ValuesOf(R"(, "month": "2024-02-17T08:00:00Z", "ward": "north")", attributes),
              ElementsAre(0, 1));
  EXPECT_THAT(ValuesOf(R"(, "ward": "s\u006futh", "day": "2024-02-17")", attributes),
              ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf(R"(, "ward": "north")", {}), IsEmpty());
}

TEST_F(JsonLinesReaderTest, WhatIsNotListedNoTextOrNotThereIsOtherAndNoProblem) {
  for (const char* fields :
       {"", R"(, "ward": "west")", R"(, "ward": "")", R"(, "ward": null)", R"(, "ward": true)",
        R"(, "ward": ["north"])", R"(, "ward": {"north": "north"})", R"(, "Ward": "north")",
        R"(, "ward": "North", "month": 20240217)"}) {
    EXPECT_THAT(ValuesOf(fields, WardAndMonth()), ElementsAre(2, 2)) << fields;
  }
}

TEST_F(JsonLinesReaderTest, AWholeNumberIsItsDecimalDigits) {
  const std::vector<model::Attribute> attributes = {
      {.name = "n",
       .values = {"7", "0", "-12", "1000", "9007199254740991", "0.5", "1e3", "9007199254740992",
                  "true"}}};
  const auto value_of = [&](const std::string& number) {
    return ValuesOf(", \"n\": " + number, attributes).at(0);
  };
  EXPECT_EQ(value_of("7"), 0);
  EXPECT_EQ(value_of("7.0"), 0);
  EXPECT_EQ(value_of("0"), 1);
  EXPECT_EQ(value_of("-0.0"), 1);
  EXPECT_EQ(value_of("-12"), 2);
  EXPECT_EQ(value_of("1e3"), 3);
  EXPECT_EQ(value_of("9007199254740991"), 4);
  // No whole number, or one that another rounds to; and what is no number at all.
  for (const char* number : {"0.5", "7.25", "8", "9007199254740992", "9007199254740993", "1e300",
                             "-1e300", "true", "null"}) {
    EXPECT_EQ(value_of(number), 9) << number;
  }
  EXPECT_EQ(value_of("\"0.5\""), 5);
}

// The document's memory is used again.
TEST_F(JsonLinesReaderTest, NoLineHasValuesOfAnother) {
  ASSERT_OK_AND_ASSIGN(
      const auto reader,
      JsonLinesReader::Open(
          folder_.Write("in.jsonl",
                        "{\"id\": \"a\", \"text\": \"pear\", \"ward\": \"north\"}\n"
                        "{\"id\": \"b\", \"text\": \"pear\"}\n"
                        "{\"id\": \"c\", \"text\": \"pear\", \"ward\": \"south\"}\n"),
          v1::PRIVACY_UNIT_DOCUMENT, *vocabulary_, WardAndMonth()));
  ASSERT_OK_AND_ASSIGN(const auto documents, ReadDocuments(*reader));
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_THAT(documents[0].attributes, ElementsAre(0, 2));
  EXPECT_THAT(documents[1].attributes, ElementsAre(2, 2));
  EXPECT_THAT(documents[2].attributes, ElementsAre(1, 2));
}

// Of two dimensions within a bound of 2.
class VectorLinesTest : public JsonLinesReaderTest {
 protected:
  std::vector<SourceDocument> ReadLines(const std::string& content,
                                        v1::PrivacyUnit unit = v1::PRIVACY_UNIT_DOCUMENT) {
    const auto reader =
        JsonLinesReader::Open(folder_.Write("in.jsonl", content), unit, *vocabulary_,
                              WardAndMonth(), model::VectorSpace{.dimension = 2, .norm_bound = 2});
    EXPECT_OK(reader);
    const auto documents = ReadDocuments(**reader);
    EXPECT_OK(documents);
    return *documents;
  }

  Problem ProblemOfVector(const std::string& vector) {
    return ReadLines(R"({"id": "a", "vector": )" + vector + "}\n").at(0).problem;
  }
};

TEST_F(VectorLinesTest, AVectorIsInUnitsOfTheBoundAndNoLongerThanIt) {
  const auto documents = ReadLines(
      "{\"id\": \"a\", \"vector\": [1, -0.5], \"ward\": \"south\"}\n"
      "{\"id\": \"b\", \"vector\": [0, -3e2], \"text\": 7}\n");
  EXPECT_THAT(ProblemsOf(documents), IsEmpty());
  EXPECT_THAT(documents.at(0).vector, ElementsAre(0.5F, -0.25F));
  EXPECT_THAT(documents[0].attributes, ElementsAre(1, 2));
  EXPECT_THAT(documents[0].counts, IsEmpty());
  EXPECT_THAT(documents.at(1).vector, ElementsAre(0, -1));
}

TEST_F(VectorLinesTest, WhatIsNoListOfAsManyNumbersIsABadVectorAndTheRestAreKept) {
  for (const char* bad :
       {"[]", "[1]", "[1, 2, 3]", "[1, \"2\"]", "[1, null]", "[1, [2]]", "[1, true]", "\"1 2\"",
        "7", "{\"0\": 1, \"1\": 2}", "null", "[\"NaN\", 1]", "[\"Infinity\", 0]"}) {
    EXPECT_EQ(ProblemOfVector(bad), Problem::kBadVector) << bad;
  }
  for (const char* bad : {"[1, NaN]", "[1, Infinity]", "[1, 2"}) {
    EXPECT_EQ(ProblemOfVector(bad), Problem::kNotJson) << bad;
  }
  EXPECT_NE(ProblemOfVector("[1, 1e999]"), Problem::kNone);
  EXPECT_EQ(ProblemOfVector("[-1.5e-3, 1e308]"), Problem::kNone);
  const auto documents = ReadLines(
      "{\"id\": \"a\", \"text\": \"apple\"}\n"
      "{\"id\": \"b\", \"vector\": [0, 1]}\n"
      "{\"vector\": [0, 1]}\n");
  EXPECT_THAT(ProblemsOf(documents),
              ElementsAre(Pair(1, Problem::kBadVector), Pair(3, Problem::kNoId)));
  EXPECT_THAT(UsableIds(documents), ElementsAre("b"));
}

TEST_F(VectorLinesTest, AnOwnerIsRequiredAsOfTexts) {
  const std::string line = "{\"id\": \"a\", \"vector\": [0, 1]}\n";
  EXPECT_EQ(ReadLines(line, v1::PRIVACY_UNIT_OWNER).at(0).problem, Problem::kNoOwner);
}

TEST_F(JsonLinesReaderTest, AnAbsentFileIsNotFound) {
  EXPECT_THAT(
      JsonLinesReader::Open(folder_.Path("absent"), v1::PRIVACY_UNIT_DOCUMENT, *vocabulary_),
      StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::corpus
