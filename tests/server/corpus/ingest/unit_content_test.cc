#include "server/corpus/ingest/unit_content.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace topicwall::corpus {
namespace unit_content_test {

using ::testing::ElementsAre;

using Counts = std::vector<lda::TermCount>;

constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();

using Values = std::vector<uint16_t>;

// Of both attributes 3 is "other".
const std::vector<int> kSizes = {4, 4};

struct Line {
  uint8_t name;
  Counts counts;
  Values values = {0, 0};
};

struct Document {
  Counts counts;
  Values values;

  friend bool operator==(const Document&, const Document&) = default;
};

random::UnitId Id(uint8_t last) {
  random::UnitId id = {};
  id[15] = last;
  return id;
}

// Documents of the one unit that `lines` name, as a sorter would give them.
std::vector<Document> DocumentsOf(v1::DuplicateRule rule, std::vector<Line> lines) {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.name < b.name; });
  UnitContent content(rule, kSizes);
  content.Begin(Id(200));
  for (size_t i = 0; i < lines.size(); ++i) {
    content.Add({.unit = Id(200),
                 .document = Id(lines[i].name),
                 .line = static_cast<int64_t>(i),
                 .counts = lines[i].counts,
                 .attributes = lines[i].values});
  }
  const UnitBlock& unit = content.Finish();
  EXPECT_EQ(unit.size(), 1);
  EXPECT_EQ(unit.id(0), Id(200));
  std::vector<Document> documents;
  for (int i = 0; i < unit.num_documents(0); ++i) {
    const lda::DocumentView document = unit.document(0, i);
    const absl::Span<const uint16_t> values = unit.attributes(0, i);
    documents.push_back(
        {.counts = {document.begin(), document.end()}, .values = {values.begin(), values.end()}});
  }
  return documents;
}

std::vector<Counts> ContentOf(v1::DuplicateRule rule, std::vector<Line> lines) {
  std::vector<Counts> counts;
  for (const Document& document : DocumentsOf(rule, std::move(lines))) {
    counts.push_back(document.counts);
  }
  return counts;
}

std::vector<Values> ValuesOf(v1::DuplicateRule rule, std::vector<Line> lines) {
  std::vector<Values> values;
  for (const Document& document : DocumentsOf(rule, std::move(lines))) {
    values.push_back(document.values);
  }
  return values;
}

TEST(UnitContent, LinesOfDifferentNamesAreDocumentsOfTheirOwn) {
  for (const v1::DuplicateRule rule : {v1::DUPLICATE_RULE_MERGE, v1::DUPLICATE_RULE_LEAVE_OUT}) {
    EXPECT_THAT(ContentOf(rule, {{2, {{1, 1}}}, {1, {{0, 3}, {4, 1}}}, {3, {{1, 1}}}}),
                ElementsAre(Counts{{0, 3}, {4, 1}}, Counts{{1, 1}}, Counts{{1, 1}}));
  }
}

TEST(UnitContent, MergingAddsCountsAndStaysAtTheMostACountCanBe) {
  EXPECT_THAT(
      ContentOf(v1::DUPLICATE_RULE_MERGE,
                {{1, {{0, 3}, {4, kMost}}}, {1, {{2, 1}, {4, kMost}}}, {1, {{0, 3}, {4, 9}}}}),
      ElementsAre(Counts{{0, 6}, {2, 1}, {4, kMost}}));
}

TEST(UnitContent, LeavingOutKeepsTheLargestCountAndSaysOnceWhatIsSaidTwice) {
  EXPECT_THAT(ContentOf(v1::DUPLICATE_RULE_LEAVE_OUT,
                        {{1, {{0, 3}, {4, 2}}}, {1, {{0, 3}, {4, 2}}}, {1, {{0, 1}, {2, 7}}}}),
              ElementsAre(Counts{{0, 3}, {2, 7}, {4, 2}}));
}

TEST(UnitContent, AnAttributeKeepsTheValueOnWhichAllLinesOfANameAgree) {
  const Counts counts = {{0, 1}};
  for (const v1::DuplicateRule rule : {v1::DUPLICATE_RULE_MERGE, v1::DUPLICATE_RULE_LEAVE_OUT}) {
    EXPECT_THAT(ValuesOf(rule, {{1, counts, {2, 1}},
                                {1, counts, {2, 0}},
                                {2, counts, {1, 3}},
                                {3, counts, {0, 2}},
                                {3, counts, {0, 2}},
                                {3, counts, {0, 2}}}),
                ElementsAre(Values{2, 3}, Values{1, 3}, Values{0, 2}));
  }
}

// Every list of up to four lines' values in every order: a value if all have it, else "other",
// which no later line leads away from.
TEST(UnitContent, OfLinesThatDifferTheValueIsOtherInAnyOrder) {
  for (const v1::DuplicateRule rule : {v1::DUPLICATE_RULE_MERGE, v1::DUPLICATE_RULE_LEAVE_OUT}) {
    for (int code = 0; code < 4 * 4 * 4 * 4; ++code) {
      std::vector<Line> lines;
      for (int i = 0, rest = code; i < 4; ++i, rest /= 4) {
        lines.push_back({1, {{0, 1}}, {static_cast<uint16_t>(rest % 4), 0}});
        const bool agree = std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
          return line.values == lines.front().values;
        });
        const uint16_t expected = agree ? lines.front().values[0] : 3;
        EXPECT_THAT(ValuesOf(rule, lines), ElementsAre(Values{expected, 0}));
      }
    }
  }
}

TEST(UnitContent, TheOrderOfAUnitsLinesHasNoSay) {
  std::vector<Line> lines = {{1, {{0, 3}, {4, kMost}}, {1, 2}},
                             {1, {{0, 1}, {2, kMost}}, {1, 0}},
                             {2, {{1, 5}}, {3, 2}},
                             {1, {{2, 9}, {3, 4}}, {1, 2}},
                             {2, {{1, 5}}, {0, 2}},
                             {3, {{0, 1}}, {2, 2}}};
  for (const v1::DuplicateRule rule : {v1::DUPLICATE_RULE_MERGE, v1::DUPLICATE_RULE_LEAVE_OUT}) {
    const std::vector<Document> expected = DocumentsOf(rule, lines);
    std::sort(lines.begin(), lines.end(),
              [](const Line& a, const Line& b) { return a.counts.size() < b.counts.size(); });
    for (int i = 0; i < 6; ++i) {
      std::rotate(lines.begin(), lines.begin() + 1, lines.end());
      EXPECT_EQ(DocumentsOf(rule, lines), expected);
    }
  }
}

TEST(UnitContent, ARepeatedNameIsToldWithTheLineThatHadItFirst) {
  const Counts counts = {{0, 1}};
  UnitContent content(v1::DUPLICATE_RULE_REFUSE, {});
  content.Begin(Id(1));
  const auto add = [&](uint8_t name, int64_t line) {
    return content.Add({.unit = Id(1), .document = Id(name), .line = line, .counts = counts});
  };
  EXPECT_EQ(add(1, 3), std::nullopt);
  EXPECT_EQ(add(1, 7), 3);
  EXPECT_EQ(add(1, 8), 3);
  EXPECT_EQ(add(2, 5), std::nullopt);
  content.Finish();
  content.Begin(Id(2));  // of another unit the same name is another
  EXPECT_EQ(add(2, 9), std::nullopt);
}

// Documents of 1,000 terms: 262 fit whole.
TEST(UnitContent, AUnitIsCutToWhatABlockHoldsInTheOrderOfItsDocuments) {
  Counts counts;
  for (uint32_t term = 0; term < 1000; ++term) counts.push_back({term, 1});
  UnitContent content(v1::DUPLICATE_RULE_REFUSE, {});
  content.Begin(Id(1));
  random::UnitId name = {};
  for (uint32_t i = 0; i < 300; ++i) {
    name[0] = static_cast<uint8_t>(i >> 8);
    name[1] = static_cast<uint8_t>(i);
    counts[0].count = i + 1;
    content.Add({.unit = Id(1), .document = name, .line = i, .counts = counts});
  }
  // Would fit, but stands behind what did not.
  name[0] = 9;
  const Counts small = {{0, 1}};
  content.Add({.unit = Id(1), .document = name, .line = 300, .counts = small});
  const UnitBlock& unit = content.Finish();
  EXPECT_TRUE(content.was_cut());
  ASSERT_EQ(unit.num_documents(0), 262);
  EXPECT_LE(unit.num_entries(), kEntriesPerBlock);
  for (int i = 0; i < 262; ++i) {
    EXPECT_EQ(unit.document(0, i)[0].count, static_cast<uint32_t>(i) + 1);
  }
  content.Begin(Id(2));
  content.Add({.unit = Id(2), .document = name, .line = 301, .counts = small});
  EXPECT_EQ(content.Finish().num_documents(0), 1);
  EXPECT_FALSE(content.was_cut());
}

TEST(UnitContent, TheFirstDocumentIsTakenWholeHoweverLong) {
  Counts counts;
  for (uint32_t term = 0; term < kEntriesPerBlock + 5; ++term) counts.push_back({term, 1});
  UnitContent content(v1::DUPLICATE_RULE_REFUSE, {});
  content.Begin(Id(1));
  content.Add({.unit = Id(1), .document = Id(1), .line = 1, .counts = counts});
  content.Add({.unit = Id(1), .document = Id(2), .line = 2, .counts = counts});
  EXPECT_EQ(content.Finish().num_entries(), counts.size());
  EXPECT_TRUE(content.was_cut());
}

}  // namespace unit_content_test
}  // namespace topicwall::corpus
