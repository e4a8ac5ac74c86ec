#include "model/completion/token_halves.h"

#include <array>
#include <cmath>
#include <map>

#include "server/mechanism/keyed_unit_bits.h"
#include "tests/support/status_matchers.h"

namespace topicwall::completion {
namespace {

using ::testing::IsEmpty;
using Document = std::vector<lda::TermCount>;

const random::UnitId kUnit = {1, 2, 3};

struct Sides {
  Document observed;
  Document scored;
};

// Under the mechanism's own bits.
Sides SidesOf(uint8_t key_number, const random::UnitId& unit, int number,
              lda::DocumentView document) {
  const random::SecretKey key(std::array<uint8_t, 32>{key_number});
  mechanism::KeyedUnitBits bits(&key);
  bits.StartUnit(unit);
  bits.StartDocument(number);
  TokenHalves halves;
  halves.Split(document, bits);
  EXPECT_OK(bits.status());
  return {{halves.observed().begin(), halves.observed().end()},
          {halves.scored().begin(), halves.scored().end()}};
}

TEST(TokenHalvesTest, EveryTokenIsOnExactlyOneSide) {
  const Document document = {{2, 5}, {3, 1}, {7, 200}, {9, 64}, {11, 65}};
  const Sides sides = SidesOf(1, kUnit, 0, document);
  EXPECT_TRUE(lda::IsCanonical(sides.observed, 12));
  EXPECT_TRUE(lda::IsCanonical(sides.scored, 12));
  std::map<uint32_t, uint32_t> together;
  for (const lda::TermCount& entry : sides.observed) together[entry.term] += entry.count;
  for (const lda::TermCount& entry : sides.scored) together[entry.term] += entry.count;
  for (const lda::TermCount& entry : document) EXPECT_EQ(together[entry.term], entry.count);
  EXPECT_EQ(together.size(), document.size());
}

TEST(TokenHalvesTest, AnEmptyDocumentHasTwoEmptySides) {
  const Sides sides = SidesOf(1, kUnit, 0, {});
  EXPECT_THAT(sides.observed, IsEmpty());
  EXPECT_THAT(sides.scored, IsEmpty());
}

// 200 fair coins agree by chance with probability 2^-200 or less.
TEST(TokenHalvesTest, TheSplitIsAFunctionOfKeyUnitAndDocumentNumber) {
  Document wide;
  for (uint32_t term = 0; term < 200; ++term) wide.push_back({term, 1});
  const Document observed = SidesOf(1, kUnit, 3, wide).observed;
  EXPECT_EQ(SidesOf(1, kUnit, 3, wide).observed, observed);
  EXPECT_NE(SidesOf(2, kUnit, 3, wide).observed, observed);
  EXPECT_NE(SidesOf(1, {9}, 3, wide).observed, observed);
  EXPECT_NE(SidesOf(1, kUnit, 4, wide).observed, observed);
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
  const Sides sides = SidesOf(1, kUnit, 0, document);
  const double observed = static_cast<double>(lda::TokenCount(sides.observed));
  EXPECT_LE(std::fabs(observed - static_cast<double>(tokens) / 2),
            6.2 * std::sqrt(static_cast<double>(tokens)) / 2);
}

}  // namespace
}  // namespace topicwall::completion
