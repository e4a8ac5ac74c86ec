#include "server/corpus/ingest/document_sorter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::topicwall::testing::StatusIs;

struct Plain {
  random::UnitId unit;
  random::UnitId document;
  int64_t line;
  std::vector<lda::TermCount> counts;
  std::vector<uint16_t> attributes;

  friend bool operator==(const Plain&, const Plain&) = default;
};

// Ids spread over all first bytes and equal in many; up to 40 terms, some documents without.
std::vector<Plain> ManyDocuments(uint32_t n) {
  std::vector<Plain> documents;
  for (uint32_t i = 0; i < n; ++i) {
    Plain plain = {};
    plain.unit[0] = static_cast<uint8_t>(i * 167);
    plain.unit[15] = static_cast<uint8_t>(i % 3);
    plain.document[0] = static_cast<uint8_t>(i * 101);
    plain.document[1] = static_cast<uint8_t>(i >> 8);
    plain.document[2] = static_cast<uint8_t>(i / 2);  // every name twice, but for the unit
    plain.line = n - i;
    for (uint32_t term = 0; term < i % 41; ++term) {
      plain.counts.push_back({.term = term * 1000, .count = i + 0x5eed0000});
    }
    plain.attributes = {static_cast<uint16_t>(i), static_cast<uint16_t>(i * 7 % 5), 65534};
    documents.push_back(plain);
  }
  return documents;
}

class DocumentSorterTest : public ::testing::Test {
 protected:
  std::unique_ptr<DocumentSorter> Filled(const std::vector<Plain>& documents,
                                         size_t bytes_in_memory) const {
    auto sorter = DocumentSorter::Create({.near_path = folder_.Path("corpus"),
                                          .bytes_in_memory = bytes_in_memory,
                                          .num_attributes = 3});
    EXPECT_OK(sorter);
    for (const Plain& plain : documents) {
      EXPECT_OK((*sorter)->Add({.unit = plain.unit,
                                .document = plain.document,
                                .line = plain.line,
                                .counts = plain.counts,
                                .attributes = plain.attributes}));
    }
    return *std::move(sorter);
  }

  static std::vector<Plain> All(const DocumentSorter& sorter) {
    std::vector<Plain> all;
    EXPECT_OK(sorter.ForEach([&all](const DocumentSorter::Document& document) {
      all.push_back({.unit = document.unit,
                     .document = document.document,
                     .line = document.line,
                     .counts = {document.counts.begin(), document.counts.end()},
                     .attributes = {document.attributes.begin(), document.attributes.end()}});
      return absl::OkStatus();
    }));
    return all;
  }

  // The open file in the folder that has no name any more; empty if there is none.
  std::string ScratchContent() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
      if (error || !absl::StartsWith(target, folder_.Path("corpus"))) continue;
      return testing::ReadWholeFile(entry.path());
    }
    return "";
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(DocumentSorterTest, GivesBackEveryDocumentInOrderHoweverLittleMemoryItHas) {
  std::vector<Plain> documents = ManyDocuments(3000);
  for (size_t i = 0; i < 3000; i += 7) {  // of a name that was there, from a line before it
    documents.push_back(documents[i]);
    documents.back().line = 0;
  }
  std::vector<Plain> expected = documents;
  std::sort(expected.begin(), expected.end(), [](const Plain& a, const Plain& b) {
    return std::tie(a.unit, a.document, a.line) < std::tie(b.unit, b.document, b.line);
  });
  for (const size_t bytes : {size_t{1}, size_t{256} * 300, size_t{256} * 5000, size_t{1} << 30}) {
    const auto sorter = Filled(documents, bytes);
    EXPECT_EQ(All(*sorter), expected) << bytes;
    EXPECT_EQ(All(*sorter), expected) << "a second time, " << bytes;
  }
}

TEST_F(DocumentSorterTest, WhatFitsIntoMemoryNeverTouchesTheDisk) {
  const auto sorter = Filled(ManyDocuments(3000), size_t{1} << 30);
  EXPECT_EQ(ScratchContent(), "");
}

TEST_F(DocumentSorterTest, NothingOfADocumentLiesOnTheDiskInTheClear) {
  const std::vector<Plain> documents = ManyDocuments(1000);
  const auto sorter = Filled(documents, 1);
  const std::string content = ScratchContent();
  EXPECT_GT(content.size(), 1000u * 40);
  // Of document 10 the count in every entry. (Chance: 40,000 places, 2^-32 each.)
  EXPECT_FALSE(absl::StrContains(content, std::string("\x0a\x00\xed\x5e", 4)));
  for (const Plain& plain : documents) {
    const std::string id(plain.unit.begin(), plain.unit.end());
    EXPECT_FALSE(absl::StrContains(content, id));
  }
}

TEST_F(DocumentSorterTest, LeavesNoName) {
  const auto sorter = Filled(ManyDocuments(1000), 1);
  EXPECT_THAT(folder_.Names(), ::testing::IsEmpty());
}

TEST_F(DocumentSorterTest, StopsAtTheFirstError) {
  const auto sorter = Filled(ManyDocuments(10), 1000);
  int seen = 0;
  const absl::Status status = sorter->ForEach([&seen](const DocumentSorter::Document&) {
    return ++seen == 3 ? absl::AbortedError("enough") : absl::OkStatus();
  });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(seen, 3);
}

TEST_F(DocumentSorterTest, BytesThatChangedOnTheDiskAreAnError) {
  const auto sorter = Filled(ManyDocuments(100), 1);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (error || !absl::StartsWith(target, folder_.Path("corpus"))) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(50);
    const char byte = static_cast<char>(file.get());
    file.seekp(50);
    file.put(static_cast<char>(byte ^ 1));
  }
  EXPECT_THAT(sorter->ForEach([](const DocumentSorter::Document&) { return absl::OkStatus(); }),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::corpus
