#include "server/corpus/unit_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/data/document.h"

namespace topicwall::corpus {
namespace {

constexpr int64_t kTerms = 10;
const model::CorpusShape kPlain = {.vocabulary_size = kTerms};
const model::CorpusShape kTwoAttributes = {.vocabulary_size = kTerms, .attribute_sizes = {3, 300}};

using Counts = std::vector<lda::TermCount>;
using Values = std::vector<uint16_t>;

random::UnitId Id(uint8_t last) {
  random::UnitId id = {};
  id[15] = last;
  return id;
}

UnitBlock TwoUnits() {
  UnitBlock block;
  block.AddUnit(Id(1));
  block.AddDocument(std::vector<lda::TermCount>{{0, 2}, {9, 1}});
  block.AddDocument(std::vector<lda::TermCount>{{3, 4294967295u}});
  block.AddUnit(Id(2));
  block.AddDocument(std::vector<lda::TermCount>{{1, 1}, {2, 1}, {5, 7}});
  return block;
}

// The same documents with values of two attributes.
UnitBlock TwoUnitsWithValues() {
  UnitBlock block;
  block.AddUnit(Id(1));
  block.AddDocument(Counts{{0, 2}, {9, 1}}, Values{0, 299});
  block.AddDocument(Counts{{3, 4294967295u}}, Values{2, 258});
  block.AddUnit(Id(2));
  block.AddDocument(Counts{{1, 1}, {2, 1}, {5, 7}}, Values{1, 0});
  return block;
}

void ExpectValues(const UnitBlock& block) {
  EXPECT_EQ(block.attributes(0, 0), absl::MakeConstSpan(Values{0, 299}));
  EXPECT_EQ(block.attributes(0, 1), absl::MakeConstSpan(Values{2, 258}));
  EXPECT_EQ(block.attributes(1, 0), absl::MakeConstSpan(Values{1, 0}));
}

void ExpectTwoUnits(const UnitBlock& block) {
  ASSERT_EQ(block.size(), 2);
  EXPECT_EQ(block.id(0), Id(1));
  EXPECT_EQ(block.ids()[1], Id(2));
  ASSERT_EQ(block.num_documents(0), 2);
  ASSERT_EQ(block.num_documents(1), 1);
  EXPECT_EQ(block.document(0, 0), lda::DocumentView(std::vector<lda::TermCount>{{0, 2}, {9, 1}}));
  EXPECT_EQ(block.document(0, 1), lda::DocumentView(std::vector<lda::TermCount>{{3, 4294967295u}}));
  EXPECT_EQ(block.document(1, 0),
            lda::DocumentView(std::vector<lda::TermCount>{{1, 1}, {2, 1}, {5, 7}}));
}

// The same with the little-endian 32-bit number at `offset` replaced.
std::string With(std::string bytes, size_t offset, uint32_t value) {
  for (size_t i = 0; i < 4; ++i) bytes.at(offset + i) = static_cast<char>(value >> (8 * i));
  return bytes;
}

TEST(UnitBlock, HoldsUnitsWithTheirDocuments) { ExpectTwoUnits(TwoUnits()); }

TEST(UnitBlock, ParsesWhatItSerialized) {
  UnitBlock block;
  ASSERT_TRUE(block.Parse(TwoUnits().Serialize(), kPlain));
  ExpectTwoUnits(block);
}

TEST(UnitBlock, HoldsNothingOfWhatItHeldBefore) {
  UnitBlock block;
  block.AddUnit(Id(77));
  for (int i = 0; i < 100; ++i) block.AddDocument(std::vector<lda::TermCount>{{8, 8}});
  ASSERT_TRUE(block.Parse(TwoUnits().Serialize(), kPlain));
  ExpectTwoUnits(block);
  block.Clear();
  EXPECT_EQ(block.size(), 0);
  ASSERT_TRUE(block.Parse(UnitBlock().Serialize(), kPlain));
  EXPECT_EQ(block.size(), 0);
}

// The layout is on disk: it must not drift. Written out by hand from the header's table.
TEST(UnitBlock, LayoutIsTheDocumentedOne) {
  UnitBlock block;
  block.AddUnit(Id(5));
  block.AddDocument(std::vector<lda::TermCount>{{1, 258}});
  const std::string expected(
      "\1\0\0\0"                          // units
      "\1\0\0\0"                          // documents
      "\1\0\0\0\0\0\0\0"                  // entries
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5"  // id
      "\1\0\0\0"                          // documents of the unit
      "\1\0\0\0"                          // entries of the document
      "\1\0\0\0\2\1\0\0",                 // term 1, count 258
      16 + 16 + 4 + 4 + 8);
  EXPECT_EQ(block.Serialize(), expected);
}

// Largest are blocks of documents of one term, and a term may be any.
UnitBlock LargestBlock(const model::CorpusShape& corpus) {
  const Values values(corpus.attribute_sizes.size(), 1);
  UnitBlock large;
  for (int unit = 0; unit < kUnitsPerBlock; ++unit) {
    random::UnitId id = {};
    id[0] = static_cast<uint8_t>(unit);
    large.AddUnit(id);
    large.AddDocument(Counts{{0, 1}}, values);
  }
  while (large.num_entries() < MostEntriesOfBlock(static_cast<size_t>(corpus.vocabulary_size))) {
    large.AddDocument(Counts{{0, 1}}, values);
  }
  return large;
}

TEST(UnitBlock, HasRoomForTheLargestBlockOnceItIsReserved) {
  for (const int64_t terms : {int64_t{10}, int64_t{kEntriesPerBlock} + 7}) {
    for (const std::vector<int>& sizes : {std::vector<int>{}, {3, 300, 65535}}) {
      const model::CorpusShape corpus = {.vocabulary_size = terms, .attribute_sizes = sizes};
      const UnitBlock large = LargestBlock(corpus);
      const std::string bytes = large.Serialize();
      EXPECT_EQ(bytes.size(), MostBytesOfBlock(corpus));
      UnitBlock block;
      block.Reserve(corpus);
      EXPECT_EQ(block.size(), 0);
      const auto* const ids = block.ids().data();
      ASSERT_TRUE(block.Parse(bytes, corpus));
      EXPECT_EQ(block.ids().data(), ids);
      EXPECT_GE(UnitBlock::BytesReserved(corpus) + 1000, block.BytesOfACopy());
      const auto* const values = block.attributes(0, 0).data();
      ASSERT_TRUE(block.Parse(bytes, corpus));
      EXPECT_EQ(block.attributes(0, 0).data(), values);
    }
  }
}

TEST(UnitBlock, ACopyTakesTwoBytesMoreForEveryValue) {
  EXPECT_EQ(TwoUnitsWithValues().BytesOfACopy(), TwoUnits().BytesOfACopy() + 3 * 2 * 2);
  EXPECT_EQ(UnitBlock::BytesReserved(kTwoAttributes),
            UnitBlock::BytesReserved(kPlain) + int64_t{kEntriesPerBlock} * 2 * 2);
}

TEST(UnitBlock, ParsesTheValuesThatItSerialized) {
  ExpectValues(TwoUnitsWithValues());
  UnitBlock block;
  ASSERT_TRUE(block.Parse(TwoUnitsWithValues().Serialize(), kTwoAttributes));
  ExpectTwoUnits(block);
  ExpectValues(block);
  // Nothing is left of them where there are none.
  ASSERT_TRUE(block.Parse(TwoUnits().Serialize(), kPlain));
  ExpectTwoUnits(block);
  EXPECT_TRUE(block.attributes(1, 0).empty());
  block.Clear();
  block.AddUnits(TwoUnitsWithValues());
  ExpectTwoUnits(block);
  ExpectValues(block);
}

TEST(UnitBlock, ValuesStandBehindEverythingElse) {
  EXPECT_EQ(
      TwoUnitsWithValues().Serialize(),
      TwoUnits().Serialize() + std::string("\0\0\x2b\1\2\0\2\1\1\0\0\0", 12));  // 0 299, 2 258, 1 0
}

TEST(UnitBlock, RefusesValuesThatTheirAttributeDoesNotHave) {
  const std::string bytes = TwoUnitsWithValues().Serialize();
  UnitBlock block;
  for (const std::vector<int>& sizes :
       {std::vector<int>{2, 300}, {3, 299}, {0, 300}, {3}, {3, 300, 300}, {}, {300}}) {
    EXPECT_FALSE(block.Parse(bytes, {.vocabulary_size = kTerms, .attribute_sizes = sizes}));
    EXPECT_EQ(block.size(), 0);
  }
  EXPECT_FALSE(block.Parse(TwoUnits().Serialize(), kTwoAttributes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(block.Parse(bytes.substr(0, size), kTwoAttributes)) << size;
    EXPECT_EQ(block.size(), 0);
  }
  EXPECT_FALSE(block.Parse(bytes + std::string(2, '\0'), kTwoAttributes));
  // Each document's, of the first and of the second attribute.
  for (size_t value = 0; value < 6; ++value) {
    std::string changed = bytes;
    changed[bytes.size() - 12 + 2 * value + 1] = 2;  // 512 or more
    EXPECT_FALSE(block.Parse(changed, kTwoAttributes)) << value;
    EXPECT_EQ(block.size(), 0);
  }
}

constexpr int kDimension = 3;
const model::CorpusShape kVectors = {.vocabulary_size = kDimension, .vector_dimension = kDimension};
using Vector = std::vector<float>;

UnitBlock TwoUnitsOfVectors(bool with_values = false) {
  const auto values = [&](Values of) { return with_values ? of : Values(); };
  UnitBlock block;
  block.AddUnit(Id(1));
  block.AddDocument({}, values({0, 299}), Vector{1, 0, -0.0F});
  block.AddDocument({}, values({2, 258}), Vector{0.5, -0.5, 0.5});
  block.AddUnit(Id(2));
  block.AddDocument({}, values({1, 0}), Vector{0, 0, 0});
  return block;
}

void ExpectTwoUnitsOfVectors(const UnitBlock& block) {
  ASSERT_EQ(block.size(), 2);
  ASSERT_EQ(block.num_documents(0), 2);
  ASSERT_EQ(block.num_documents(1), 1);
  EXPECT_EQ(block.num_entries(), 9u);
  EXPECT_EQ(block.vector(0, 0), absl::MakeConstSpan(Vector{1, 0, 0}));
  EXPECT_EQ(block.vector(0, 1), absl::MakeConstSpan(Vector{0.5, -0.5, 0.5}));
  EXPECT_EQ(block.vector(1, 0), absl::MakeConstSpan(Vector{0, 0, 0}));
  EXPECT_TRUE(block.document(0, 1).empty());
}

TEST(UnitBlock, HoldsVectorsInPlaceOfCounts) {
  ExpectTwoUnitsOfVectors(TwoUnitsOfVectors());
  UnitBlock block;
  ASSERT_TRUE(block.Parse(TwoUnitsOfVectors().Serialize(), kVectors));
  ExpectTwoUnitsOfVectors(block);
  EXPECT_TRUE(block.attributes(0, 0).empty());
  model::CorpusShape shape = kVectors;
  shape.attribute_sizes = {3, 300};
  ASSERT_TRUE(block.Parse(TwoUnitsOfVectors(/*with_values=*/true).Serialize(), shape));
  ExpectTwoUnitsOfVectors(block);
  ExpectValues(block);
  // Nothing of one kind is left in a block of the other.
  ASSERT_TRUE(block.Parse(TwoUnits().Serialize(), kPlain));
  ExpectTwoUnits(block);
  EXPECT_TRUE(block.vector(0, 0).empty());
  ASSERT_TRUE(block.Parse(TwoUnitsOfVectors().Serialize(), kVectors));
  ExpectTwoUnitsOfVectors(block);
  UnitBlock copy;
  copy.AddUnits(block);
  EXPECT_EQ(copy.Serialize(), block.Serialize());
}

// Written out by hand from the header's table.
TEST(UnitBlock, LayoutOfVectorsIsTheDocumentedOne) {
  UnitBlock block;
  block.AddUnit(Id(5));
  block.AddDocument({}, Values{258}, Vector{-1, 0, 0});
  const std::string expected(
      "\1\0\0\0"                          // units
      "\1\0\0\0"                          // documents
      "\3\0\0\0\0\0\0\0"                  // entries
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5"  // id
      "\1\0\0\0"                          // documents of the unit
      "\0\0\x80\xbf\0\0\0\0\0\0\0\0"      // -1 0 0
      "\2\1",                             // 258
      16 + 16 + 4 + 12 + 2);
  EXPECT_EQ(block.Serialize(), expected);
}

TEST(UnitBlock, RefusesVectorsThatAreNoneOfTheirSpace) {
  const std::string bytes = TwoUnitsOfVectors().Serialize();
  UnitBlock block;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(block.Parse(bytes.substr(0, size), kVectors)) << size;
    EXPECT_EQ(block.size(), 0);
  }
  EXPECT_FALSE(block.Parse(bytes + std::string(4, '\0'), kVectors));
  for (const int dimension : {0, 1, 2, 4, 9}) {
    EXPECT_FALSE(block.Parse(bytes, {.vocabulary_size = 9, .vector_dimension = dimension}));
  }
  EXPECT_FALSE(block.Parse(TwoUnits().Serialize(), kVectors));
  // Numbers of units, documents and entries that do not go together, large ones too.
  for (const uint32_t number : {0u, 1u, 2u, 4u, 1u << 31, ~0u}) {
    EXPECT_FALSE(block.Parse(With(bytes, 4, number), kVectors)) << number;
    EXPECT_FALSE(block.Parse(With(bytes, 8, number), kVectors)) << number;
    EXPECT_FALSE(block.Parse(With(bytes, 12, number == 0 ? 1 : number), kVectors)) << number;
  }
  // Each number of each vector: NaN, infinity, 1.0000001, and what is too long with the others.
  const size_t first = bytes.size() - 9 * sizeof(float);
  for (size_t number = 0; number < 9; ++number) {
    for (const uint32_t bits : {0x7fc00000u, 0xff800000u, 0x3f800001u, 0xbf800001u}) {
      EXPECT_FALSE(block.Parse(With(bytes, first + 4 * number, bits), kVectors)) << number;
      EXPECT_EQ(block.size(), 0);
    }
  }
}

TEST(UnitBlock, HasRoomForTheLargestBlockOfVectorsOnceItIsReserved) {
  for (const int dimension : {1, 3, 384, 1024}) {
    const model::CorpusShape corpus = {
        .vocabulary_size = dimension, .attribute_sizes = {3, 300}, .vector_dimension = dimension};
    const Vector vector(static_cast<size_t>(dimension), 0.01F);
    UnitBlock large;
    for (int unit = 0; unit < kUnitsPerBlock; ++unit) {
      random::UnitId id = {};
      id[0] = static_cast<uint8_t>(unit);
      large.AddUnit(id);
      large.AddDocument({}, Values{1, 1}, vector);
    }
    for (size_t i = kUnitsPerBlock; i < MostDocumentsOfBlock(corpus); ++i) {
      large.AddDocument({}, Values{1, 1}, vector);
    }
    EXPECT_LE(large.num_entries(), kEntriesPerBlock);
    EXPECT_GT(large.num_entries() + vector.size(), kEntriesPerBlock);
    const std::string bytes = large.Serialize();
    EXPECT_EQ(bytes.size(), MostBytesOfBlock(corpus));
    UnitBlock block;
    block.Reserve(corpus);
    const auto* const ids = block.ids().data();
    ASSERT_TRUE(block.Parse(bytes, corpus));
    EXPECT_EQ(block.ids().data(), ids);
    EXPECT_EQ(UnitBlock::BytesReserved(corpus) + static_cast<int64_t>(sizeof(block)),
              block.BytesOfACopy());
    const auto* const numbers = block.vector(0, 0).data();
    const auto* const values = block.attributes(0, 0).data();
    ASSERT_TRUE(block.Parse(bytes, corpus));
    EXPECT_EQ(block.vector(0, 0).data(), numbers);
    EXPECT_EQ(block.attributes(0, 0).data(), values);
  }
}

TEST(UnitBlock, TakesTheUnitsOfAnother) {
  UnitBlock block;
  block.AddUnits(TwoUnits());
  ExpectTwoUnits(block);
  UnitBlock more;
  more.AddUnit(Id(3));
  more.AddDocument(std::vector<lda::TermCount>{{8, 8}});
  block.AddUnits(more);
  EXPECT_EQ(block.size(), 3);
  EXPECT_EQ(block.id(2), Id(3));
  EXPECT_EQ(block.document(1, 0),
            lda::DocumentView(std::vector<lda::TermCount>{{1, 1}, {2, 1}, {5, 7}}));
}

TEST(UnitBlock, RefusesEveryOtherLength) {
  const std::string bytes = TwoUnits().Serialize();
  UnitBlock block;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(block.Parse(bytes.substr(0, size), kPlain)) << size;
    EXPECT_EQ(block.size(), 0);
  }
  EXPECT_FALSE(block.Parse(bytes + '\0', kPlain));
}

TEST(UnitBlock, RefusesWhatBreaksARule) {
  const std::string bytes = TwoUnits().Serialize();
  const size_t ids = 16;
  const size_t document_counts = ids + 2 * 16;
  const size_t entry_counts = document_counts + 2 * 4;
  const size_t entries = entry_counts + 3 * 4;
  std::string swapped = bytes;
  std::swap_ranges(swapped.begin() + ids, swapped.begin() + ids + 16, swapped.begin() + ids + 16);
  std::string equal = bytes;
  std::copy_n(equal.begin() + ids, 16, equal.begin() + ids + 16);
  struct Case {
    const char* rule;
    std::string bytes;
  };
  for (const Case& c : std::vector<Case>{
           {"ids ascend", swapped},
           {"ids are distinct", equal},
           {"units have documents", With(With(bytes, document_counts, 0), document_counts + 4, 3)},
           {"document counts sum up", With(bytes, document_counts, 3)},
           {"documents have entries", With(With(bytes, entry_counts, 0), entry_counts + 8, 5)},
           {"entry counts sum up", With(bytes, entry_counts + 4, 2)},
           {"terms are of the vocabulary", With(bytes, entries + 8, 10)},
           {"terms ascend", With(bytes, entries, 9)},
           {"counts are positive", With(bytes, entries + 4, 0)},
           {"sizes do not wrap", With(bytes, 12, 0x20000000)},
           {"sizes do not wrap", With(bytes, 12, 0xffffffff)},
           {"units fit", With(bytes, 0, 0xffffffff)},
           {"documents fit", With(bytes, 4, 0xffffffff)}}) {
    UnitBlock block;
    EXPECT_FALSE(block.Parse(c.bytes, kPlain)) << c.rule;
    EXPECT_EQ(block.size(), 0) << c.rule;
  }
}

TEST(UnitBlock, NoSingleChangedByteIsUnsafeToUse) {
  const std::string bytes = TwoUnits().Serialize();
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      UnitBlock block;
      if (!block.Parse(changed, kPlain)) continue;
      for (int unit = 0; unit < block.size(); ++unit) {
        ASSERT_GE(block.num_documents(unit), 1);
        for (int d = 0; d < block.num_documents(unit); ++d) {
          EXPECT_TRUE(lda::IsCanonical(block.document(unit, d), kTerms)) << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace topicwall::corpus
