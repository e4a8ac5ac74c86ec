#include "server/executor/unit_cut.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "tests/support/status_matchers.h"

namespace topicwall::executor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

const random::UnitId kUnit = {1, 2, 3};

UnitCut CutTo(int64_t max_words) {
  static const random::SecretKey key(std::array<uint8_t, 32>{7});
  absl::StatusOr<UnitCut> cut = UnitCut::Create(&key, max_words);
  EXPECT_OK(cut);
  return *std::move(cut);
}

std::vector<lda::TermCount> Words(const UnitCut& cut, const random::UnitId& unit, int number,
                                  lda::DocumentView document) {
  UnitCut::Workspace workspace;
  absl::StatusOr<lda::DocumentView> words = cut.CutWords(unit, number, document, &workspace);
  EXPECT_OK(words);
  return {words->begin(), words->end()};
}

std::vector<int> Documents(const UnitCut& cut, const random::UnitId& unit, int count, int cap) {
  std::vector<int> chosen = {99};
  EXPECT_OK(cut.ChooseDocuments(unit, count, cap, &chosen));
  return chosen;
}

const std::vector<lda::TermCount> kDocument = {{2, 5}, {3, 1}, {7, 20}, {9, 1}, {11, 3}};  // 30

TEST(UnitCutTest, ADocumentWithinTheCapComesBackUntouched) {
  const UnitCut cut = CutTo(30);
  UnitCut::Workspace workspace;
  ASSERT_OK_AND_ASSIGN(lda::DocumentView words, cut.CutWords(kUnit, 0, kDocument, &workspace));
  EXPECT_EQ(words.data(), kDocument.data());
  EXPECT_EQ(words.size(), kDocument.size());
  EXPECT_THAT(Words(cut, kUnit, 0, {}), IsEmpty());
}

TEST(UnitCutTest, ALongerDocumentKeepsExactlyTheCapAndNothingNew) {
  for (int64_t max_words = 1; max_words < 30; ++max_words) {
    const std::vector<lda::TermCount> words = Words(CutTo(max_words), kUnit, 0, kDocument);
    EXPECT_EQ(lda::TokenCount(words), max_words);
    EXPECT_TRUE(lda::IsCanonical(words, 12));
    for (const lda::TermCount& kept : words) {
      const auto whole = std::find_if(kDocument.begin(), kDocument.end(),
                                      [&kept](const auto& has) { return has.term == kept.term; });
      ASSERT_NE(whole, kDocument.end());
      EXPECT_LE(kept.count, whole->count);
    }
  }
}

TEST(UnitCutTest, TheCutIsAFunctionOfKeyUnitAndDocumentNumber) {
  const UnitCut cut = CutTo(10);
  const std::vector<lda::TermCount> words = Words(cut, kUnit, 3, kDocument);
  EXPECT_EQ(Words(CutTo(10), kUnit, 3, kDocument), words) << "the same key again";
  // One workspace, used for other documents before.
  UnitCut::Workspace workspace;
  ASSERT_OK(cut.CutWords({9}, 0, std::vector<lda::TermCount>(100, {1, 50}), &workspace));
  ASSERT_OK_AND_ASSIGN(lda::DocumentView again, cut.CutWords(kUnit, 3, kDocument, &workspace));
  EXPECT_EQ(std::vector<lda::TermCount>(again.begin(), again.end()), words);
}

// A document of 64 equally frequent terms cut to half: two cuts agree by chance with
// probability below 2^-60.
TEST(UnitCutTest, UnitsDocumentsAndKeysAreCutDifferently) {
  std::vector<lda::TermCount> wide;
  for (uint32_t term = 0; term < 64; ++term) wide.push_back({term, 1});
  const UnitCut cut = CutTo(32);
  const std::vector<lda::TermCount> words = Words(cut, kUnit, 0, wide);
  EXPECT_NE(Words(cut, kUnit, 1, wide), words);
  EXPECT_NE(Words(cut, {1, 2, 4}, 0, wide), words);
  const random::SecretKey other_key(std::array<uint8_t, 32>{8});
  ASSERT_OK_AND_ASSIGN(UnitCut other, UnitCut::Create(&other_key, 32));
  EXPECT_NE(Words(other, kUnit, 0, wide), words);
}

TEST(UnitCutTest, HugeCountsCostNoMoreThanTheCap) {
  const uint32_t huge = std::numeric_limits<uint32_t>::max();
  const std::vector<lda::TermCount> document = {{0, huge}, {1, 1}, {2, huge}};
  const std::vector<lda::TermCount> words = Words(CutTo(1000), kUnit, 0, document);
  EXPECT_EQ(lda::TokenCount(words), 1000);
  EXPECT_TRUE(lda::IsCanonical(words, 3));
}

TEST(UnitCutTest, AUnitWithinTheCapKeepsAllItsDocuments) {
  EXPECT_THAT(Documents(CutTo(1), kUnit, 3, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(Documents(CutTo(1), kUnit, 3, 100), ElementsAre(0, 1, 2));
  EXPECT_THAT(Documents(CutTo(1), kUnit, 0, 5), IsEmpty());
}

TEST(UnitCutTest, ALargerUnitKeepsDistinctDocumentsInOrder) {
  for (int cap = 0; cap < 20; ++cap) {
    const std::vector<int> chosen = Documents(CutTo(1), kUnit, 20, cap);
    EXPECT_EQ(chosen.size(), static_cast<std::size_t>(cap));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      EXPECT_GE(chosen[i], i == 0 ? 0 : chosen[i - 1] + 1);
      EXPECT_LT(chosen[i], 20);
    }
  }
  EXPECT_EQ(Documents(CutTo(1), kUnit, 100, 50), Documents(CutTo(9), kUnit, 100, 50));
  EXPECT_NE(Documents(CutTo(1), kUnit, 100, 50), Documents(CutTo(1), {2}, 100, 50));
}

TEST(UnitCutTest, RefusesToKeepNoWords) {
  const random::SecretKey key(std::array<uint8_t, 32>{});
  EXPECT_THAT(UnitCut::Create(&key, 0), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::executor
