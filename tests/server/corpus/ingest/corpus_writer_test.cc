#include "server/corpus/ingest/corpus_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/corpus.pb.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_seal.h"
#include "server/corpus/ingest/unit_naming.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

class CorpusWriterTest : public ::testing::Test {
 protected:
  UnitNaming Naming() const { return UnitNaming(*key_.UnitIdKey()); }

  const sealing::CustodianKey key_ = NewKey();
  testing::TemporaryDirectory folder_;
};

TEST_F(CorpusWriterTest, EveryDocumentIsAUnitOfItsOwnByDocument) {
  const std::vector<PlainDocument> documents = PlainDocuments(10);
  ASSERT_OK_AND_ASSIGN(
      const auto written,
      WriteCorpus(folder_.Path("a"), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT), documents, key_));
  EXPECT_EQ(written.num_units, 10);
  ASSERT_OK_AND_ASSIGN(const auto units, ReadUnits(folder_.Path("a"), key_));
  for (const PlainDocument& document : documents) {
    EXPECT_THAT(units.at(*Naming().OfDocument(document.id)), ElementsAre(document.counts));
  }
}

TEST_F(CorpusWriterTest, AllDocumentsOfAnOwnerAreOneUnitByOwner) {
  const std::vector<PlainDocument> documents = PlainDocuments(10);
  ASSERT_OK_AND_ASSIGN(
      const auto written,
      WriteCorpus(folder_.Path("a"), ParamsOf(v1::PRIVACY_UNIT_OWNER), documents, key_));
  EXPECT_EQ(written.num_units, 3);
  ASSERT_OK_AND_ASSIGN(const auto units, ReadUnits(folder_.Path("a"), key_));
  ASSERT_EQ(units.size(), 3u);
  for (const std::string owner : {"ann", "bob", "cyd"}) {
    std::vector<std::vector<lda::TermCount>> expected;
    for (const PlainDocument& document : documents) {
      if (document.owner == owner) expected.push_back(document.counts);
    }
    EXPECT_THAT(units.at(*Naming().OfOwner(owner)), ::testing::UnorderedElementsAreArray(expected));
  }
}

TEST_F(CorpusWriterTest, OrderOfInputLeavesNoTrace) {
  std::vector<PlainDocument> documents = PlainDocuments(700);
  for (const v1::PrivacyUnit unit : {v1::PRIVACY_UNIT_DOCUMENT, v1::PRIVACY_UNIT_OWNER}) {
    const std::string first = folder_.Path(absl::StrCat("first", static_cast<int>(unit)));
    const std::string second = folder_.Path(absl::StrCat("second", static_cast<int>(unit)));
    ASSERT_OK(WriteCorpus(first, ParamsOf(unit), documents, key_));
    std::reverse(documents.begin(), documents.end());
    std::swap(documents[3], documents[200]);
    ASSERT_OK(WriteCorpus(second, ParamsOf(unit), documents, key_));
    // Compared block by block, unit by unit, document by document, in stored order.
    ASSERT_OK_AND_ASSIGN(const auto a, CorpusStore::Open(first, key_));
    ASSERT_OK_AND_ASSIGN(const auto b, CorpusStore::Open(second, key_));
    ASSERT_EQ(a->num_blocks(), b->num_blocks());
    UnitBlock block_a;
    UnitBlock block_b;
    CorpusStore::ReadSpace space;
    for (int number = 0; number < a->num_blocks(); ++number) {
      ASSERT_OK(a->ReadBlock(number, &block_a, &space));
      ASSERT_OK(b->ReadBlock(number, &block_b, &space));
      EXPECT_EQ(block_a.Serialize(), block_b.Serialize());
    }
  }
}

TEST_F(CorpusWriterTest, UnitIdsAreTheSameInEveryCorpusUnderOneIdentity) {
  const std::vector<PlainDocument> documents = PlainDocuments(20);
  const std::vector<PlainDocument> half(documents.begin(), documents.begin() + 10);
  const auto params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  ASSERT_OK_AND_ASSIGN(const auto other_sealing,
                       sealing::CustodianKey::GenerateWithIdentityOf(key_));
  ASSERT_OK(WriteCorpus(folder_.Path("all"), params, documents, key_));
  ASSERT_OK(WriteCorpus(folder_.Path("half"), params, half, other_sealing));
  ASSERT_OK_AND_ASSIGN(const auto all_ids,
                       (*CorpusStore::Open(folder_.Path("all"), key_))->UnitIds());
  ASSERT_OK_AND_ASSIGN(const auto half_ids,
                       (*CorpusStore::Open(folder_.Path("half"), other_sealing))->UnitIds());
  ASSERT_EQ(half_ids.size(), 10u);
  EXPECT_TRUE(std::includes(all_ids.begin(), all_ids.end(), half_ids.begin(), half_ids.end()));
}

TEST_F(CorpusWriterTest, EveryIngestionHasItsOwnVersionAndBytes) {
  std::set<CorpusVersion> versions;
  std::set<std::string> contents;
  for (const std::string name : {"a", "b", "c"}) {
    ASSERT_OK_AND_ASSIGN(const auto written,
                         WriteCorpus(folder_.Path(name), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                                     PlainDocuments(5), key_));
    versions.insert(written.version);
    contents.insert(folder_.Content(name));
  }
  EXPECT_EQ(versions.size(), 3u);
  EXPECT_EQ(contents.size(), 3u);
}

TEST_F(CorpusWriterTest, NothingOfDocumentsOwnersOrVocabularyIsInTheFile) {
  std::vector<PlainDocument> documents = PlainDocuments(300);
  documents[0].owner = "owner-with-a-name";
  ASSERT_OK(WriteCorpus(folder_.Path("a"), ParamsOf(v1::PRIVACY_UNIT_OWNER), documents, key_));
  const std::string content = folder_.Content("a");
  for (const char* text :
       {"alpha", "gamma", "secretive", "doc-1", "owner-with-a-name", "words-1"}) {
    EXPECT_THAT(content, Not(HasSubstr(text)));
  }
  const random::UnitId id = *Naming().OfOwner("ann");
  EXPECT_THAT(content, Not(HasSubstr(std::string(id.begin(), id.end()))));
}

TEST_F(CorpusWriterTest, BlocksEndAfter256UnitsOrBeforeTheUnitThatDoesNotFit) {
  ASSERT_OK(WriteCorpus(folder_.Path("256"), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                        PlainDocuments(256), key_));
  EXPECT_EQ((*CorpusStore::Open(folder_.Path("256"), key_))->num_blocks(), 1);
  ASSERT_OK(WriteCorpus(folder_.Path("257"), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                        PlainDocuments(257), key_));
  EXPECT_EQ((*CorpusStore::Open(folder_.Path("257"), key_))->num_blocks(), 2);

  std::vector<std::string> terms;
  std::vector<lda::TermCount> counts;
  for (uint32_t term = 0; term < 100'000; ++term) {
    terms.push_back(absl::StrCat("t", term));
    counts.push_back({term, 1});
  }
  CorpusParams params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.tokenizer = lda::kCountsTokenizerName;
  params.vocabulary =
      std::make_shared<const lda::Vocabulary>(*lda::Vocabulary::CreateOpaque(terms));
  std::vector<PlainDocument> documents;
  for (const std::string id : {"1", "2", "3", "4"}) documents.push_back({id, "", counts});
  ASSERT_OK(WriteCorpus(folder_.Path("large"), params, documents, key_));
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(folder_.Path("large"), key_));
  EXPECT_EQ(store->num_blocks(), 2);  // 3 × 100,000 > 2^18 entries
  EXPECT_OK(store->VerifyAll());
}

// One owner's 5,000 documents are more than one of the sorter's heaps keeps in memory, 64 KiB:
// they go through the disk.
TEST_F(CorpusWriterTest, WhatIsSortedOnTheDiskArrivesWholeAndLeavesNothingThere) {
  std::vector<PlainDocument> documents = PlainDocuments(5000);
  for (PlainDocument& document : documents) document.owner = "ann";
  ASSERT_OK_AND_ASSIGN(
      const auto written,
      WriteCorpus(folder_.Path("a"), ParamsOf(v1::PRIVACY_UNIT_OWNER), documents, key_));
  EXPECT_EQ(written.num_units, 1);
  EXPECT_THAT(folder_.Names(), ElementsAre("a"));
  ASSERT_OK_AND_ASSIGN(const auto units, ReadUnits(folder_.Path("a"), key_));
  // Document i alone has i + 1 of its first term.
  std::vector<bool> found(documents.size(), false);
  for (const std::vector<lda::TermCount>& counts : units.begin()->second) {
    const size_t i = counts.at(0).count - 1;
    ASSERT_LT(i, documents.size());
    EXPECT_EQ(counts, documents[i].counts);
    EXPECT_FALSE(found[i]);
    found[i] = true;
  }
  EXPECT_EQ(units.begin()->second.size(), documents.size());
  EXPECT_OK((*CorpusStore::Open(folder_.Path("a"), key_))->VerifyAll());
}

// As above through the disk, and by document in many blocks.
TEST_F(CorpusWriterTest, EveryDocumentKeepsItsValues) {
  std::vector<PlainDocument> documents = PlainDocuments(5000);
  for (size_t i = 0; i < documents.size(); ++i) {
    documents[i].attributes = {static_cast<uint16_t>(i % 3), static_cast<uint16_t>(i / 9 % 3)};
  }
  for (const v1::PrivacyUnit unit : {v1::PRIVACY_UNIT_DOCUMENT, v1::PRIVACY_UNIT_OWNER}) {
    CorpusParams params = ParamsOf(unit);
    params.attributes = WardAndMonth();
    const std::string path = folder_.Path(absl::StrCat("a", static_cast<int>(unit)));
    ASSERT_OK(WriteCorpus(path, params, documents, key_));
    ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(path, key_));
    EXPECT_EQ(store->description().attributes, WardAndMonth());
    EXPECT_OK(store->VerifyAll());
    size_t found = 0;
    EXPECT_OK(ForEachDocument(*store, [&](const UnitBlock& block, int position, int number) {
      // Document i alone has i + 1 of its first term.
      const size_t i = block.document(position, number)[0].count - 1;
      EXPECT_EQ(block.attributes(position, number), absl::MakeConstSpan(documents[i].attributes));
      ++found;
    }));
    EXPECT_EQ(found, documents.size());
  }
}

TEST_F(CorpusWriterTest, EveryVectorArrivesWithItsValuesInItsUnit) {
  constexpr int kDimension = 5;
  std::vector<PlainDocument> documents = PlainVectors(600, kDimension);
  for (PlainDocument& document : documents) document.attributes = {1, 2};
  for (const v1::PrivacyUnit unit : {v1::PRIVACY_UNIT_DOCUMENT, v1::PRIVACY_UNIT_OWNER}) {
    CorpusParams params = VectorParamsOf(unit, kDimension);
    params.attributes = WardAndMonth();
    const std::string path = folder_.Path(absl::StrCat("v", static_cast<int>(unit)));
    ASSERT_OK_AND_ASSIGN(const auto written, WriteCorpus(path, params, documents, key_));
    EXPECT_EQ(written.num_units, unit == v1::PRIVACY_UNIT_OWNER ? 3 : 600);
    ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(path, key_));
    EXPECT_OK(store->VerifyAll());
    EXPECT_EQ(store->description().vectors, params.vectors);
    EXPECT_EQ(ShapeOf(store->description()).vector_dimension, kDimension);
    std::vector<std::vector<float>> found;
    EXPECT_OK(ForEachDocument(*store, [&](const UnitBlock& block, int position, int number) {
      const absl::Span<const float> vector = block.vector(position, number);
      found.emplace_back(vector.begin(), vector.end());
      EXPECT_EQ(block.attributes(position, number), absl::MakeConstSpan(documents[0].attributes));
      EXPECT_TRUE(block.document(position, number).empty());
    }));
    std::vector<std::vector<float>> given;
    for (const PlainDocument& document : documents) given.push_back(document.vector);
    EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(given));
  }
}

// 2^18 numbers: a unit of more vectors is cut, and no other one's place is taken.
TEST_F(CorpusWriterTest, AUnitOfVectorsBeyondABlockIsCutAndCounted) {
  constexpr int kDimension = 1024;
  std::vector<PlainDocument> documents = PlainVectors(300, kDimension);
  for (PlainDocument& document : documents) document.owner = "ann";
  documents.push_back(documents[0]);
  documents.back().owner = "bob";
  ASSERT_OK_AND_ASSIGN(
      const auto written,
      WriteCorpus(folder_.Path("a"), VectorParamsOf(v1::PRIVACY_UNIT_OWNER, kDimension), documents,
                  key_));
  EXPECT_EQ(written.num_units, 2);
  EXPECT_EQ(written.cut_units, 1);
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(folder_.Path("a"), key_));
  EXPECT_OK(store->VerifyAll());
  ASSERT_OK_AND_ASSIGN(const auto units, ReadVectors(*store));
  std::vector<size_t> sizes;
  for (const auto& [id, vectors] : units) sizes.push_back(vectors.size());
  EXPECT_THAT(sizes, ::testing::UnorderedElementsAre(256u, 1u));
}

TEST_F(CorpusWriterTest, WhatIsNoVectorOfTheSpaceIsNotIn) {
  ASSERT_OK_AND_ASSIGN(
      const auto writer,
      CorpusWriter::Create(folder_.Path("a"), VectorParamsOf(v1::PRIVACY_UNIT_DOCUMENT, 2), key_));
  const auto add = [&](const std::vector<lda::TermCount>& counts,
                       const std::vector<float>& vector) {
    return writer->Add("doc", "ann", counts, 1, {}, vector);
  };
  for (const std::vector<float>& vector :
       {std::vector<float>{}, {0}, {0, 0, 0}, {1, 0.001F}, {NAN, 0}, {0, INFINITY}}) {
    EXPECT_THAT(add({}, vector), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("vector")));
  }
  EXPECT_THAT(add({{0, 1}}, {0, 0}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(add({{0, 1}}, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_OK(add({}, {0, -1}));
  EXPECT_OK(writer->Finish());
  ASSERT_OK_AND_ASSIGN(
      const auto text,
      CorpusWriter::Create(folder_.Path("b"), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT), key_));
  EXPECT_THAT(
      text->Add("doc", "", std::vector<lda::TermCount>{{0, 1}}, 1, {}, std::vector<float>{0}),
      StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(text->Add("doc", "", {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(CorpusWriterTest, VectorsAreNeverMerged) {
  for (const v1::DuplicateRule rule : {v1::DUPLICATE_RULE_MERGE, v1::DUPLICATE_RULE_LEAVE_OUT}) {
    CorpusParams params = VectorParamsOf(v1::PRIVACY_UNIT_DOCUMENT, 2);
    params.duplicates = rule;
    EXPECT_THAT(CorpusWriter::Create(folder_.Path("a"), params, key_),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--merge-duplicates")));
  }
  std::vector<PlainDocument> documents = PlainVectors(2, 2);
  documents[1].id = documents[0].id;
  EXPECT_THAT(
      WriteCorpus(folder_.Path("a"), VectorParamsOf(v1::PRIVACY_UNIT_DOCUMENT, 2), documents, key_),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("of an earlier one: 1"),
                     ::testing::Not(HasSubstr("--merge-duplicates")))));
  EXPECT_OK(
      WriteCorpus(folder_.Path("a"), VectorParamsOf(v1::PRIVACY_UNIT_OWNER, 2), documents, key_))
      << "of two owners";
}

// What the file of a corpus without attributes is made of is what it was before there were any.
TEST_F(CorpusWriterTest, WithoutAttributesNothingOfTheFileSpeaksOfThem) {
  ASSERT_OK(WriteCorpus(folder_.Path("a"), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT), PlainDocuments(10),
                        key_));
  ASSERT_OK_AND_ASSIGN(const auto file, CorpusFileReader::Open(folder_.Path("a")));
  const CorpusSeal seal(file->version(), *key_.CorpusSealingKey());
  v1::CorpusManifest manifest;
  ASSERT_TRUE(manifest.ParseFromString(*seal.OpenManifest(file->sealed_manifest())));
  EXPECT_EQ(manifest.format_version(), 2);
  EXPECT_EQ(manifest.attributes_size(), 0);
  std::string sealed;
  std::string block;
  ASSERT_OK(file->ReadBlock(0, &sealed));
  ASSERT_OK(seal.OpenBlock(sealed, 0, 1, &block));
  // Units, documents and entries; of each unit id and documents, of each document its entries.
  EXPECT_EQ(block.size(), 16u + 10 * (16 + 4) + 10 * 4 + 20 * 8);
}

TEST_F(CorpusWriterTest, AnIdThatAnOwnerUsesTwiceRefusesAllAndIsToldByItsLines) {
  ASSERT_OK_AND_ASSIGN(
      const auto writer,
      CorpusWriter::Create(folder_.Path("a"), ParamsOf(v1::PRIVACY_UNIT_OWNER), key_));
  const std::vector<lda::TermCount> counts = {{0, 1}};
  ASSERT_OK(writer->Add("doc", "ann", counts, 4));
  ASSERT_OK(writer->Add("doc", "bob", counts, 5));
  ASSERT_OK(writer->Add("doc", "ann", counts, 6));
  EXPECT_THAT(writer->Finish(), StatusIs(absl::StatusCode::kInvalidArgument,
                                         AllOf(HasSubstr("of an earlier one: 1\n"),
                                               HasSubstr("line 6 repeats line 4"))));
}

TEST_F(CorpusWriterTest, AnotherOwnersIdsAreNobodysBusiness) {
  std::vector<PlainDocument> documents = PlainDocuments(30);
  ASSERT_OK(WriteCorpus(folder_.Path("before"), ParamsOf(v1::PRIVACY_UNIT_OWNER), documents, key_));
  for (int i = 0; i < 30; ++i) {
    documents.insert(documents.begin(), {absl::StrCat("doc-", i), "eve", {{3, 7}}});
  }
  ASSERT_OK_AND_ASSIGN(
      const auto written,
      WriteCorpus(folder_.Path("after"), ParamsOf(v1::PRIVACY_UNIT_OWNER), documents, key_));
  EXPECT_EQ(written.num_units, 4);
  PlainUnits after = *ReadUnits(folder_.Path("after"), key_);
  EXPECT_EQ(after.at(*Naming().OfOwner("eve")).size(), 30u);
  after.erase(*Naming().OfOwner("eve"));
  EXPECT_EQ(after, *ReadUnits(folder_.Path("before"), key_));
}

TEST_F(CorpusWriterTest, WhatIsRepeatedOrCutIsCountedForTheCustodian) {
  CorpusParams params = ParamsOf(v1::PRIVACY_UNIT_OWNER);
  params.duplicates = v1::DUPLICATE_RULE_MERGE;
  std::vector<PlainDocument> documents = PlainDocuments(30);
  documents.push_back(documents[7]);
  documents.push_back(documents[7]);
  const std::vector<lda::TermCount> counts = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}};
  for (int i = 0; i < 60'000; ++i) documents.push_back({absl::StrCat(i), "dan", counts});
  ASSERT_OK_AND_ASSIGN(const auto written, WriteCorpus(folder_.Path("a"), params, documents, key_));
  EXPECT_EQ(written.num_units, 4);
  EXPECT_EQ(written.repeated_lines, 2);
  EXPECT_EQ(written.cut_units, 1);
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(folder_.Path("a"), key_));
  EXPECT_EQ(store->description().duplicates, v1::DUPLICATE_RULE_MERGE);
  EXPECT_OK(store->VerifyAll());
  EXPECT_EQ(ReadUnits(*store)->at(*Naming().OfOwner("dan")).size(), kEntriesPerBlock / 5);
}

TEST_F(CorpusWriterTest, DocumentsThatBreakARuleAreNotIn) {
  ASSERT_OK_AND_ASSIGN(
      const auto writer,
      CorpusWriter::Create(folder_.Path("a"), ParamsOf(v1::PRIVACY_UNIT_OWNER), key_));
  const auto invalid = StatusIs(absl::StatusCode::kInvalidArgument);
  using Counts = std::vector<lda::TermCount>;
  EXPECT_THAT(writer->Add("doc", "", Counts{{0, 1}}), invalid);
  EXPECT_THAT(writer->Add("doc", "ann", Counts{}), invalid);
  EXPECT_THAT(writer->Add("doc", "ann", Counts{{0, 0}}), invalid);
  EXPECT_THAT(writer->Add("doc", "ann", Counts{{5, 1}}), invalid);
  EXPECT_THAT(writer->Add("doc", "ann", Counts{{1, 1}, {0, 1}}), invalid);
  EXPECT_THAT(writer->Add("doc", "ann", Counts{{1, 1}, {1, 1}}), invalid);
  EXPECT_THAT(writer->Add("doc", "ann", Counts{{0, 1}}, 1, std::vector<uint16_t>{0}), invalid);
  EXPECT_OK(writer->Add("doc", "ann", Counts{{0, 1}}));
}

TEST_F(CorpusWriterTest, ValuesThatAreNoneOfTheAttributesAreNotIn) {
  CorpusParams params = ParamsOf(v1::PRIVACY_UNIT_OWNER);
  params.attributes = WardAndMonth();
  ASSERT_OK_AND_ASSIGN(const auto writer, CorpusWriter::Create(folder_.Path("a"), params, key_));
  const std::vector<lda::TermCount> counts = {{0, 1}};
  for (const std::vector<uint16_t>& values :
       {std::vector<uint16_t>{}, {0}, {0, 0, 0}, {3, 0}, {0, 3}, {65535, 0}}) {
    EXPECT_THAT(writer->Add("doc", "ann", counts, 1, values),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("attributes")));
  }
  EXPECT_OK(writer->Add("doc", "ann", counts, 1, std::vector<uint16_t>{2, 2}));
  EXPECT_OK(writer->Finish());
}

TEST_F(CorpusWriterTest, RefusedCorporaLeaveNoFile) {
  CorpusParams params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  EXPECT_THAT(WriteCorpus(folder_.Path("a"), params, {}, key_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least one document")));
  params.max_units = 9;
  EXPECT_OK(WriteCorpus(folder_.Path("nine"), params, PlainDocuments(9), key_));
  EXPECT_THAT(WriteCorpus(folder_.Path("a"), params, PlainDocuments(10), key_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 9")));
  EXPECT_THAT(folder_.Names(), ElementsAre("nine"));
}

TEST_F(CorpusWriterTest, ParamsOutOfTheirDomainAreNamed) {
  CorpusParams params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.tokenizer = "words-2";
  EXPECT_THAT(CorpusWriter::Create(folder_.Path("a"), params, key_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("words-2")));
  params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.vocabulary = nullptr;
  EXPECT_THAT(CorpusWriter::Create(folder_.Path("a"), params, key_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("vocabulary")));
  params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.duplicates = v1::DUPLICATE_RULE_UNSPECIFIED;
  EXPECT_THAT(CorpusWriter::Create(folder_.Path("a"), params, key_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("duplicates")));
  params = ParamsOf(v1::PRIVACY_UNIT_UNSPECIFIED);
  EXPECT_THAT(CorpusWriter::Create(folder_.Path("a"), params, key_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("privacy_unit")));
  params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.attributes = {{.name = "owner", .values = {"ann"}}};
  EXPECT_THAT(CorpusWriter::Create(folder_.Path("a"), params, key_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("owner")));
  for (const int64_t max_units : {int64_t{0}, int64_t{-1}, kMaxUnits + 1}) {
    params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
    params.max_units = max_units;
    EXPECT_THAT(CorpusWriter::Create(folder_.Path("a"), params, key_),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("max_units")));
  }
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(CorpusWriterTest, ACorpusIsNeverWrittenOver) {
  const auto params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  ASSERT_OK(WriteCorpus(folder_.Path("a"), params, PlainDocuments(3), key_));
  const std::string before = folder_.Content("a");
  EXPECT_THAT(WriteCorpus(folder_.Path("a"), params, PlainDocuments(4), key_),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(folder_.Content("a"), before);
}

}  // namespace
}  // namespace topicwall::corpus
