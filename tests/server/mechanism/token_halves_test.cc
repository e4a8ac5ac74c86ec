#include "server/mechanism/token_halves.h"

#include <array>
#include <cmath>
#include <map>

#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

using ::testing::IsEmpty;
using Document = std::vector<lda::TermCount>;

const random::UnitId kUnit = {1, 2, 3};

TokenHalves HalvesOf(uint8_t key) {
  return TokenHalves(random::SecretKey(std::array<uint8_t, 32>{key}));
}

struct Sides {
  Document observed;
  Document scored;
};

Sides SidesOf(const TokenHalves& halves, const random::UnitId& unit, int number,
              lda::DocumentView document) {
  TokenHalves::Workspace workspace;
  const auto split = halves.Split(unit, number, document, &workspace);
  EXPECT_OK(split);
  return {{split->observed.begin(), split->observed.end()},
          {split->scored.begin(), split->scored.end()}};
}

TEST(TokenHalvesTest, EveryTokenIsOnExactlyOneSide) {
  const Document document = {{2, 5}, {3, 1}, {7, 200}, {9, 64}, {11, 65}};
  const Sides sides = SidesOf(HalvesOf(1), kUnit, 0, document);
  EXPECT_TRUE(lda::IsCanonical(sides.observed, 12));
  EXPECT_TRUE(lda::IsCanonical(sides.scored, 12));
  std::map<uint32_t, uint32_t> together;
  for (const lda::TermCount& entry : sides.observed) together[entry.term] += entry.count;
  for (const lda::TermCount& entry : sides.scored) together[entry.term] += entry.count;
  for (const lda::TermCount& entry : document) EXPECT_EQ(together[entry.term], entry.count);
  EXPECT_EQ(together.size(), document.size());
}

TEST(TokenHalvesTest, AnEmptyDocumentHasTwoEmptySides) {
  const Sides sides = SidesOf(HalvesOf(1), kUnit, 0, {});
  EXPECT_THAT(sides.observed, IsEmpty());
  EXPECT_THAT(sides.scored, IsEmpty());
}

// 200 fair coins agree by chance with probability 2^-200 or less.
TEST(TokenHalvesTest, TheSplitIsAFunctionOfKeyUnitAndDocumentNumber) {
  Document wide;
  for (uint32_t term = 0; term < 200; ++term) wide.push_back({term, 1});
  const Document observed = SidesOf(HalvesOf(1), kUnit, 3, wide).observed;
  EXPECT_EQ(SidesOf(HalvesOf(1), kUnit, 3, wide).observed, observed);
  EXPECT_NE(SidesOf(HalvesOf(2), kUnit, 3, wide).observed, observed);
  EXPECT_NE(SidesOf(HalvesOf(1), {9}, 3, wide).observed, observed);
  EXPECT_NE(SidesOf(HalvesOf(1), kUnit, 4, wide).observed, observed);
}

// n = 1,000,000 coins in terms of 1 to 130 tokens: 6.2 standard deviations of √n/2 = 500 have
// probability below 6e-10. A coin that is off by 0.0031 would be seen.
TEST(TokenHalvesTest, TheCoinIsFair) {
  Document document;
  int64_t tokens = 0;
  for (uint32_t term = 0; tokens < 1'000'000; ++term) {
    document.push_back({term, 1 + term % 130});
    tokens += document.back().count;
  }
  const Sides sides = SidesOf(HalvesOf(1), kUnit, 0, document);
  const double observed = static_cast<double>(lda::TokenCount(sides.observed));
  EXPECT_LE(std::fabs(observed - static_cast<double>(tokens) / 2),
            6.2 * std::sqrt(static_cast<double>(tokens)) / 2);
}

}  // namespace
}  // namespace topicwall::mechanism
