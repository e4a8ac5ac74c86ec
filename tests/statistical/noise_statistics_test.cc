// A whole release has the noise that was paid for, in every entry and in words.
//
// The mean square of n normal entries over their claimed variance has standard deviation
// sqrt(2/n). n = 10⁶: 0.1414 %; six and a half of them (false alarm 8e-11), 0.92 %. So a standard
// deviation off by 0.46 % fails half the time, one off by 0.92 % always (once in 10¹⁰ not).
// The correlation of n independent pairs has standard deviation 1/sqrt(n): at n = 10⁶ one of 0.65 %
// is found, noise that is used twice (1), shared by blocks or drawn again by threads (1 in a part
// of the pairs) for certain. Fresh keys each run.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "server/mechanism/noise_mechanism.h"
#include "tests/support/receipt_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

NoisyStatistics ReleaseOfNobody(ledger::PaidMechanism paid, int num_topics, int64_t vocabulary_size,
                                double clip_norm) {
  absl::StatusOr<random::SecretKey> key = random::SecretKey::Generate();
  EXPECT_OK(key);
  absl::StatusOr<ReleaseKeys> keys =
      SplitReceipt(ledger::ChargeReceiptTestPeer::Make({.charge_id = 1,
                                                        .plan_id = "plan",
                                                        .iteration = 1,
                                                        .request_digest = {},
                                                        .corpus_version = {},
                                                        .mechanism = std::move(paid)},
                                                       *std::move(key)),
                   1, nullptr);
  EXPECT_OK(keys);
  absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(
      {.shape = model::GridOf(num_topics, vocabulary_size), .num_threads = 1});
  EXPECT_OK(memory);
  absl::StatusOr<PartialSum> sum =
      PartialSum::Create(keys->coins, *std::move(memory), {.clip_norm = clip_norm});
  EXPECT_OK(sum);
  EXPECT_OK(sum->CountShard(0));
  absl::StatusOr<NoisyStatistics> noisy = AddNoise(*std::move(sum), std::move(keys->noise), 2);
  EXPECT_OK(noisy);
  return *std::move(noisy);
}

TEST(NoiseStatisticsTest, EveryEntryHasTheAnnouncedStandardDeviation) {
  const int num_topics = 50;
  const int64_t vocabulary_size = 20'000;
  std::vector<float> weights(vocabulary_size);
  for (std::size_t v = 0; v < weights.size(); ++v) weights[v] = v % 2 == 0 ? 0.5F : 3.0F;
  const double sigma = 6.3;
  const double clip_norm = 4;
  const NoisyStatistics release = ReleaseOfNobody({.sampling_rate = 0.1,
                                                   .noise_multiplier = sigma,
                                                   .histogram_noise_multiplier = {},
                                                   .max_words = 1,
                                                   .weights = weights},
                                                  num_topics, vocabulary_size, clip_norm);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < release.statistics().size(); ++i) {
    const double weight = static_cast<double>(weights[i % weights.size()]);
    const double z = static_cast<double>(release.statistics()[i]) * weight / (sigma * clip_norm);
    sum += z;
    squares += z * z;
  }
  const double n = num_topics * static_cast<double>(vocabulary_size);
  EXPECT_NEAR(squares / n, 1, 6.5 * std::sqrt(2 / n));
  EXPECT_NEAR(sum / n, 0, 6.5 / std::sqrt(n));
}

// 48 bins of 4,000 releases: n = 192,000, 6.5·sqrt(2/n) = 2.1 %.
TEST(NoiseStatisticsTest, EveryBinHasTheAnnouncedStandardDeviation) {
  double squares = 0;
  double n = 0;
  for (int i = 0; i < 4000; ++i) {
    const NoisyStatistics release = ReleaseOfNobody({.sampling_rate = 1,
                                                     .noise_multiplier = 1,
                                                     .histogram_noise_multiplier = 17.5,
                                                     .max_words = 1,
                                                     .weights = {}},
                                                    1, 1, 1);
    for (float count : release.norm_histogram()) {
      const double z = static_cast<double>(count) / 17.5;
      squares += z * z;
      ++n;
    }
  }
  EXPECT_NEAR(squares / n, 1, 6.5 * std::sqrt(2 / n));
}

constexpr int kTopics = 50;
constexpr int64_t kTerms = 20'000;

// K×V entries in standard deviations.
std::vector<float> UnitNoise() {
  const NoisyStatistics release = ReleaseOfNobody({.sampling_rate = 1,
                                                   .noise_multiplier = 1,
                                                   .histogram_noise_multiplier = {},
                                                   .max_words = 1,
                                                   .weights = {}},
                                                  kTopics, kTerms, 1);
  return {release.statistics().begin(), release.statistics().end()};
}

// Correlation of a[i] with b[i + lag], in its own standard deviations.
double Correlation(const std::vector<float>& a, const std::vector<float>& b, std::size_t lag = 0) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < b.size(); ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i + lag]);
  }
  return sum / std::sqrt(static_cast<double>(b.size() - lag));
}

TEST(NoiseStatisticsTest, EntriesAreIndependentWithinABlockAndAcrossBlocks) {
  const std::vector<float> noise = UnitNoise();
  EXPECT_LT(std::abs(Correlation(noise, noise, 1)), 6.5) << "neighbouring terms";
  EXPECT_LT(std::abs(Correlation(noise, noise, kTerms)), 6.5) << "neighbouring topics";
  // Blocks of noise have 4096 entries or a little less: 81 terms of 50 topics.
  for (const std::size_t terms : {80U, 81U, 82U, 162U}) {
    EXPECT_LT(std::abs(Correlation(noise, noise, terms)), 6.5) << terms;
  }
}

TEST(NoiseStatisticsTest, ReleasesOfDifferentKeysAreIndependent) {
  const std::vector<float> first = UnitNoise();
  const std::vector<float> second = UnitNoise();
  EXPECT_LT(std::abs(Correlation(first, second)), 6.5);
}

// A process and the one it forked after it had drawn keys: neither repeats the other.
TEST(NoiseStatisticsTest, AForkedProcessDrawsNoiseOfItsOwn) {
  const std::vector<float> before = UnitNoise();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::vector<float> noise = UnitNoise();
    const char* bytes = reinterpret_cast<const char*>(noise.data());
    std::size_t left = noise.size() * sizeof(float);
    while (left > 0) {
      const ssize_t written = write(ends[1], bytes, left);
      if (written <= 0) _exit(1);
      bytes += written;
      left -= static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  const std::vector<float> ours = UnitNoise();
  std::vector<float> theirs(ours.size());
  char* bytes = reinterpret_cast<char*>(theirs.data());
  std::size_t left = theirs.size() * sizeof(float);
  while (left > 0) {
    const ssize_t got = read(ends[0], bytes, left);
    if (got <= 0) break;
    bytes += got;
    left -= static_cast<std::size_t>(got);
  }
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_EQ(left, 0U);
  EXPECT_LT(std::abs(Correlation(ours, theirs)), 6.5);
  EXPECT_LT(std::abs(Correlation(before, theirs)), 6.5);
  EXPECT_LT(std::abs(Correlation(before, ours)), 6.5);
}

}  // namespace
}  // namespace topicwall::mechanism
