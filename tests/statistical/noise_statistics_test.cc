// A whole release has the noise that was paid for, in every entry and in words.
//
// The mean square of n normal entries over their claimed variance has standard deviation
// sqrt(2/n). n = 10⁶: 0.1414 %; six and a half of them (false alarm 8e-11), 0.92 %. So a standard
// deviation off by 0.46 % fails half the time, one off by 0.92 % always (once in 10¹⁰ not).
// Fresh keys each run.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "server/mechanism/noise_mechanism.h"
#include "tests/support/receipt_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace {

NoisyStatistics ReleaseOfNobody(ledger::PaidMechanism paid, int64_t vocabulary_size,
                                double clip_norm) {
  absl::StatusOr<random::SecretKey> key = random::SecretKey::Generate();
  EXPECT_OK(key);
  const int num_topics = paid.num_topics;
  absl::StatusOr<ReleaseCoins> coins =
      ReleaseCoins::Create(ledger::ChargeReceiptTestPeer::Make({.charge_id = 1,
                                                                .plan_id = "plan",
                                                                .iteration = 1,
                                                                .request_digest = {},
                                                                .corpus_version = {},
                                                                .charged_at_ms = 0,
                                                                .mechanism = std::move(paid)},
                                                               *std::move(key)));
  EXPECT_OK(coins);
  absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(num_topics, vocabulary_size);
  EXPECT_OK(memory);
  absl::StatusOr<LatticeSum> sum =
      LatticeSum::Create(*std::move(coins), *std::move(memory), {.clip_norm = clip_norm});
  EXPECT_OK(sum);
  absl::StatusOr<NoisyStatistics> noisy = AddNoise(*std::move(sum), 2);
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
                                                   .num_topics = num_topics,
                                                   .max_words = 1,
                                                   .term_weights = weights},
                                                  vocabulary_size, clip_norm);
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
                                                     .num_topics = 1,
                                                     .max_words = 1,
                                                     .term_weights = {}},
                                                    1, 1);
    for (float count : release.norm_histogram()) {
      const double z = static_cast<double>(count) / 17.5;
      squares += z * z;
      ++n;
    }
  }
  EXPECT_NEAR(squares / n, 1, 6.5 * std::sqrt(2 / n));
}

}  // namespace
}  // namespace topicwall::mechanism
