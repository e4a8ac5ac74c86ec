#include "model/prevalence/cells.h"

#include <gmock/gmock.h>

#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::prevalence {
namespace cells_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

const model::CorpusShape& Corpus() {
  static const auto* const corpus =
      new model::CorpusShape{.vocabulary_size = 100, .attribute_sizes = {3, 5, 2, 4}};
  return *corpus;
}

TEST(CellsTest, EveryCombinationOfValuesIsACellAndTheLastAttributeRunsFastest) {
  ASSERT_OK_AND_ASSIGN(const auto cells, Cells::Create({0, 2, 3}, Corpus()));
  EXPECT_EQ(cells.size(), 3 * 2 * 4);
  int64_t cell = 0;
  for (uint16_t a = 0; a < 3; ++a) {
    for (uint16_t b = 0; b < 2; ++b) {
      for (uint16_t c = 0; c < 4; ++c, ++cell) {
        EXPECT_EQ(cells.CellOf({a, 1, b, c}), cell) << "the attribute between does not count";
        EXPECT_THAT(cells.ValuesOf(cell), ElementsAre(a, b, c));
      }
    }
  }
}

TEST(CellsTest, NoAttributeMakesOneCell) {
  ASSERT_OK_AND_ASSIGN(const auto cells, Cells::Create({}, Corpus()));
  EXPECT_EQ(cells.size(), 1);
  EXPECT_EQ(cells.CellOf({2, 4, 1, 3}), 0);
  EXPECT_THAT(cells.ValuesOf(0), IsEmpty());
}

TEST(CellsTest, WhatADocumentDoesNotSayIsOther) {
  ASSERT_OK_AND_ASSIGN(const auto cells, Cells::Create({0, 3}, Corpus()));
  EXPECT_THAT(cells.ValuesOf(cells.CellOf({})), ElementsAre(2, 3));
  EXPECT_THAT(cells.ValuesOf(cells.CellOf({1, 0})), ElementsAre(1, 3));
  EXPECT_THAT(cells.ValuesOf(cells.CellOf({7, 0, 0, 65535})), ElementsAre(2, 3))
      << "nor what the attribute has not";
}

TEST(CellsTest, RefusesAttributesThatAreNotAscendingOnesOfTheCorpus) {
  for (const std::vector<int>& bad : std::vector<std::vector<int>>{
           {-1}, {4}, {1, 0}, {1, 1}, {0, std::numeric_limits<int>::max()}}) {
    EXPECT_THAT(Cells::Create(bad, Corpus()), StatusIs(kInvalid, HasSubstr("ascending")));
  }
}

TEST(CellsTest, RefusesMoreCellsThanAStatisticCanHave) {
  constexpr int kSize = 1 << 16;
  const model::CorpusShape corpus{.vocabulary_size = 1, .attribute_sizes = {kSize, kSize, 1, 2}};
  ASSERT_OK_AND_ASSIGN(const auto most, Cells::Create({0, 1, 2}, corpus));
  EXPECT_EQ(most.size(), int64_t{1} << 32);
  EXPECT_THAT(most.ValuesOf(most.size() - 1), ElementsAre(kSize - 1, kSize - 1, 0));
  EXPECT_THAT(Cells::Create({0, 1, 3}, corpus), StatusIs(kInvalid, HasSubstr("2^32")));
  EXPECT_THAT(Cells::Create({0}, {.vocabulary_size = 1, .attribute_sizes = {0}}),
              StatusIs(kInvalid));
}

}  // namespace cells_test
}  // namespace topicwall::prevalence
