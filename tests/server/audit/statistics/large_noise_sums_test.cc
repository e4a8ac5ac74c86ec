#include "server/audit/statistics/large_noise_sums.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "server/audit/audit_seed.h"
#include "server/audit/statistics/noise_findings.h"
#include "server/audit/walls/production_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

constexpr std::size_t kTopics = ProductionWorld::kTopics;
constexpr std::size_t kTerms = ProductionWorld::kTerms;
constexpr double kX = 18;  // 1e-8 a side

std::size_t EntryAt(std::size_t by_term) { return by_term % kTopics * kTerms + by_term / kTopics; }

// Noise of variance 1, as far as the audit looks: a sum of twelve uniform numbers.
ReceivedRelease NoiseOf(const char* purpose) {
  const auto seed = AuditSeed::Of("00112233445566778899aabbccddeeff");
  EXPECT_OK(seed);
  auto choices = seed->Choices(purpose);
  EXPECT_OK(choices);
  ReceivedRelease release;
  release.statistics.resize(kTopics * kTerms);
  for (std::size_t i = 0; i < release.statistics.size(); ++i) {
    double sum = -6;
    for (int part = 0; part < 3; ++part) {
      const uint64_t bits = choices->Next64();
      for (int quarter = 0; quarter < 4; ++quarter) {
        sum += static_cast<double>(bits >> (16 * quarter) & 0xffff) * 0x1p-16;
      }
    }
    release.statistics[EntryAt(i)] = static_cast<float>(sum);
  }
  for (std::size_t unit = 0; unit < kTerms; ++unit) {
    release.statistics[ProductionWorld::EntryOf(unit)] += 1;
  }
  return release;
}

int Violated(const LargeNoiseSums& sums) {
  int violated = 0;
  for (const Finding& finding : LargeNoiseFindings(sums, kX)) {
    violated += finding.verdict == Verdict::kHolds ? 0 : 1;
  }
  return violated;
}

TEST(LargeNoiseSumsTest, NoiseAsItShouldBeHolds) {
  LargeNoiseSums sums;
  sums.Add(NoiseOf("one"));
  sums.Add(NoiseOf("two"));
  EXPECT_EQ(sums.runs_twice, 0);
  EXPECT_EQ(sums.squared_by_block.size(), 2u * kTopics * kTerms / 4000);
  EXPECT_EQ(Violated(sums), 0);
}

// One block of 1,250 has the noise of another, seven entries on.
TEST(LargeNoiseSumsTest, ABlockThatComesAgainAnywhereIsSeen) {
  ReceivedRelease release = NoiseOf("one");
  for (std::size_t i = 0; i < 4000; ++i) {
    release.statistics[EntryAt(4'000'007 + i)] = release.statistics[EntryAt(80'000 + i)];
  }
  LargeNoiseSums sums;
  sums.Add(release);
  sums.Add(NoiseOf("two"));
  EXPECT_GT(sums.runs_twice, 0);
  EXPECT_GE(Violated(sums), 1);
}

TEST(LargeNoiseSumsTest, TheSameNoiseInTheNextReleaseIsSeen) {
  LargeNoiseSums sums;
  sums.Add(NoiseOf("one"));
  sums.Add(NoiseOf("one"));
  EXPECT_GT(sums.runs_twice, 0);
  EXPECT_GE(Violated(sums), 2) << "also by its correlation";
}

// Of one block alone: beyond what the mean over all entries shows.
TEST(LargeNoiseSumsTest, ABlockWithTooLittleNoiseIsSeen) {
  ReceivedRelease release = NoiseOf("one");
  for (std::size_t i = 400'000; i < 404'000; ++i) release.statistics[EntryAt(i)] *= 0.8F;
  LargeNoiseSums sums;
  sums.Add(release);
  sums.Add(NoiseOf("two"));
  EXPECT_EQ(Violated(sums), 1);
}

}  // namespace
}  // namespace topicwall::audit
