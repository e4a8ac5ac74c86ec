#include "server/corpus/ingest/corpus_importer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/corpus/ingest/unit_naming.h"
#include "tests/server/corpus/npy_file.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

class CorpusImporterTest : public ::testing::Test {
 protected:
  CorpusImporterTest() { folder_.Write("words.txt", "apple\npear\n"); }

  absl::StatusOr<ImportReport> IngestLines(const std::string& lines, v1::PrivacyUnit unit,
                                           bool strict = false) {
    return Ingest({.format = DocumentFormat::kJsonLines,
                   .documents = folder_.Write("in.jsonl", lines),
                   .vocabulary = folder_.Path("words.txt"),
                   .privacy_unit = unit,
                   .strict = strict},
                  key_, output_, nullptr);
  }

  static std::string Line(const std::string& id, const std::string& owner,
                          const std::string& text) {
    return absl::StrCat("{\"id\":\"", id, "\",\"owner\":\"", owner, "\",\"text\":\"", text,
                        "\"}\n");
  }

  static std::vector<std::string> Described(const ImportReport& report) {
    std::vector<std::string> lines;
    for (const RejectedDocument& rejected : report.first_rejected) {
      lines.push_back(Describe(rejected));
    }
    return lines;
  }

  bool NothingWasWritten() const {
    for (const std::string& name : folder_.Names()) {
      if (name.find("out.corpus") != std::string::npos) return false;
    }
    return true;
  }

  testing::TemporaryDirectory folder_;
  const sealing::CustodianKey key_ = NewKey();
  const std::string output_ = folder_.Path("out.corpus");
};

TEST_F(CorpusImporterTest, JsonLinesBecomeACorpusOfOwners) {
  ASSERT_OK_AND_ASSIGN(const auto report,
                       IngestLines(Line("1", "ann", "apple pear") + Line("2", "bob", "pear pear") +
                                       Line("3", "ann", "apple"),
                                   v1::PRIVACY_UNIT_OWNER));
  EXPECT_EQ(report.accepted, 3);
  EXPECT_EQ(report.num_units, 2);
  EXPECT_EQ(report.rejected, 0);
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(output_, key_));
  ASSERT_OK(store->VerifyAll());
  EXPECT_EQ(store->description().version, report.version);
  EXPECT_EQ(store->description().privacy_unit, v1::PRIVACY_UNIT_OWNER);
  EXPECT_EQ(store->description().tokenizer, "words-1");
  EXPECT_EQ(store->description().duplicates, v1::DUPLICATE_RULE_REFUSE);
  EXPECT_FALSE(store->description().unjoinable);
  const UnitNaming naming(*key_.UnitIdKey());
  const PlainUnits units = *ReadUnits(*store);
  EXPECT_EQ(units.at(*naming.OfOwner("ann")).size(), 2u);
  EXPECT_THAT(units.at(*naming.OfOwner("bob")), ElementsAre(std::vector<lda::TermCount>{{1, 2}}));
  struct stat status;
  ASSERT_EQ(stat(output_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(CorpusImporterTest, JsonLinesBringTheValuesOfAttributes) {
  IngestParams params = {
      .format = DocumentFormat::kJsonLines,
      .documents = folder_.Write(
          "in.jsonl",
          R"({"id": "1", "text": "apple", "ward": "south", "month": "2024-01-31 10:00"})"
          "\n"
          R"({"id": "2", "text": "pear", "ward": "west", "month": "2024-02-29"})"
          "\n"
          R"({"id": "1", "text": "pear", "ward": "south", "month": "2024-02-01"})"
          "\n"),
      .vocabulary = folder_.Path("words.txt"),
      .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
      .strict = true,
      .duplicates = v1::DUPLICATE_RULE_MERGE,
      .attributes = WardAndMonth()};
  ASSERT_OK(Ingest(params, key_, output_, nullptr));
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(output_, key_));
  EXPECT_OK(store->VerifyAll());
  EXPECT_EQ(store->description().attributes, WardAndMonth());
  const UnitNaming naming(*key_.UnitIdKey());
  const PlainValues values = *ReadValues(*store);
  // Its lines agree on the ward alone.
  EXPECT_THAT(values.at(*naming.OfDocument("1")), ElementsAre(std::vector<uint16_t>{1, 2}));
  EXPECT_THAT(values.at(*naming.OfDocument("2")), ElementsAre(std::vector<uint16_t>{2, 1}));
}

TEST_F(CorpusImporterTest,
       AttributesThatNobodyNamesOrThatBreakARuleAreRefusedBeforeAnythingIsRead) {
  IngestParams params = {.format = DocumentFormat::kBagOfWords,
                         .documents = folder_.Path("absent"),
                         .vocabulary = folder_.Path("absent"),
                         .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                         .strict = false,
                         .attributes = WardAndMonth()};
  for (const DocumentFormat format : {DocumentFormat::kBagOfWords, DocumentFormat::kTextFolder}) {
    params.format = format;
    EXPECT_THAT(Ingest(params, key_, output_, nullptr),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("JSON lines")));
  }
  params.format = DocumentFormat::kJsonLines;
  params.attributes[0].values = {"other"};
  EXPECT_THAT(Ingest(params, key_, output_, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ward")));
  EXPECT_TRUE(NothingWasWritten());
}

TEST_F(CorpusImporterTest, BagsOfWordsBecomeACorpusOfCounts) {
  folder_.Write("labels.txt", "New York\nR2-D2\n");
  const auto report = Ingest({.format = DocumentFormat::kBagOfWords,
                              .documents = folder_.Write("docword.txt", "2\n2\n2\n1 1 3\n2 2 1\n"),
                              .vocabulary = folder_.Path("labels.txt"),
                              .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                              .strict = true},
                             key_, output_, nullptr);
  ASSERT_OK(report);
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(output_, key_));
  EXPECT_EQ(store->description().tokenizer, "counts");
  EXPECT_TRUE(store->description().unjoinable);
  const PlainUnits units = *ReadUnits(*store);
  EXPECT_THAT(units.at(*UnitNaming(*key_.UnitIdKey()).OfDocument("1")),
              ElementsAre(std::vector<lda::TermCount>{{0, 3}}));
}

// Within a bound of 2.
IngestParams VectorsAt(const std::string& documents, DocumentFormat format,
                       v1::PrivacyUnit unit = v1::PRIVACY_UNIT_DOCUMENT) {
  return {.format = format,
          .documents = documents,
          .vocabulary = "",
          .privacy_unit = unit,
          .strict = false,
          .vectors = model::VectorSpace{.dimension = 2, .norm_bound = 2}};
}

TEST_F(CorpusImporterTest, LinesOfVectorsBecomeACorpusOfThem) {
  const std::string lines =
      "{\"id\": \"1\", \"owner\": \"ann\", \"vector\": [1, 0]}\n"
      "{\"id\": \"1\", \"owner\": \"bob\", \"vector\": [0, 9]}\n"
      "{\"id\": \"2\", \"owner\": \"bob\", \"vector\": [0, 9, 9]}\n"
      "{\"id\": \"3\", \"owner\": \"bob\", \"vector\": [-2, 0]}\n";
  IngestParams params = VectorsAt(folder_.Write("in.jsonl", lines), DocumentFormat::kJsonLines,
                                  v1::PRIVACY_UNIT_OWNER);
  ASSERT_OK_AND_ASSIGN(const auto report, Ingest(params, key_, output_, nullptr));
  EXPECT_EQ(report.accepted, 3);
  EXPECT_EQ(report.num_units, 2);
  EXPECT_THAT(
      Described(report),
      ElementsAre("line 3 has no vector of as many finite numbers as there are dimensions"));
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(output_, key_));
  ASSERT_OK(store->VerifyAll());
  const CorpusDescription& description = store->description();
  EXPECT_EQ(description.tokenizer, "vectors");
  EXPECT_THAT(description.vocabulary->terms(), ElementsAre("x1", "x2"));
  EXPECT_EQ(description.vectors, params.vectors);
  EXPECT_FALSE(description.unjoinable);
  ASSERT_OK_AND_ASSIGN(const auto units, ReadVectors(*store));
  std::vector<std::vector<std::vector<float>>> vectors;
  for (const auto& [id, of_unit] : units) vectors.push_back(of_unit);
  EXPECT_THAT(vectors, ::testing::UnorderedElementsAre(
                           ElementsAre(ElementsAre(0.5F, 0)),
                           ::testing::UnorderedElementsAre(ElementsAre(0, 1), ElementsAre(-1, 0))));
  params.strict = true;
  EXPECT_THAT(Ingest(params, key_, folder_.Path("strict"), nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 3")));
}

TEST_F(CorpusImporterTest, AUnitTooLargeToBeHeldWholeIsToldOf) {
  std::string numbers = "1";
  for (int i = 1; i < 1024; ++i) numbers += ",0";
  std::string lines;
  for (int i = 0; i <= 256; ++i) {  // one more than a block holds
    absl::StrAppend(&lines, "{\"id\":\"", i, "\",\"owner\":\"ann\",\"vector\":[", numbers, "]}\n");
  }
  IngestParams params = VectorsAt(folder_.Write("in.jsonl", lines), DocumentFormat::kJsonLines,
                                  v1::PRIVACY_UNIT_OWNER);
  params.vectors->dimension = 1024;
  ASSERT_OK_AND_ASSIGN(const auto report, Ingest(params, key_, output_, nullptr));
  EXPECT_EQ(report.accepted, 257);
  EXPECT_EQ(report.cut_units, 1);
}

TEST_F(CorpusImporterTest, RowsOfNumPyBecomeACorpusThatNoOtherCanBeComparedWith) {
  IngestParams params = VectorsAt(
      folder_.Write("in.npy", NpyFile({{1, 0}, {NAN, 0}, {0, 2}}, true)), DocumentFormat::kNpy);
  params.vocabulary = folder_.Write("names", "warmth\nlength of text\n");
  ASSERT_OK_AND_ASSIGN(const auto report, Ingest(params, key_, output_, nullptr));
  EXPECT_EQ(report.accepted, 2);
  EXPECT_THAT(Described(report), ElementsAre(HasSubstr("line 2 (row 2) has no vector")));
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(output_, key_));
  ASSERT_OK(store->VerifyAll());
  EXPECT_TRUE(store->description().unjoinable);
  EXPECT_THAT(store->description().vocabulary->terms(), ElementsAre("warmth", "length of text"));
  params.privacy_unit = v1::PRIVACY_UNIT_OWNER;
  EXPECT_THAT(Ingest(params, key_, folder_.Path("a"), nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("owner")));
}

TEST_F(CorpusImporterTest, VectorsHaveAFormatASpaceAndANameOfEachDimension) {
  const std::string npy = folder_.Write("in.npy", NpyFile({{1, 0}}, true));
  const auto refusal = [&](const std::function<void(IngestParams&)>& change) {
    IngestParams params = VectorsAt(npy, DocumentFormat::kNpy);
    change(params);
    return Ingest(params, key_, output_, nullptr).status();
  };
  const auto invalid = [](const char* rule) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(rule));
  };
  EXPECT_THAT(refusal([](IngestParams& p) { p.vectors.reset(); }), invalid("norm bound"));
  EXPECT_THAT(refusal([](IngestParams& p) { p.vectors->norm_bound = 0; }), invalid("norm bound"));
  EXPECT_THAT(refusal([](IngestParams& p) { p.vectors->dimension = 1025; }), invalid("dimension"));
  EXPECT_THAT(refusal([](IngestParams& p) { p.vectors->dimension = 3; }), invalid("columns"));
  EXPECT_THAT(refusal([](IngestParams& p) { p.format = DocumentFormat::kBagOfWords; }),
              invalid("JSON lines or .npy"));
  EXPECT_THAT(refusal([](IngestParams& p) { p.format = DocumentFormat::kTextFolder; }),
              invalid("JSON lines or .npy"));
  EXPECT_THAT(refusal([](IngestParams& p) { p.duplicates = v1::DUPLICATE_RULE_MERGE; }),
              invalid("--merge-duplicates"));
  EXPECT_THAT(refusal([&](IngestParams& p) { p.vocabulary = folder_.Write("names", "one\n"); }),
              invalid("2 dimensions"));
  EXPECT_THAT(refusal([](IngestParams& p) {
                p.format = DocumentFormat::kJsonLines;
                p.vectors.reset();
              }),
              invalid("word list"));
  EXPECT_TRUE(NothingWasWritten());
  EXPECT_OK(refusal([](IngestParams&) {}));
}

TEST_F(CorpusImporterTest, AFolderOfTextsBecomesACorpus) {
  folder_.Write("texts/a.txt", "apple");
  folder_.Write("texts/deep/b.txt", "pear");
  folder_.Write("texts/deep/odd\nname.txt", "plum");
  ASSERT_OK_AND_ASSIGN(const auto report, Ingest({.format = DocumentFormat::kTextFolder,
                                                  .documents = folder_.Path("texts"),
                                                  .vocabulary = folder_.Path("words.txt"),
                                                  .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                                                  .strict = false},
                                                 key_, output_, nullptr));
  EXPECT_EQ(report.accepted, 2);
  EXPECT_THAT(Described(report),
              ElementsAre("line 3 (deep/odd\\nname.txt) has no word of the vocabulary"));
  EXPECT_TRUE(
      ReadUnits(output_, key_)->contains(*UnitNaming(*key_.UnitIdKey()).OfDocument("deep/b.txt")));
}

TEST_F(CorpusImporterTest, BadDocumentsAreReportedByLineAndTheRestKept) {
  ASSERT_OK_AND_ASSIGN(const auto report, IngestLines(Line("1", "ann", "pear") +              // 1
                                                          "{\"id\": \"2\", \"text\"\n" +      // 2
                                                          Line("3", "ann", "") +              // 3
                                                          Line("4", "ann", "\xc0 pear") +     // 4
                                                          Line("5", "ann", "secret words") +  // 5
                                                          Line("", "bob", "apple") +          // 6
                                                          "{\"text\": \"pear\"}\n" +          // 7
                                                          Line("8", "bob", "apple"),          // 8
                                                      v1::PRIVACY_UNIT_DOCUMENT));
  EXPECT_EQ(report.accepted, 2);
  EXPECT_EQ(report.rejected, 6);
  EXPECT_THAT(Described(report),
              ElementsAre("line 2 is not one JSON object with each field once", "line 3 is empty",
                          "line 4 is not valid UTF-8", "line 5 has no word of the vocabulary",
                          "line 6 has no \"id\" that is a non-empty string",
                          "line 7 has no \"id\" that is a non-empty string"));
  EXPECT_EQ(ReadUnits(output_, key_)->size(), 2u);
}

TEST_F(CorpusImporterTest, LinesOfOneNameRefuseAllAndAreToldByNumberAndNeverByContent) {
  const std::string lines = Line("1", "ann", "pear") + Line("secret", "bob", "apple") +
                            Line("secret", "ann", "pear") + "rubbish\n" +
                            Line("secret", "bob", "pear apple");
  EXPECT_THAT(IngestLines(lines, v1::PRIVACY_UNIT_OWNER),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("line 5 repeats line 2"), Not(HasSubstr("line 3")),
                             Not(HasSubstr("secret")), HasSubstr("--merge-duplicates"),
                             HasSubstr("--leave-out"))));
  EXPECT_THAT(
      IngestLines(lines, v1::PRIVACY_UNIT_DOCUMENT),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("line 3 repeats line 2"), HasSubstr("line 5 repeats line 2"))));
  EXPECT_TRUE(NothingWasWritten());
}

TEST_F(CorpusImporterTest, LinesOfOneNameAreOneDocumentIfTheCustodianSaysSo) {
  const std::string input =
      folder_.Write("in.jsonl", Line("1", "ann", "pear apple") + Line("1", "bob", "apple") +
                                    Line("1", "ann", "pear pear"));
  IngestParams params = {.format = DocumentFormat::kJsonLines,
                         .documents = input,
                         .vocabulary = folder_.Path("words.txt"),
                         .privacy_unit = v1::PRIVACY_UNIT_OWNER,
                         .strict = true,
                         .duplicates = v1::DUPLICATE_RULE_MERGE};
  ASSERT_OK_AND_ASSIGN(const auto merged, Ingest(params, key_, output_, nullptr));
  EXPECT_EQ(merged.accepted, 2);
  EXPECT_EQ(merged.repeated_lines, 1);
  EXPECT_EQ(merged.num_units, 2);
  const random::UnitId ann = *UnitNaming(*key_.UnitIdKey()).OfOwner("ann");
  EXPECT_THAT(ReadUnits(output_, key_)->at(ann),
              ElementsAre(std::vector<lda::TermCount>{{0, 1}, {1, 3}}));
  params.duplicates = v1::DUPLICATE_RULE_LEAVE_OUT;
  ASSERT_OK(Ingest(params, key_, folder_.Path("other"), nullptr));
  EXPECT_THAT(ReadUnits(folder_.Path("other"), key_)->at(ann),
              ElementsAre(std::vector<lda::TermCount>{{0, 1}, {1, 2}}));
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(folder_.Path("other"), key_));
  EXPECT_EQ(store->description().duplicates, v1::DUPLICATE_RULE_LEAVE_OUT);
}

TEST_F(CorpusImporterTest, MoreUnitsThanTheLimitAllowsAreRefused) {
  IngestParams params = {
      .format = DocumentFormat::kJsonLines,
      .documents = folder_.Write("in.jsonl", Line("1", "ann", "pear") + Line("2", "bob", "pear") +
                                                 Line("3", "bob", "apple")),
      .vocabulary = folder_.Path("words.txt"),
      .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
      .strict = true,
      .max_units = 2};
  EXPECT_THAT(Ingest(params, key_, output_, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("more than 2 privacy units"), HasSubstr("max_units"))));
  EXPECT_TRUE(NothingWasWritten());
  params.privacy_unit = v1::PRIVACY_UNIT_OWNER;
  EXPECT_OK(Ingest(params, key_, output_, nullptr));
}

TEST_F(CorpusImporterTest, OnlyTheFirstTwentyAreNamedButAllAreCounted) {
  std::string lines = Line("good", "ann", "pear");
  for (int i = 0; i < 50; ++i) lines += "{}\n";
  ASSERT_OK_AND_ASSIGN(const auto report, IngestLines(lines, v1::PRIVACY_UNIT_DOCUMENT));
  EXPECT_EQ(report.rejected, 50);
  EXPECT_EQ(report.first_rejected.size(), 20u);
  EXPECT_EQ(report.first_rejected.front().line, 2);
}

TEST_F(CorpusImporterTest, StrictRefusesTheWholeForOneBadDocument) {
  const auto report = IngestLines(Line("1", "ann", "pear") + Line("2", "ann", "secret"),
                                  v1::PRIVACY_UNIT_DOCUMENT, /*strict=*/true);
  EXPECT_THAT(report, StatusIs(absl::StatusCode::kInvalidArgument,
                               AllOf(HasSubstr("line 2 has no word"), Not(HasSubstr("secret")))));
  EXPECT_TRUE(NothingWasWritten());
  EXPECT_OK(IngestLines(Line("1", "ann", "pear"), v1::PRIVACY_UNIT_DOCUMENT, /*strict=*/true));
}

TEST_F(CorpusImporterTest, OneDocumentWithoutAnOwnerRefusesTheWholeWhereTheUnitIsTheOwner) {
  std::string lines = Line("1", "ann", "pear") + Line("2", "", "pear");
  for (int i = 3; i < 40; ++i) lines += Line(absl::StrCat(i), "bob", "apple");
  lines += "{\"id\":\"40\",\"text\":\"pear\"}\n";
  EXPECT_THAT(
      IngestLines(lines, v1::PRIVACY_UNIT_OWNER),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("2 do not. Give each its owner"),
                     HasSubstr("line 2 has no \"owner\""), HasSubstr("line 40 has no \"owner\""))));
  EXPECT_TRUE(NothingWasWritten());
  EXPECT_OK(IngestLines(lines, v1::PRIVACY_UNIT_DOCUMENT));
}

TEST_F(CorpusImporterTest, FormatsWithoutOwnersCannotMakeACorpusOfOwners) {
  for (const DocumentFormat format : {DocumentFormat::kBagOfWords, DocumentFormat::kTextFolder}) {
    EXPECT_THAT(Ingest({.format = format,
                        .documents = folder_.Path("in"),
                        .vocabulary = folder_.Path("words.txt"),
                        .privacy_unit = v1::PRIVACY_UNIT_OWNER,
                        .strict = false},
                       key_, output_, nullptr),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("JSON lines")));
  }
}

TEST_F(CorpusImporterTest, AnInputWithoutAUsableDocumentIsRefused) {
  EXPECT_THAT(IngestLines("", v1::PRIVACY_UNIT_DOCUMENT),
              StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("Rejected"))));
  EXPECT_THAT(IngestLines(Line("1", "ann", "plum"), v1::PRIVACY_UNIT_DOCUMENT),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 1")));
  EXPECT_TRUE(NothingWasWritten());
}

TEST_F(CorpusImporterTest, AFileCutShortIsRefusedAsAWhole) {
  EXPECT_THAT(Ingest({.format = DocumentFormat::kBagOfWords,
                      .documents = folder_.Write("docword.txt", "2\n2\n9\n1 1 3\n2 2 1\n"),
                      .vocabulary = folder_.Path("words.txt"),
                      .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                      .strict = false},
                     key_, output_, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 5")));
  EXPECT_TRUE(NothingWasWritten());
}

TEST_F(CorpusImporterTest, AnExistingOutputIsKept) {
  folder_.Write("out.corpus", "what was there");
  EXPECT_THAT(IngestLines(Line("1", "ann", "pear"), v1::PRIVACY_UNIT_DOCUMENT),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(folder_.Content("out.corpus"), "what was there");
}

TEST_F(CorpusImporterTest, MissingInputsAreNamed) {
  const IngestParams params = {.format = DocumentFormat::kJsonLines,
                               .documents = folder_.Path("absent.jsonl"),
                               .vocabulary = folder_.Path("words.txt"),
                               .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                               .strict = false};
  EXPECT_THAT(Ingest(params, key_, output_, nullptr),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent.jsonl")));
  IngestParams no_words = params;
  no_words.vocabulary = folder_.Path("absent.txt");
  EXPECT_THAT(Ingest(no_words, key_, output_, nullptr),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent.txt")));
  EXPECT_TRUE(NothingWasWritten());
}

TEST_F(CorpusImporterTest, ProgressRisesToOneAndCountsEveryDocument) {
  std::string lines;
  for (int i = 0; i < 2500; ++i) lines += Line(absl::StrCat(i), "ann", "pear apple");
  std::vector<double> fractions;
  int64_t documents = 0;
  const auto report = Ingest({.format = DocumentFormat::kJsonLines,
                              .documents = folder_.Write("in.jsonl", lines),
                              .vocabulary = folder_.Path("words.txt"),
                              .privacy_unit = v1::PRIVACY_UNIT_DOCUMENT,
                              .strict = true},
                             key_, output_, [&](double fraction, int64_t seen) {
                               fractions.push_back(fraction);
                               documents = seen;
                             });
  ASSERT_OK(report);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GE(fractions.size(), 3u);
  EXPECT_EQ(fractions.back(), 1.0);
  EXPECT_EQ(documents, 2500);
}

TEST_F(CorpusImporterTest, NoWordOrNameOfTheInputIsInTheFile) {
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines += Line(absl::StrCat("patient-", i), "dr-private", "apple pear hidden-word");
  }
  ASSERT_OK(IngestLines(lines, v1::PRIVACY_UNIT_OWNER));
  const std::string content = folder_.Content("out.corpus");
  for (const char* text : {"apple", "pear", "hidden", "patient-", "dr-private"}) {
    EXPECT_THAT(content, Not(HasSubstr(text)));
  }
}

}  // namespace
}  // namespace topicwall::corpus
