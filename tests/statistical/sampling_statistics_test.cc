// Who and what takes part is chosen with the probabilities that were accounted.
// False alarms: below 1e-8 for each test; fresh keys each run.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "server/executor/unit_cut.h"
#include "server/mechanism/poisson_sampler.h"
#include "tests/support/chi_square.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace sampling_statistics_test {

using ::topicwall::testing::ChiSquarePValue;

constexpr double kFalseAlarm = 1e-9;

random::SecretKey FreshKey() {
  absl::StatusOr<random::SecretKey> key = random::SecretKey::Generate();
  EXPECT_OK(key);
  return *std::move(key);
}

random::UnitId UnitNumber(uint64_t number) {
  random::UnitId unit{};
  std::memcpy(unit.data(), &number, sizeof(number));
  return unit;
}

// Binomial of 10⁶ coins: six and a half standard deviations have probability 8e-11. At ν = 0.05
// (standard deviation 218) that is 1417 units: catches a rate off by twice that, 5.7 % of ν, and
// by 0.26 % at ν = 0.5.
TEST(SamplingStatisticsTest, UnitsTakePartAtTheAccountedRate) {
  constexpr int kUnits = 1'000'000;
  std::vector<random::UnitId> units(kUnits);
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = UnitNumber(i);
  for (const double rate : {0.001, 0.05, 0.5, 0.9}) {
    ASSERT_OK_AND_ASSIGN(PoissonSampler sampler, PoissonSampler::Create(FreshKey(), rate));
    std::vector<std::size_t> positions;
    ASSERT_OK(sampler.Sample(units, &positions));
    EXPECT_NEAR(static_cast<double>(positions.size()), rate * kUnits,
                6.5 * std::sqrt(kUnits * rate * (1 - rate)));
  }
}

// Four units in 50,000 releases: all 16 patterns with probability 1/16. χ² with 15 degrees of
// freedom exceeds 74 once in 10⁹; a correlation r between two coins adds 50,000·r²: catches 7 %.
TEST(SamplingStatisticsTest, CoinsOfUnitsAndReleasesAreIndependent) {
  const std::vector<random::UnitId> units = {UnitNumber(0), UnitNumber(1), UnitNumber(2),
                                             UnitNumber(uint64_t{1} << 63)};
  std::vector<int64_t> patterns(16);
  for (int release = 0; release < 50'000; ++release) {
    ASSERT_OK_AND_ASSIGN(PoissonSampler sampler, PoissonSampler::Create(FreshKey(), 0.5));
    std::vector<std::size_t> positions;
    ASSERT_OK(sampler.Sample(units, &positions));
    std::size_t pattern = 0;
    for (const std::size_t position : positions) pattern |= std::size_t{1} << position;
    ++patterns[pattern];
  }
  EXPECT_GT(ChiSquarePValue(patterns, std::vector<double>(16, 1.0 / 16)), kFalseAlarm);
}

double Choose(uint32_t n, uint32_t k) {
  if (k > n) return 0;
  return std::round(
      std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0)));
}

// Cuts `document` to `max_words` 200,000 times and tests the kept counts against the
// multivariate hypergeometric Π C(c_w, kept_w) / C(Σ c, N). With up to 20 cells, χ² exceeds 90
// once in 10⁹; catches a cell of probability p off by sqrt(110·p/200,000), 0.5 % for p = 0.05.
double CutPValue(const std::vector<lda::TermCount>& document, uint32_t max_words) {
  const random::SecretKey key = FreshKey();
  absl::StatusOr<executor::UnitCut> cut = executor::UnitCut::Create(&key, max_words);
  EXPECT_OK(cut);
  executor::UnitCut::Workspace workspace;
  std::map<std::vector<uint32_t>, int64_t> counted;
  for (uint64_t unit = 0; unit < 200'000; ++unit) {
    absl::StatusOr<lda::DocumentView> words =
        cut->CutWords(UnitNumber(unit), 0, document, &workspace);
    EXPECT_OK(words);
    std::vector<uint32_t> kept(document.size(), 0);
    for (const lda::TermCount& entry : *words) kept[entry.term] = entry.count;
    ++counted[kept];
  }
  std::vector<int64_t> counts;
  std::vector<double> probabilities;
  double rest = 1;
  for (const auto& [kept, count] : counted) {
    double probability = 1 / Choose(static_cast<uint32_t>(lda::TokenCount(document)), max_words);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      probability *= Choose(document[i].count, kept[i]);
    }
    counts.push_back(count);
    probabilities.push_back(probability);
    rest -= probability;
  }
  EXPECT_NEAR(rest, 0, 1e-9) << "every possible cut occurs";
  return ChiSquarePValue(counts, probabilities);
}

TEST(SamplingStatisticsTest, EverySetOfWordsIsKeptEquallyOften) {
  EXPECT_GT(CutPValue({{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}}, 2), kFalseAlarm);  // 10 sets
  EXPECT_GT(CutPValue({{0, 1}, {1, 1}, {2, 1}, {3, 1}}, 3), kFalseAlarm);
}

TEST(SamplingStatisticsTest, KeptCountsAreHypergeometric) {
  EXPECT_GT(CutPValue({{0, 3}, {1, 2}, {2, 1}}, 3), kFalseAlarm);
  EXPECT_GT(CutPValue({{0, 6}, {1, 1}, {2, 5}}, 4), kFalseAlarm);
}

// Mean of a long document's most frequent term: N·c/L = 500·600/3000 = 100, hypergeometric
// standard deviation sqrt(100·(1 - .2)·(2500/2999)) = 8.17; over 5,000 cuts 0.1155. Six and a
// half of them: catches a bias of 1.5 words.
TEST(SamplingStatisticsTest, ALongDocumentKeepsItsProportions) {
  std::vector<lda::TermCount> document = {{0, 600}};
  for (uint32_t term = 1; term <= 240; ++term) document.push_back({term, 10});
  const random::SecretKey key = FreshKey();
  ASSERT_OK_AND_ASSIGN(executor::UnitCut cut, executor::UnitCut::Create(&key, 500));
  executor::UnitCut::Workspace workspace;
  double kept = 0;
  for (uint64_t unit = 0; unit < 5000; ++unit) {
    ASSERT_OK_AND_ASSIGN(lda::DocumentView words,
                         cut.CutWords(UnitNumber(unit), 0, document, &workspace));
    kept += words[0].term == 0 ? words[0].count : 0;
  }
  EXPECT_NEAR(kept / 5000, 100, 6.5 * 0.1155);
}

// C(6, 3) = 20 sets of documents, 100,000 units.
TEST(SamplingStatisticsTest, EverySetOfDocumentsIsChosenEquallyOften) {
  const random::SecretKey key = FreshKey();
  ASSERT_OK_AND_ASSIGN(executor::UnitCut cut, executor::UnitCut::Create(&key, 1));
  std::map<std::vector<int>, int64_t> counted;
  std::vector<int> chosen;
  for (uint64_t unit = 0; unit < 100'000; ++unit) {
    ASSERT_OK(cut.ChooseDocuments(UnitNumber(unit), 6, 3, &chosen));
    ++counted[chosen];
  }
  std::vector<int64_t> counts;
  for (const auto& [set, count] : counted) counts.push_back(count);
  ASSERT_EQ(counts.size(), 20U);
  EXPECT_GT(ChiSquarePValue(counts, std::vector<double>(20, 0.05)), kFalseAlarm);
}

}  // namespace sampling_statistics_test
}  // namespace topicwall::mechanism
