#include "server/mechanism/partial_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <thread>
#include <type_traits>

#include "server/mechanism/grid_scale.h"
#include "tests/server/mechanism/small_release.h"

namespace topicwall::mechanism {
namespace partial_sum_test {

using ::testing::Each;
using ::topicwall::testing::StatusIs;
using Peer = PartialSumTestPeer;

// No sum without coins, no copy of one.
static_assert(!std::is_default_constructible_v<PartialSum>);
static_assert(!std::is_copy_constructible_v<PartialSum>);
static_assert(!std::is_constructible_v<PartialSum, ReleaseMemory>);
static_assert(!std::is_constructible_v<PartialSum, ReleaseCoins, ReleaseMemory, UnitClipper>);
static_assert(!std::is_invocable_v<decltype(&PartialSum::Create), ledger::ChargeReceipt&&,
                                   ReleaseMemory&&, PartialSum::Params>);

// A pseudo-random order of n things, another one for each `number`.
std::vector<std::size_t> Shuffled(std::vector<std::size_t> order, uint64_t number) {
  absl::StatusOr<random::Keystream> stream =
      random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{3}), number);
  EXPECT_OK(stream);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[stream->NextBelow(i)]);
  }
  return order;
}

// Adds everybody on `num_threads` threads, unit i on thread i mod num_threads.
SmallRelease SumOnThreads(const SmallCorpus& corpus, std::size_t num_threads) {
  SmallRelease sum(SmallReceipt());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < num_threads; ++t) {
    std::vector<std::size_t> share;
    for (std::size_t unit = t; unit < corpus.ids().size(); unit += num_threads) {
      share.push_back(unit);
    }
    threads.emplace_back([&corpus, &sum, share] { corpus.AddTo(&sum, share); });
  }
  for (std::thread& thread : threads) thread.join();
  return sum;
}

// The q of a unit, like the grid.
std::vector<uint64_t> Dense(const UnitClipper& clipper, const model::SparseStatistic& statistic) {
  std::vector<uint64_t> dense(kSmallTopics * kSmallVocabulary, 0);
  ClippedUnit clipped;
  EXPECT_TRUE(clipper.Clip(statistic, &clipped));
  for (std::size_t i = 0; i < statistic.columns.size(); ++i) {
    for (std::size_t a = 0; a < statistic.rows.size(); ++a) {
      dense[statistic.columns[i] * kSmallTopics + statistic.rows[a]] =
          clipped.values[i * statistic.rows.size() + a];
    }
  }
  return dense;
}

TEST(PartialSumTest, AUnitChangesTheSumByItsClippedVectorExactly) {
  const SmallCorpus corpus;
  SmallRelease all(SmallReceipt());
  corpus.AddTo(&all, Shuffled(corpus.everybody(), 1000));
  for (const std::size_t unit : corpus.everybody()) {
    SmallRelease without(SmallReceipt());
    std::vector<std::size_t> others = corpus.everybody();
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(unit));
    corpus.AddTo(&without, Shuffled(others, unit));
    std::vector<uint64_t> difference = Peer::Grid(all.sum);
    for (std::size_t i = 0; i < difference.size(); ++i) {
      difference[i] -= Peer::Grid(without.sum)[i];
    }
    EXPECT_EQ(difference, Dense(Peer::Clipper(all.sum), corpus.statistic(unit))) << unit;
    uint64_t histogram_change = 0;
    for (std::size_t bin = 0; bin < kNormHistogramBins; ++bin) {
      const uint64_t change = Peer::Histogram(all.sum)[bin] - Peer::Histogram(without.sum)[bin];
      EXPECT_TRUE(change == 0 || change == IntegerSensitivity(3)) << "M_h or nothing";
      histogram_change += change;
    }
    EXPECT_EQ(histogram_change, IntegerSensitivity(3)) << "in one bin";
  }
}

TEST(PartialSumTest, ThreadsAndOrderDoNotChangeABit) {
  const SmallCorpus corpus;
  const SmallRelease one = SumOnThreads(corpus, 1);
  EXPECT_NE(Peer::Grid(one.sum), std::vector<uint64_t>(kSmallTopics * kSmallVocabulary, 0));
  for (const std::size_t num_threads : {2U, 7U}) {
    const SmallRelease several = SumOnThreads(corpus, num_threads);
    EXPECT_EQ(Peer::Grid(several.sum), Peer::Grid(one.sum)) << num_threads;
    EXPECT_EQ(Peer::Histogram(several.sum), Peer::Histogram(one.sum)) << num_threads;
  }
}

TEST(PartialSumTest, CountsOnlyShardsThatTheReleaseHas) {
  const ReleaseKeys keys = SplitForTest(SmallReceipt(), /*num_shards=*/4);
  PartialSum sum = EmptySum(keys.coins);
  for (const int shard : {-1, 4}) {
    EXPECT_THAT(sum.CountShard(shard), StatusIs(absl::StatusCode::kInvalidArgument)) << shard;
  }
  EXPECT_OK(sum.CountShard(3));
}

// Entries up to 2^36 (σ = 2^-6) have an upper half of their own; smaller ones reach it by carries.
TEST(PartialSumTest, SumsBeyond32BitsAreExact) {
  const SmallCorpus corpus;
  for (const double sigma : {0x1p-6, 0x1p-2, 1.24}) {
    SmallRelease sum(SmallReceipt(
        [sigma](ledger::ChargeTerms& terms) { terms.mechanism.noise_multiplier = sigma; }));
    const int rounds = 50;
    for (int i = 0; i < rounds; ++i) corpus.AddTo(&sum, corpus.everybody());
    std::vector<uint64_t> expected(kSmallTopics * kSmallVocabulary, 0);
    for (const std::size_t unit : corpus.everybody()) {
      const std::vector<uint64_t> q = Dense(Peer::Clipper(sum.sum), corpus.statistic(unit));
      for (std::size_t i = 0; i < q.size(); ++i) expected[i] += rounds * q[i];
    }
    EXPECT_GT(*std::max_element(expected.begin(), expected.end()), uint64_t{1} << 33);
    EXPECT_EQ(Peer::Grid(sum.sum), expected) << sigma;
  }
}

TEST(PartialSumTest, OnlySampledUnitsAreAdded) {
  const SmallCorpus corpus;
  const auto half = [](ledger::ChargeTerms& terms) { terms.mechanism.sampling_rate = 0.5; };
  SmallRelease sum(SmallReceipt(half));
  corpus.AddTo(&sum, corpus.everybody());
  std::vector<SampledUnit> sampled;
  ASSERT_OK(sum.keys.coins.Sample(corpus.ids(), &sampled));
  EXPECT_LT(sampled.size(), corpus.ids().size());  // false alarm 2^-60
  std::vector<uint64_t> expected(kSmallTopics * kSmallVocabulary, 0);
  for (const SampledUnit& unit : sampled) {
    const std::vector<uint64_t> q =
        Dense(Peer::Clipper(sum.sum), corpus.statistic(unit.position()));
    for (std::size_t i = 0; i < q.size(); ++i) expected[i] += q[i];
  }
  EXPECT_EQ(Peer::Grid(sum.sum), expected);
}

TEST(PartialSumTest, UnitsAreCountedInTheBinOfTheirUnclippedNorm) {
  const SmallCorpus corpus;
  SmallRelease sum(SmallReceipt());
  corpus.AddTo(&sum, corpus.everybody());
  std::array<uint64_t, kNormHistogramBins> expected{};
  ClippedUnit clipped;
  bool some_clipped = false;
  for (const std::size_t unit : corpus.everybody()) {
    ASSERT_TRUE(Peer::Clipper(sum.sum).Clip(corpus.statistic(unit), &clipped));
    some_clipped |= clipped.weighted_norm > kSmallClipNorm;
    expected[static_cast<std::size_t>(NormHistogramBin(clipped.weighted_norm))] +=
        IntegerSensitivity(3);
  }
  EXPECT_TRUE(some_clipped);
  EXPECT_EQ(Peer::Histogram(sum.sum), expected);
}

TEST(PartialSumTest, UnitsAreCountedInTheBinOfTheirWeightedNorm) {
  const SmallCorpus corpus;
  SmallRelease sum(SmallReceipt(
      [](ledger::ChargeTerms& terms) { terms.mechanism.weights.assign(kSmallVocabulary, 4); }));
  corpus.AddTo(&sum, corpus.everybody());
  std::array<uint64_t, kNormHistogramBins> expected{};
  for (const std::size_t unit : corpus.everybody()) {
    const model::SparseStatistic& statistic = corpus.statistic(unit);
    double squares = 0;
    for (float x : statistic.values) squares += static_cast<double>(x) * static_cast<double>(x);
    expected[static_cast<std::size_t>(NormHistogramBin(4 * std::sqrt(squares)))] +=
        IntegerSensitivity(3);
  }
  EXPECT_EQ(Peer::Histogram(sum.sum), expected);
}

TEST(PartialSumTest, WithoutAPaidHistogramNoNormIsCounted) {
  const SmallCorpus corpus;
  SmallRelease sum(SmallReceipt(
      [](ledger::ChargeTerms& terms) { terms.mechanism.histogram_noise_multiplier.reset(); }));
  corpus.AddTo(&sum, corpus.everybody());
  EXPECT_THAT(Peer::Histogram(sum.sum), Each(0));
}

// The statistic of an evaluation: 1×2, weights (1/a0, 1/n0), clip norm 1.
constexpr float kPerNat = 0.002F;
constexpr float kPerWord = 0.01F;

ReleaseKeys EvaluationKeys() {
  const random::SecretKey key(std::array<uint8_t, 32>{42});
  absl::StatusOr<ReleaseKeys> keys = SplitReceipt(SmallReceipt([](ledger::ChargeTerms& terms) {
                                                    terms.mechanism.weights = {kPerNat, kPerWord};
                                                    terms.mechanism.held_out_share = 1;
                                                    terms.mechanism.held_out_only = true;
                                                  }),
                                                  1, &key);
  EXPECT_OK(keys);
  return *std::move(keys);
}

// The integers of units with these (A, n).
std::vector<uint64_t> Evaluated(const std::vector<std::array<float, 2>>& units) {
  const ReleaseKeys keys = EvaluationKeys();
  PartialSum sum = EmptySum(keys.coins, model::GridOf(1, 2), /*clip_norm=*/1);
  {
    ClippedUnit clipped;
    PartialSum::Adder adder(&sum, &clipped);
    std::vector<SampledUnit> sampled;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const random::UnitId id = {static_cast<uint8_t>(i)};
      EXPECT_OK(keys.coins.Sample({&id, 1}, &sampled));
      for (SampledUnit& unit : sampled) {
        adder.Add(std::move(unit),
                  {.columns = {0, 1}, .rows = {0}, .values = {units[i][0], units[i][1]}});
      }
    }
  }
  return Peer::Grid(sum);
}

TEST(PartialSumTest, AnEvaluatedUnitAddsItsTwoNumbersByTheirWeights) {
  const double bound = static_cast<double>(IntegerSensitivity(1.24));
  const std::vector<uint64_t> sum = Evaluated({{100, 20}, {50, 10}});  // norms 0.28 and 0.14
  EXPECT_NEAR(static_cast<double>(sum[0]), 150 * double{kPerNat} * bound, 2);
  EXPECT_NEAR(static_cast<double>(sum[1]), 30 * double{kPerWord} * bound, 2);
}

// From the most that a unit of the largest corpus could have to a thousandth of the clip norm:
// |q| <= M in integers, and the ratio A/n is kept.
TEST(PartialSumTest, AnEnormousUnitMovesAnEvaluationByAtMostM) {
  const uint64_t bound = IntegerSensitivity(1.24);
  for (const float n : {1e-2F, 1.0F, 100.0F, 1e6F, 1e12F, 1e30F}) {
    for (const float nats_per_word : {0.0F, 0.5F, 6.0F, 27.7F}) {
      const std::vector<uint64_t> q = Evaluated({{n * nats_per_word, n}});
      EXPECT_LE(absl::uint128(q[0]) * q[0] + absl::uint128(q[1]) * q[1],
                absl::uint128(bound) * bound)
          << n << " " << nats_per_word;
      if (n < 1 || nats_per_word == 0) continue;
      const double ratio = static_cast<double>(q[0]) / static_cast<double>(q[1]) *
                           double{kPerWord} / double{kPerNat};
      EXPECT_NEAR(ratio, double{nats_per_word}, 1e-4) << n;
    }
  }
}

TEST(PartialSumTest, AnEvaluatedUnitThatIsNoNumberIsDropped) {
  const std::vector<uint64_t> alone = Evaluated({{100, 20}});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::array<float, 2>& bad : std::vector<std::array<float, 2>>{
           {nan, 20}, {infinity, 20}, {100, nan}, {-infinity, 20}, {100, -infinity}}) {
    EXPECT_EQ(Evaluated({{100, 20}, bad}), alone) << bad[0] << " " << bad[1];
  }
}

// Whatever the others are, a unit adds what it adds alone.
TEST(PartialSumTest, NeighboursOfAnEvaluationDifferByOneUnitsVector) {
  const std::vector<std::array<float, 2>> others = {{100, 20}, {1e9F, 1e8F}, {0, 0}, {600, 90}};
  for (const std::array<float, 2>& unit :
       std::vector<std::array<float, 2>>{{10, 2}, {3e5F, 7e4F}, {0, 50}}) {
    std::vector<std::array<float, 2>> all = others;
    all.push_back(unit);
    std::vector<uint64_t> expected = Evaluated(others);
    const std::vector<uint64_t> alone = Evaluated({unit});
    for (std::size_t i = 0; i < 2; ++i) expected[i] += alone[i];
    EXPECT_EQ(Evaluated(all), expected) << unit[0];
  }
}

TEST(PartialSumTest, AStatisticOfAnotherShapeChangesNothing) {
  const SmallCorpus corpus;
  SmallRelease release(SmallReceipt([](ledger::ChargeTerms& /*terms*/) {}),
                       model::GridOf(4, kSmallVocabulary), /*clip_norm=*/1);
  corpus.AddTo(&release, corpus.everybody());
  EXPECT_THAT(Peer::Grid(release.sum), Each(0));
  EXPECT_THAT(Peer::Histogram(release.sum), Each(0)) << "a dropped unit is in no bin either";
}

TEST(PartialSumTest, RunsOnlyWhatWasPaid) {
  const auto create = [](int num_topics, int64_t vocabulary_size, double clip_norm,
                         std::vector<float> weights) {
    const ReleaseKeys keys = SplitForTest(SmallReceipt(
        [&weights](ledger::ChargeTerms& terms) { terms.mechanism.weights = std::move(weights); }));
    absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(
        {.shape = model::GridOf(num_topics, vocabulary_size), .num_threads = 1});
    EXPECT_OK(memory);
    return PartialSum::Create(keys.coins, *std::move(memory), {.clip_norm = clip_norm});
  };
  EXPECT_OK(create(kSmallTopics, 2, 1, {1, 2}));
  EXPECT_THAT(create(kSmallTopics, 3, 1, {1, 2}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(kSmallTopics, 2, 0, {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace partial_sum_test
}  // namespace topicwall::mechanism
