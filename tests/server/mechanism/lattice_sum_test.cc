#include "server/mechanism/lattice_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <thread>
#include <type_traits>

#include "server/mechanism/lattice_scale.h"
#include "tests/server/mechanism/small_release.h"

namespace topicwall::mechanism {
namespace {

using ::testing::Each;
using ::topicwall::testing::StatusIs;
using Peer = LatticeSumTestPeer;

// No sum without coins, no copy of one.
static_assert(!std::is_default_constructible_v<LatticeSum>);
static_assert(!std::is_copy_constructible_v<LatticeSum>);
static_assert(!std::is_constructible_v<LatticeSum, ReleaseMemory>);
static_assert(!std::is_constructible_v<LatticeSum, ReleaseCoins, ReleaseMemory, UnitClipper>);

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
LatticeSum SumOnThreads(const SmallCorpus& corpus, std::size_t num_threads) {
  LatticeSum sum = SmallSum(SmallReceipt());
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

// The q of a unit, like the lattice.
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

TEST(LatticeSumTest, AUnitChangesTheSumByItsClippedVectorExactly) {
  const SmallCorpus corpus;
  LatticeSum all = SmallSum(SmallReceipt());
  corpus.AddTo(&all, Shuffled(corpus.everybody(), 1000));
  for (const std::size_t unit : corpus.everybody()) {
    LatticeSum without = SmallSum(SmallReceipt());
    std::vector<std::size_t> others = corpus.everybody();
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(unit));
    corpus.AddTo(&without, Shuffled(others, unit));
    std::vector<uint64_t> difference = Peer::Lattice(all);
    for (std::size_t i = 0; i < difference.size(); ++i) {
      difference[i] -= Peer::Lattice(without)[i];
    }
    EXPECT_EQ(difference, Dense(Peer::Clipper(all), corpus.statistic(unit))) << unit;
    uint64_t histogram_change = 0;
    for (std::size_t bin = 0; bin < kNormHistogramBins; ++bin) {
      const uint64_t change = Peer::Histogram(all)[bin] - Peer::Histogram(without)[bin];
      EXPECT_TRUE(change == 0 || change == LatticeBound(3)) << "M_h or nothing";
      histogram_change += change;
    }
    EXPECT_EQ(histogram_change, LatticeBound(3)) << "in one bin";
  }
}

TEST(LatticeSumTest, ThreadsAndOrderDoNotChangeABit) {
  const SmallCorpus corpus;
  const LatticeSum one = SumOnThreads(corpus, 1);
  EXPECT_NE(Peer::Lattice(one), std::vector<uint64_t>(kSmallTopics * kSmallVocabulary, 0));
  for (const std::size_t num_threads : {2U, 7U}) {
    const LatticeSum several = SumOnThreads(corpus, num_threads);
    EXPECT_EQ(Peer::Lattice(several), Peer::Lattice(one)) << num_threads;
    EXPECT_EQ(Peer::Histogram(several), Peer::Histogram(one)) << num_threads;
  }
}

// Entries up to 2^36 (σ = 2^-6) have an upper half of their own; smaller ones reach it by carries.
TEST(LatticeSumTest, SumsBeyond32BitsAreExact) {
  const SmallCorpus corpus;
  for (const double sigma : {0x1p-6, 0x1p-2, 1.24}) {
    LatticeSum sum = SmallSum(SmallReceipt(
        [sigma](ledger::ChargeTerms& terms) { terms.mechanism.noise_multiplier = sigma; }));
    const int rounds = 50;
    for (int i = 0; i < rounds; ++i) corpus.AddTo(&sum, corpus.everybody());
    std::vector<uint64_t> expected(kSmallTopics * kSmallVocabulary, 0);
    for (const std::size_t unit : corpus.everybody()) {
      const std::vector<uint64_t> q = Dense(Peer::Clipper(sum), corpus.statistic(unit));
      for (std::size_t i = 0; i < q.size(); ++i) expected[i] += rounds * q[i];
    }
    EXPECT_GT(*std::max_element(expected.begin(), expected.end()), uint64_t{1} << 33);
    EXPECT_EQ(Peer::Lattice(sum), expected) << sigma;
  }
}

TEST(LatticeSumTest, OnlySampledUnitsAreAdded) {
  const SmallCorpus corpus;
  const auto half = [](ledger::ChargeTerms& terms) { terms.mechanism.sampling_rate = 0.5; };
  LatticeSum sum = SmallSum(SmallReceipt(half));
  corpus.AddTo(&sum, corpus.everybody());
  std::vector<SampledUnit> sampled;
  ASSERT_OK(sum.coins().Sample(corpus.ids(), &sampled));
  EXPECT_LT(sampled.size(), corpus.ids().size());  // false alarm 2^-60
  std::vector<uint64_t> expected(kSmallTopics * kSmallVocabulary, 0);
  for (const SampledUnit& unit : sampled) {
    const std::vector<uint64_t> q = Dense(Peer::Clipper(sum), corpus.statistic(unit.position()));
    for (std::size_t i = 0; i < q.size(); ++i) expected[i] += q[i];
  }
  EXPECT_EQ(Peer::Lattice(sum), expected);
}

TEST(LatticeSumTest, UnitsAreCountedInTheBinOfTheirUnclippedNorm) {
  const SmallCorpus corpus;
  LatticeSum sum = SmallSum(SmallReceipt());
  corpus.AddTo(&sum, corpus.everybody());
  std::array<uint64_t, kNormHistogramBins> expected{};
  ClippedUnit clipped;
  bool some_clipped = false;
  for (const std::size_t unit : corpus.everybody()) {
    ASSERT_TRUE(Peer::Clipper(sum).Clip(corpus.statistic(unit), &clipped));
    some_clipped |= clipped.weighted_norm > kSmallClipNorm;
    expected[static_cast<std::size_t>(NormHistogramBin(clipped.weighted_norm))] += LatticeBound(3);
  }
  EXPECT_TRUE(some_clipped);
  EXPECT_EQ(Peer::Histogram(sum), expected);
}

TEST(LatticeSumTest, UnitsAreCountedInTheBinOfTheirWeightedNorm) {
  const SmallCorpus corpus;
  LatticeSum sum = SmallSum(SmallReceipt([](ledger::ChargeTerms& terms) {
    terms.mechanism.term_weights.assign(kSmallVocabulary, 4);
  }));
  corpus.AddTo(&sum, corpus.everybody());
  std::array<uint64_t, kNormHistogramBins> expected{};
  for (const std::size_t unit : corpus.everybody()) {
    const model::SparseStatistic& statistic = corpus.statistic(unit);
    double squares = 0;
    for (float x : statistic.values) squares += static_cast<double>(x) * static_cast<double>(x);
    expected[static_cast<std::size_t>(NormHistogramBin(4 * std::sqrt(squares)))] += LatticeBound(3);
  }
  EXPECT_EQ(Peer::Histogram(sum), expected);
}

TEST(LatticeSumTest, WithoutAPaidHistogramNoNormIsCounted) {
  const SmallCorpus corpus;
  LatticeSum sum = SmallSum(SmallReceipt(
      [](ledger::ChargeTerms& terms) { terms.mechanism.histogram_noise_multiplier.reset(); }));
  corpus.AddTo(&sum, corpus.everybody());
  EXPECT_THAT(Peer::Histogram(sum), Each(0));
}

// The statistic of an evaluation: 1×2, weights (1/a0, 1/n0), clip norm 1.
constexpr float kPerNat = 0.002F;
constexpr float kPerWord = 0.01F;

LatticeSum EvaluationSum() {
  const random::SecretKey key(std::array<uint8_t, 32>{42});
  absl::StatusOr<ReleaseCoins> coins =
      ReleaseCoins::Create(SmallReceipt([](ledger::ChargeTerms& terms) {
                             terms.mechanism.num_topics = 1;
                             terms.mechanism.term_weights = {kPerNat, kPerWord};
                             terms.mechanism.held_out_share = 1;
                             terms.mechanism.document_completion = true;
                           }),
                           &key);
  EXPECT_OK(coins);
  absl::StatusOr<ReleaseMemory> memory =
      ReleaseMemory::Reserve({.shape = model::GridOf(1, 2), .num_threads = 1});
  EXPECT_OK(memory);
  absl::StatusOr<LatticeSum> sum =
      LatticeSum::Create(*std::move(coins), *std::move(memory), {.clip_norm = 1});
  EXPECT_OK(sum);
  return *std::move(sum);
}

// The integers of units with these (A, n).
std::vector<uint64_t> Evaluated(const std::vector<std::array<float, 2>>& units) {
  LatticeSum sum = EvaluationSum();
  {
    ClippedUnit clipped;
    LatticeSum::Adder adder(&sum, &clipped);
    std::vector<SampledUnit> sampled;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const random::UnitId id = {static_cast<uint8_t>(i)};
      EXPECT_OK(sum.coins().Sample({&id, 1}, &sampled));
      for (SampledUnit& unit : sampled) {
        adder.Add(std::move(unit),
                  {.columns = {0, 1}, .rows = {0}, .values = {units[i][0], units[i][1]}});
      }
    }
  }
  return Peer::Lattice(sum);
}

TEST(LatticeSumTest, AnEvaluatedUnitAddsItsTwoNumbersByTheirWeights) {
  const double bound = static_cast<double>(LatticeBound(1.24));
  const std::vector<uint64_t> sum = Evaluated({{100, 20}, {50, 10}});  // norms 0.28 and 0.14
  EXPECT_NEAR(static_cast<double>(sum[0]), 150 * double{kPerNat} * bound, 2);
  EXPECT_NEAR(static_cast<double>(sum[1]), 30 * double{kPerWord} * bound, 2);
}

// From the most that a unit of the largest corpus could have to a thousandth of the clip norm:
// |q| <= M in integers, and the ratio A/n is kept.
TEST(LatticeSumTest, AnEnormousUnitMovesAnEvaluationByAtMostM) {
  const uint64_t bound = LatticeBound(1.24);
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

TEST(LatticeSumTest, AnEvaluatedUnitThatIsNoNumberIsDropped) {
  const std::vector<uint64_t> alone = Evaluated({{100, 20}});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::array<float, 2>& bad : std::vector<std::array<float, 2>>{
           {nan, 20}, {infinity, 20}, {100, nan}, {-infinity, 20}, {100, -infinity}}) {
    EXPECT_EQ(Evaluated({{100, 20}, bad}), alone) << bad[0] << " " << bad[1];
  }
}

// Whatever the others are, a unit adds what it adds alone.
TEST(LatticeSumTest, NeighboursOfAnEvaluationDifferByOneUnitsVector) {
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

TEST(LatticeSumTest, AStatisticOfAnotherShapeChangesNothing) {
  const SmallCorpus corpus;
  absl::StatusOr<ReleaseCoins> coins = ReleaseCoins::Create(
      SmallReceipt([](ledger::ChargeTerms& terms) { terms.mechanism.num_topics = 4; }));
  ASSERT_OK(coins);
  absl::StatusOr<ReleaseMemory> memory =
      ReleaseMemory::Reserve({.shape = model::GridOf(4, kSmallVocabulary), .num_threads = 1});
  ASSERT_OK(memory);
  absl::StatusOr<LatticeSum> sum =
      LatticeSum::Create(*std::move(coins), *std::move(memory), {.clip_norm = 1});
  ASSERT_OK(sum);
  corpus.AddTo(&*sum, corpus.everybody());
  EXPECT_THAT(Peer::Lattice(*sum), Each(0));
  EXPECT_THAT(Peer::Histogram(*sum), Each(0)) << "a dropped unit is in no bin either";
}

TEST(LatticeSumTest, RunsOnlyWhatWasPaid) {
  const auto create = [](int num_topics, int64_t vocabulary_size, double clip_norm,
                         std::vector<float> weights) {
    absl::StatusOr<ReleaseCoins> coins =
        ReleaseCoins::Create(SmallReceipt([&weights](ledger::ChargeTerms& terms) {
          terms.mechanism.term_weights = std::move(weights);
        }));
    EXPECT_OK(coins);
    absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(
        {.shape = model::GridOf(num_topics, vocabulary_size), .num_threads = 1});
    EXPECT_OK(memory);
    return LatticeSum::Create(*std::move(coins), *std::move(memory), {.clip_norm = clip_norm});
  };
  EXPECT_OK(create(kSmallTopics, 2, 1, {1, 2}));
  EXPECT_THAT(create(kSmallTopics + 1, 2, 1, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(kSmallTopics, 3, 1, {1, 2}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(kSmallTopics, 2, 0, {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::mechanism
