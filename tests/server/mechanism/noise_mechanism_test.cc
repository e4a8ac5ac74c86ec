#include "server/mechanism/noise_mechanism.h"

#include <cmath>
#include <numeric>
#include <set>
#include <type_traits>

#include "server/mechanism/grid_scale.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/noise/rounded_gaussian.h"
#include "tests/server/mechanism/small_release.h"

namespace topicwall::mechanism {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::topicwall::testing::StatusIs;

// Numbers that may leave come from AddNoise alone, and with them the receipt to store them.
static_assert(!std::is_default_constructible_v<NoisyStatistics>);
static_assert(!std::is_copy_constructible_v<NoisyStatistics>);
static_assert(!std::is_constructible_v<NoisyStatistics, PartialSum>);
static_assert(!std::is_constructible_v<ledger::NoisedReceipt, ledger::ChargeReceipt>);
static_assert(!std::is_invocable_v<decltype(&AddNoise), PartialSum&, NoiseKey, int>,
              "takes the sum whole");
static_assert(!std::is_invocable_v<decltype(&AddNoise), PartialSum, NoiseKey&, int>,
              "and uses up the key");
// The key of the noise comes from a receipt alone, and nothing that sums has one.
static_assert(!std::is_default_constructible_v<NoiseKey>);
static_assert(!std::is_copy_constructible_v<NoiseKey>);
static_assert(!std::is_constructible_v<NoiseKey, ReleaseCoins>);
static_assert(!std::is_constructible_v<NoiseKey, ledger::ChargeReceipt>);
static_assert(!std::is_invocable_v<decltype(&DeriveReleaseKey), ReleaseCoins, absl::string_view>);
static_assert(
    !std::is_invocable_v<decltype(&SplitReceipt), ReleaseCoins, int, const random::SecretKey*>);
static_assert(!std::is_copy_constructible_v<ledger::NoisedReceipt>);

NoisyStatistics Noised(SmallRelease release, int num_threads = 1) {
  absl::StatusOr<NoisyStatistics> noisy =
      AddNoise(std::move(release.sum), std::move(release.keys.noise), num_threads);
  EXPECT_OK(noisy);
  return *std::move(noisy);
}

// A release of the small corpus, or of nobody.
NoisyStatistics Release(const Change& change, uint8_t key = 1, double clip_norm = kSmallClipNorm) {
  SmallRelease release(SmallReceipt(change, key), model::GridOf(kSmallTopics, kSmallVocabulary),
                       clip_norm);
  const SmallCorpus corpus;
  corpus.AddTo(&release, corpus.everybody());
  return Noised(std::move(release));
}
NoisyStatistics ReleaseOfNobody(const Change& change = NoChange, uint8_t key = 1) {
  return Noised(SmallRelease(SmallReceipt(change, key)));
}

std::vector<float> Values(absl::Span<const float> span) { return {span.begin(), span.end()}; }

TEST(NoiseMechanismTest, TheSameReceiptGivesTheSameRelease) {
  const NoisyStatistics first = Release(NoChange);
  const NoisyStatistics second = Release(NoChange);
  EXPECT_EQ(Values(first.statistics()), Values(second.statistics()));
  EXPECT_EQ(Values(first.norm_histogram()), Values(second.norm_histogram()));
}

TEST(NoiseMechanismTest, KeyDigestAndCorpusEachGiveOtherNoise) {
  const std::set<std::vector<float>> releases = {
      Values(ReleaseOfNobody().statistics()),
      Values(ReleaseOfNobody(NoChange, /*key=*/2).statistics()),
      Values(ReleaseOfNobody([](auto& terms) { terms.request_digest[31] = 1; }).statistics()),
      Values(ReleaseOfNobody([](auto& terms) { terms.corpus_version[15] = 1; }).statistics())};
  EXPECT_THAT(releases, SizeIs(4));
}

// Fixed bits: no false alarm. (By chance two of 200 such floats would agree once in 300 keys.)
TEST(NoiseMechanismTest, EveryEntryHasItsOwnNoise) {
  const NoisyStatistics release = ReleaseOfNobody();
  const std::set<float> distinct(release.statistics().begin(), release.statistics().end());
  EXPECT_THAT(distinct, SizeIs(kSmallTopics * kSmallVocabulary));
  const std::set<float> bins(release.norm_histogram().begin(), release.norm_histogram().end());
  EXPECT_THAT(bins, SizeIs(kNormHistogramBins));
}

TEST(NoiseMechanismTest, ThreadsDoNotChangeABit) {
  // 3 topics of 5000 terms: four blocks of noise.
  const auto release = [](int num_threads) {
    SmallRelease small(SmallReceipt([](ledger::ChargeTerms& /*terms*/) {}), model::GridOf(3, 5000),
                       /*clip_norm=*/1);
    return Values(Noised(std::move(small), num_threads).statistics());
  };
  const std::vector<float> one = release(1);
  EXPECT_EQ(release(2), one);
  EXPECT_EQ(release(7), one);
  EXPECT_EQ(release(-1), one) << "below 1 counts as 1";
  const std::set<float> distinct(one.begin(), one.end());
  EXPECT_GT(distinct.size(), one.size() * 99 / 100) << "no two blocks share their noise";
}

// With the least noise, C/64 per entry, a release shows its sum: 10 standard deviations
// have probability below 1e-20 for all entries together.
TEST(NoiseMechanismTest, IsTheSumOfTheClippedUnitsInWordsRowByTopic) {
  const SmallCorpus corpus;
  std::vector<double> expected(kSmallTopics * kSmallVocabulary, 0.0);
  for (const std::size_t unit : corpus.everybody()) {
    const model::SparseStatistic& statistic = corpus.statistic(unit);
    double norm = 0;
    for (float x : statistic.values) norm += static_cast<double>(x) * static_cast<double>(x);
    const double factor = std::min(1.0, kSmallClipNorm / std::sqrt(norm));
    for (std::size_t i = 0; i < statistic.columns.size(); ++i) {
      for (std::size_t a = 0; a < statistic.rows.size(); ++a) {
        expected[statistic.rows[a] * kSmallVocabulary + statistic.columns[i]] +=
            factor * static_cast<double>(statistic.values[i * statistic.rows.size() + a]);
      }
    }
  }
  const NoisyStatistics release =
      Release([](ledger::ChargeTerms& terms) { terms.mechanism.noise_multiplier = 0x1p-6; });
  EXPECT_EQ(release.shape().rows(), kSmallTopics);
  EXPECT_EQ(release.shape().period, kSmallVocabulary);
  EXPECT_EQ(release.clip_norm(), kSmallClipNorm);
  EXPECT_DOUBLE_EQ(release.noise_standard_deviation(), kSmallClipNorm / 64);
  ASSERT_THAT(release.statistics(), SizeIs(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(release.statistics()[i]), expected[i],
                10 * release.noise_standard_deviation())
        << i;
  }
}

TEST(NoiseMechanismTest, TheHistogramCountsUnits) {
  const SmallCorpus corpus;
  const NoisyStatistics release = Release(
      [](ledger::ChargeTerms& terms) { terms.mechanism.histogram_noise_multiplier = 0x1p-6; });
  ASSERT_THAT(release.norm_histogram(), SizeIs(kNormHistogramBins));
  EXPECT_DOUBLE_EQ(release.histogram_noise_standard_deviation(), 1.0 / 64);
  double units = 0;
  for (float count : release.norm_histogram()) {
    const double rounded = std::round(static_cast<double>(count));
    EXPECT_NEAR(static_cast<double>(count), rounded, 10.0 / 64);
    EXPECT_GE(rounded, 0);
    units += rounded;
  }
  EXPECT_EQ(units, static_cast<double>(corpus.ids().size()));
}

// With one multiplier for both and C = 1, a draw of noise is the same float in either.
TEST(NoiseMechanismTest, TheHistogramHasNoiseOfItsOwn) {
  const NoisyStatistics release =
      Noised(SmallRelease(SmallReceipt([](ledger::ChargeTerms& terms) {
                            terms.mechanism.noise_multiplier = 2;
                            terms.mechanism.histogram_noise_multiplier = 2;
                          }),
                          model::GridOf(kSmallTopics, kSmallVocabulary), /*clip_norm=*/1));
  const std::set<float> entries(release.statistics().begin(), release.statistics().end());
  ASSERT_THAT(release.norm_histogram(), SizeIs(kNormHistogramBins));
  for (const float bin : release.norm_histogram()) EXPECT_EQ(entries.count(bin), 0U) << bin;
}

// What leaves is a function of the noisy integer alone: every entry is that integer, scaled in
// double and rounded to float32 once. Sum and noise rounded apart would show the sum's own digits
// (Mironov, "On significance of the least significant bits", 2012). Fixed bits.
TEST(NoiseMechanismTest, NoiseIsAddedToTheIntegersBeforeAnyRounding) {
  const SmallCorpus corpus;
  const auto sum_of_all = [&corpus] {
    SmallRelease release(SmallReceipt());
    corpus.AddTo(&release, corpus.everybody());
    return release;
  };
  const std::vector<uint64_t> exact = PartialSumTestPeer::Grid(sum_of_all().sum);
  ASSERT_OK_AND_ASSIGN(random::SecretKey key, DeriveReleaseKey(SmallReceipt(), "release noise"));
  ASSERT_OK_AND_ASSIGN(random::Keystream stream, random::Keystream::Create(key, 0));
  RoundedGaussian<kNoiseScaleBits> noise;
  const NoisyStatistics release = Noised(sum_of_all());
  const double step = GridStep(kSmallClipNorm, SmallReceipt().mechanism().noise_multiplier);
  for (std::size_t v = 0; v < kSmallVocabulary; ++v) {
    for (std::size_t k = 0; k < kSmallTopics; ++k) {
      const int64_t noisy = static_cast<int64_t>(exact[v * kSmallTopics + k]) + noise.Draw(stream);
      EXPECT_EQ(release.statistics()[k * kSmallVocabulary + v],
                static_cast<float>(static_cast<double>(noisy) * step));
    }
  }
}

TEST(NoiseMechanismTest, WithoutAPaidHistogramNoneIsReleased) {
  const NoisyStatistics release = Release(
      [](ledger::ChargeTerms& terms) { terms.mechanism.histogram_noise_multiplier.reset(); });
  EXPECT_THAT(release.norm_histogram(), IsEmpty());
  EXPECT_EQ(release.histogram_noise_standard_deviation(), 0);
}

TEST(NoiseMechanismTest, TheHistogramDoesNotChangeTheStatistics) {
  const NoisyStatistics with = Release(NoChange);
  const NoisyStatistics without = Release(
      [](ledger::ChargeTerms& terms) { terms.mechanism.histogram_noise_multiplier.reset(); });
  EXPECT_EQ(Values(with.statistics()), Values(without.statistics()));
}

TEST(NoiseMechanismTest, NoiseOfATermIsDividedByItsWeight) {
  const NoisyStatistics plain = ReleaseOfNobody();
  const NoisyStatistics weighted = ReleaseOfNobody([](ledger::ChargeTerms& terms) {
    terms.mechanism.weights.assign(kSmallVocabulary, 1);
    terms.mechanism.weights[3] = 4;
    terms.mechanism.weights[5] = 0.25F;
  });
  for (std::size_t k = 0; k < kSmallTopics; ++k) {
    for (std::size_t v = 0; v < kSmallVocabulary; ++v) {
      const float weight = v == 3 ? 4.0F : v == 5 ? 0.25F : 1.0F;
      EXPECT_EQ(weighted.statistics()[k * kSmallVocabulary + v] * weight,
                plain.statistics()[k * kSmallVocabulary + v]);
    }
  }
}

TEST(NoiseMechanismTest, ReleasesAreFiniteAtEveryEndOfTheRanges) {
  for (const double clip_norm : {0x1p-20, 0x1p30}) {
    for (const double sigma : {0x1p-6, 0x1p20}) {
      for (const float weight : {0x1p-20F, 0x1p20F}) {
        const NoisyStatistics release = Release(
            [&](ledger::ChargeTerms& terms) {
              terms.mechanism.noise_multiplier = sigma;
              terms.mechanism.weights.assign(kSmallVocabulary, weight);
            },
            1, clip_norm);
        for (float value : release.statistics()) {
          EXPECT_TRUE(std::isnormal(value)) << clip_norm << ' ' << sigma << ' ' << weight;
        }
      }
    }
  }
}

// The sum of everybody, in which these shards are said to be.
PartialSum SumOfShards(const ReleaseCoins& coins, const std::vector<int>& shards) {
  const SmallCorpus corpus;
  PartialSum sum = EmptySum(coins);
  corpus.AddTo(coins, &sum, corpus.everybody());
  for (const int shard : shards) EXPECT_OK(sum.CountShard(shard));
  return sum;
}

// What is refused took nothing: with the last shard counted the same key gives the very release.
TEST(NoiseMechanismTest, AShardThatIsLeftOutIsRefusedBeforeAnyNoiseIsDrawn) {
  for (const int left_out : {0, 2, 3}) {
    ReleaseKeys keys = SplitForTest(SmallReceipt(), /*num_shards=*/4);
    std::vector<int> shards = {0, 1, 2, 3};
    shards.erase(shards.begin() + left_out);
    PartialSum sum = SumOfShards(keys.coins, shards);
    ASSERT_THAT(AddNoise(std::move(sum), std::move(keys.noise), 1),
                StatusIs(absl::StatusCode::kFailedPrecondition));
    ASSERT_OK(sum.CountShard(left_out));  // NOLINT(bugprone-use-after-move): the claim
    ASSERT_OK_AND_ASSIGN(const NoisyStatistics noisy,
                         AddNoise(std::move(sum), std::move(keys.noise), 1));
    EXPECT_EQ(Values(noisy.statistics()), Values(Release(NoChange).statistics()));
    EXPECT_EQ(Values(noisy.norm_histogram()), Values(Release(NoChange).norm_histogram()));
  }
}

TEST(NoiseMechanismTest, AShardThatIsInTwiceIsRefused) {
  ReleaseKeys keys = SplitForTest(SmallReceipt(), /*num_shards=*/2);
  EXPECT_THAT(AddNoise(SumOfShards(keys.coins, {0, 1, 1}), std::move(keys.noise), 1),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(AddNoise(SumOfShards(keys.coins, {0, 0, 1}), std::move(keys.noise), 1),
              StatusIs(absl::StatusCode::kAlreadyExists));
  // 257 times is not once.
  EXPECT_THAT(AddNoise(SumOfShards(keys.coins,
                                   [] {
                                     std::vector<int> shards(257, 0);
                                     shards.push_back(1);
                                     return shards;
                                   }()),
                       std::move(keys.noise), 1),
              StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST(NoiseMechanismTest, ASumOfAnotherReleaseOrAnEarlierAttemptIsRefused) {
  ReleaseKeys keys = SplitForTest(SmallReceipt());
  const auto refused = [&keys](const ReleaseKeys& others, const std::vector<int>& shards) {
    EXPECT_THAT(AddNoise(SumOfShards(others.coins, shards), std::move(keys.noise), 1),
                StatusIs(absl::StatusCode::kInvalidArgument));
  };
  for (const Change& change : OtherReleases()) refused(SplitForTest(SmallReceipt(change)), {0});
  refused(SplitForTest(SmallReceipt(NoChange, /*key=*/2)), {0});
  refused(SplitForTest(SmallReceipt(), /*num_shards=*/2), {0, 1});
  EXPECT_OK(AddNoise(SumOfShards(keys.coins, {0}), std::move(keys.noise), 1));
}

// Two sums under the same noise would reveal their difference.
TEST(NoiseMechanismTest, AKeyNoisesOneSumAndASumIsNoisedOnce) {
  ReleaseKeys keys = SplitForTest(SmallReceipt());
  ReleaseKeys again = SplitForTest(SmallReceipt());
  PartialSum sum = SumOfShards(keys.coins, {0});
  ASSERT_OK(AddNoise(std::move(sum), std::move(keys.noise), 1));
  // NOLINTBEGIN(bugprone-use-after-move): the claim
  EXPECT_THAT(AddNoise(SumOfShards(keys.coins, {0}), std::move(keys.noise), 1),
              StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(AddNoise(std::move(sum), std::move(again.noise), 1),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  // NOLINTEND(bugprone-use-after-move)
}

TEST(NoiseMechanismTest, AReleaseHasAtLeastOneShardAndNotTooMany) {
  for (const int num_shards : {-1, 0, kMaxShards + 1}) {
    EXPECT_THAT(SplitReceipt(SmallReceipt(), num_shards, nullptr),
                StatusIs(absl::StatusCode::kInternal))
        << num_shards;
  }
  EXPECT_OK(SplitReceipt(SmallReceipt(), kMaxShards, nullptr));
}

TEST(NoiseMechanismTest, AReleaseIsStoredAgainstTheReceiptThatItWasMadeFrom) {
  const NoisyStatistics release = ReleaseOfNobody();
  const ledger::NoisedReceipt& receipt = release.receipt();
  EXPECT_EQ(receipt.charge_id(), 77);
  EXPECT_EQ(receipt.plan_id(), "plan-1");
  EXPECT_EQ(receipt.iteration(), 3);
  EXPECT_EQ(receipt.request_digest()[0], 4);
  EXPECT_EQ(receipt.mechanism().max_words, 1000);
}

}  // namespace
}  // namespace topicwall::mechanism
