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
  ASSERT_TRUE(block.Parse(TwoUnits().Serialize(), kTerms));
  ExpectTwoUnits(block);
}

TEST(UnitBlock, HoldsNothingOfWhatItHeldBefore) {
  UnitBlock block;
  block.AddUnit(Id(77));
  for (int i = 0; i < 100; ++i) block.AddDocument(std::vector<lda::TermCount>{{8, 8}});
  ASSERT_TRUE(block.Parse(TwoUnits().Serialize(), kTerms));
  ExpectTwoUnits(block);
  block.Clear();
  EXPECT_EQ(block.size(), 0);
  ASSERT_TRUE(block.Parse(UnitBlock().Serialize(), kTerms));
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

TEST(UnitBlock, HasRoomForTheLargestBlockOnceItIsReserved) {
  for (const size_t terms : {size_t{10}, kEntriesPerBlock + 7}) {
    UnitBlock large;  // documents of one term are those that take most
    for (int unit = 0; unit < kUnitsPerBlock; ++unit) {
      random::UnitId id = {};
      id[0] = static_cast<uint8_t>(unit);
      large.AddUnit(id);
      large.AddDocument(std::vector<lda::TermCount>{{0, 1}});
    }
    while (large.num_entries() < MostEntriesOfBlock(terms)) {
      large.AddDocument(std::vector<lda::TermCount>{{0, 1}});
    }
    const std::string bytes = large.Serialize();
    EXPECT_EQ(bytes.size(), MostBytesOfBlock(terms));
    UnitBlock block;
    block.Reserve(terms);
    EXPECT_EQ(block.size(), 0);
    const auto ids = block.ids().data();
    ASSERT_TRUE(block.Parse(bytes, static_cast<int64_t>(terms)));
    EXPECT_EQ(block.ids().data(), ids);
    EXPECT_GE(UnitBlock::BytesReserved(terms) + 1000, block.BytesOfACopy());
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
    EXPECT_FALSE(block.Parse(bytes.substr(0, size), kTerms)) << size;
    EXPECT_EQ(block.size(), 0);
  }
  EXPECT_FALSE(block.Parse(bytes + '\0', kTerms));
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
    EXPECT_FALSE(block.Parse(c.bytes, kTerms)) << c.rule;
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
      if (!block.Parse(changed, kTerms)) continue;
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
