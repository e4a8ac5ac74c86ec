#include "server/mechanism/row_directions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "server/mechanism/grid_scale.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/unit_clipper.h"
#include "tests/server/mechanism/small_release.h"

namespace topicwall::mechanism {
namespace row_directions_test {

using ::topicwall::testing::StatusIs;

__extension__ using Wide = __int128;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

random::Keystream Stream(uint8_t key) {
  return *random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{key}), 0);
}

// Of either sign, over so many octaves.
float Number(random::Keystream& stream, int octaves) {
  const int exponent = static_cast<int>(stream.NextBelow(static_cast<uint64_t>(octaves)));
  const float length = std::ldexp(static_cast<float>(stream.NextBits(24)), -24 - exponent);
  return stream.NextBits(1) == 0 ? length : -length;
}

std::vector<float> Numbers(random::Keystream& stream, int64_t count, int octaves) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = Number(stream, octaves);
  return numbers;
}

// Every column of the shape, and its rows from the first on.
model::SparseStatistic Whole(const model::StatisticShape& shape, std::vector<float> values) {
  model::SparseStatistic statistic;
  statistic.columns.resize(static_cast<std::size_t>(shape.period));
  std::iota(statistic.columns.begin(), statistic.columns.end(), 0U);
  statistic.rows.resize(static_cast<std::size_t>(shape.rows()));
  std::iota(statistic.rows.begin(), statistic.rows.end(), 0U);
  statistic.values = std::move(values);
  return statistic;
}

// The least that the left side of (*) can be for any integers m, in 128 bits and by trying those
// around the best real ones: nothing of the clipper's.
Wide LeastLeftSide(const RowDirections& directions, const model::StatisticShape& shape,
                   const std::vector<uint64_t>& q) {
  const auto rows = static_cast<std::size_t>(shape.rows());
  Wide sum = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto left = [&](int64_t m) {
      Wide squares = Wide{directions.scale()} * directions.scale() * m * m;
      for (std::size_t column = 0; column * rows < q.size(); ++column) {
        const Wide rest = Wide{static_cast<int64_t>(q[column * rows + row])} -
                          Wide{m} * directions.column(column)[row];
        squares += rest * rest;
      }
      return squares;
    };
    long double along = 0;
    long double squares = static_cast<long double>(directions.scale()) * directions.scale();
    for (std::size_t column = 0; column * rows < q.size(); ++column) {
      const auto a = static_cast<long double>(directions.column(column)[row]);
      along += a * static_cast<long double>(static_cast<int64_t>(q[column * rows + row]));
      squares += a * a;
    }
    const auto best = static_cast<int64_t>(std::floor(along / squares));
    sum += std::min({left(best - 1), left(best), left(best + 1), left(best + 2)});
  }
  return sum;
}

Wide Square(uint64_t bound) {
  return Wide{static_cast<int64_t>(bound)} * static_cast<int64_t>(bound);
}

// The claim, over units of all lengths and signs, along and across directions of all kinds.
TEST(RowDirectionsTest, WhateverTheUnitItFulfilsTheInequality) {
  random::Keystream stream = Stream(1);
  ClippedUnit clipped;
  int longer = 0;  // than without directions
  for (int round = 0; round < 2000; ++round) {
    const model::StatisticShape shape =
        model::GridOf(1 + static_cast<int64_t>(stream.NextBelow(4)),
                      1 + static_cast<int64_t>(stream.NextBelow(30)));
    const double sigma = std::ldexp(1 + 0x1p-52 * static_cast<double>(stream.NextBits(52)),
                                    static_cast<int>(stream.NextBelow(20)));
    const double r = std::ldexp(1.0, static_cast<int>(stream.NextBelow(5)));
    std::vector<float> weights;
    for (int64_t column = 0; column < shape.period; ++column) {
      weights.push_back(std::ldexp(1.0F, static_cast<int>(stream.NextBelow(7)) - 3));
    }
    const std::vector<float> directions = Numbers(stream, shape.dimension, 8);
    ASSERT_OK_AND_ASSIGN(const auto clipper,
                         UnitClipper::Create({.shape = shape,
                                              .clip_norm = std::ldexp(1.0, round % 20 - 10),
                                              .weights = weights,
                                              .noise_multiplier = sigma,
                                              .direction_noise = r},
                                             ChosenClipKernel(), directions));
    std::vector<float> values = Numbers(stream, shape.dimension, 12);
    if (round % 3 != 0) {
      // Much like its directions.
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = directions[i] * static_cast<float>(1 + i % 3) + values[i] * 0.01F;
      }
    }
    ASSERT_TRUE(clipper.Clip(Whole(shape, values), &clipped)) << round;
    const uint64_t bound = clipper.integer_sensitivity();
    ASSERT_LE(LeastLeftSide(clipper.directions(), shape, clipped.values), Square(bound)) << round;
    Wide squares = 0;
    for (const uint64_t q : clipped.values) {
      squares += Square(static_cast<uint64_t>(std::abs(static_cast<int64_t>(q))));
    }
    ASSERT_LE(squares, Square(LongestUnit(sigma, r)));
    if (squares > Square(bound)) ++longer;
  }
  EXPECT_GT(longer, 200);
}

// Two columns, direction (3, 4)/5, r = 3: what lies along it counts for 1/√(1 + 9) of its length.
TEST(RowDirectionsTest, AlongADirectionAUnitMayBeLongerAndAcrossItNot) {
  const model::StatisticShape shape = model::GridOf(1, 2);
  const std::vector<float> directions = {30, 40};
  ASSERT_OK_AND_ASSIGN(const auto clipper, UnitClipper::Create({.shape = shape,
                                                                .clip_norm = 1,
                                                                .weights = {},
                                                                .noise_multiplier = 1,
                                                                .direction_noise = 3},
                                                               ChosenClipKernel(), directions));
  const auto length_of = [&](float x, float y) {
    ClippedUnit clipped;
    EXPECT_TRUE(clipper.Clip(Whole(shape, {x, y}), &clipped));
    return std::hypot(static_cast<double>(static_cast<int64_t>(clipped.values[0])),
                      static_cast<double>(static_cast<int64_t>(clipped.values[1]))) /
           static_cast<double>(clipper.integer_sensitivity());
  };
  EXPECT_NEAR(length_of(300, 400), std::sqrt(10), 1e-3);
  EXPECT_NEAR(length_of(-300, -400), std::sqrt(10), 1e-3);
  EXPECT_NEAR(length_of(-400, 300), 1, 1e-3);
  EXPECT_NEAR(length_of(0.6F, 0.8F), 1, 1e-6) << "not stretched";
  ClippedUnit clipped;
  ASSERT_TRUE(clipper.Clip(Whole(shape, {300, 400}), &clipped));
  EXPECT_NEAR(clipped.weighted_norm, 500 / std::sqrt(10), 1e-2);
}

int times_truncated = 0;

// Truncation can make a unit longer where what lies along its direction does not count. Were that
// found out by trying, a release would take as long as its documents are unlike their topics.
TEST(RowDirectionsTest, HoweverUnlikeItsDirectionAUnitIsTruncatedOnce) {
  ClipKernel counting = ChosenClipKernel();
  counting.plain.truncate = [](const float* x, std::size_t size, double scale, double limit,
                               uint64_t* q) {
    ++times_truncated;
    return ChosenClipKernel().plain.truncate(x, size, scale, limit, q);
  };
  random::Keystream stream = Stream(6);
  ClippedUnit clipped;
  for (const int64_t rows : {1, 20}) {
    const model::StatisticShape shape = model::GridOf(rows, 2000);
    std::vector<float> directions = Numbers(stream, shape.dimension, 8);
    std::vector<float> values;
    for (float& number : directions) {
      number = std::abs(number);
      values.push_back(200 * number * std::sqrt(number));  // more peaked than it
    }
    for (const double sigma : {1.0, 6.0, 20.0, 1000.0, 0x1p20}) {
      for (const double r : {1.0, 5.0, 16.0}) {
        ASSERT_OK_AND_ASSIGN(const auto clipper, UnitClipper::Create({.shape = shape,
                                                                      .clip_norm = 1,
                                                                      .weights = {},
                                                                      .noise_multiplier = sigma,
                                                                      .direction_noise = r},
                                                                     counting, directions));
        times_truncated = 0;
        ASSERT_TRUE(clipper.Clip(Whole(shape, values), &clipped));
        EXPECT_EQ(times_truncated, 1) << rows << " rows, " << sigma << ", " << r;
        // And little of the room is lost to that.
        const double left = std::sqrt(
            static_cast<double>(LeastLeftSide(clipper.directions(), shape, clipped.values)));
        const auto bound = static_cast<double>(clipper.integer_sensitivity());
        EXPECT_GT(left, 0.93 * bound) << rows << " rows, " << sigma << ", " << r;
      }
    }
  }
}

// With a kernel to which every unit seems too short, nothing but the integers holds units to (*).
TEST(RowDirectionsTest, TheIntegerCheckStandsAlone) {
  ClipKernel wrong = ChosenClipKernel();
  wrong.plain.sum_of_squares = [](const float* x, std::size_t size) {
    return 0.75 * ChosenClipKernel().plain.sum_of_squares(x, size);
  };
  random::Keystream stream = Stream(5);
  const model::StatisticShape shape = model::GridOf(3, 8);
  for (int round = 0; round < 300; ++round) {
    const std::vector<float> directions = Numbers(stream, shape.dimension, 4);
    ASSERT_OK_AND_ASSIGN(const auto clipper, UnitClipper::Create({.shape = shape,
                                                                  .clip_norm = 1e-3,
                                                                  .weights = {},
                                                                  .noise_multiplier = 1.0 + round,
                                                                  .direction_noise = 1},
                                                                 wrong, directions));
    std::vector<float> values = Numbers(stream, shape.dimension, 4);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = directions[i] + values[i] * 0.1F;
    }
    ClippedUnit clipped;
    ASSERT_TRUE(clipper.Clip(Whole(shape, values), &clipped));
    ASSERT_LE(LeastLeftSide(clipper.directions(), shape, clipped.values),
              Square(clipper.integer_sensitivity()));
  }
}

// With a kernel that makes every entry nearly 2^37, as far as its own checks go: along the
// direction they then lie further than 64 bits count. By itself a sum that wrapped would be
// refused, too, for what is subtracted of its squares is less than they are; but it is undefined,
// and seen by the sanitizer of undefined behaviour if nothing is asked beforehand.
TEST(RowDirectionsTest, AUnitTooLongForItsSumAlongDirectionsIsRefusedBeforeItIsAddedUp) {
  ClipKernel wrong = ChosenClipKernel();
  wrong.plain.truncate = [](const float* x, std::size_t size, double, double, uint64_t* q) {
    return ChosenClipKernel().plain.truncate(x, size, 0x1p37 - 1, 0x1p37, q);
  };
  // 2184 entries of 15 are as long as R, and 2184²·15·2^37 > 2^63.
  const model::StatisticShape shape = model::GridOf(1, 2184 * 2184);
  const std::vector<float> ones(static_cast<std::size_t>(shape.dimension), 1);
  ASSERT_OK_AND_ASSIGN(const auto clipper, UnitClipper::Create({.shape = shape,
                                                                .clip_norm = 1,
                                                                .weights = {},
                                                                .noise_multiplier = 1,
                                                                .direction_noise = 16},
                                                               wrong, ones));
  ASSERT_EQ(clipper.directions().column(0)[0], 15);
  ClippedUnit clipped;
  EXPECT_FALSE(clipper.Clip(Whole(shape, ones), &clipped));
}

TEST(RowDirectionsTest, EveryKernelClipsAlongThemToTheSameBits) {
  random::Keystream stream = Stream(2);
  const model::StatisticShape shape = model::GridOf(7, 9);
  const std::vector<float> directions = Numbers(stream, shape.dimension, 5);
  for (const bool weighted : {false, true}) {
    for (int round = 0; round < 100; ++round) {
      const UnitClipper::Params params = {
          .shape = shape,
          .clip_norm = 0.3,
          .weights =
              weighted ? std::vector<float>{1, 2, 3, .1F, .2F, .3F, 4, 5, 1} : std::vector<float>(),
          .noise_multiplier = round % 2 == 0 ? 1.0 : 77.0,  // entries in 64 bits, and in 32
          .direction_noise = 5};
      const model::SparseStatistic unit = Whole(shape, Numbers(stream, shape.dimension, 4));
      ClippedUnit first;
      ASSERT_TRUE(UnitClipper::Create(params, ChosenClipKernel(), directions)->Clip(unit, &first));
      for (const ClipKernel& kernel : SupportedClipKernels()) {
        ClippedUnit other;
        ASSERT_TRUE(UnitClipper::Create(params, kernel, directions)->Clip(unit, &other));
        ASSERT_EQ(other.values, first.values) << kernel.name;
        ASSERT_EQ(other.weighted_norm, first.weighted_norm) << kernel.name;
      }
    }
  }
}

// Of a unit that is its direction 1 − R²/(R² + τ²) = 1/(1 + r²) of the square is left, of what its
// columns weigh: (1 + 64)/26.
TEST(RowDirectionsTest, DirectionsWeighAsTheirColumnsDo) {
  ASSERT_OK_AND_ASSIGN(const auto clipper,
                       UnitClipper::Create({.shape = model::GridOf(1, 2),
                                            .clip_norm = 1,
                                            .weights = {1, 8},
                                            .noise_multiplier = 1,
                                            .direction_noise = 5},
                                           ChosenClipKernel(), std::vector<float>{1, 1}));
  ClippedUnit clipped;
  ASSERT_TRUE(clipper.Clip(Whole(model::GridOf(1, 2), {1, 1}), &clipped));
  EXPECT_NEAR(clipped.weighted_norm, std::sqrt(65.0 / 26), 1e-3);
}

// A row of such directions is clipped as if there were none; the others are as they are.
TEST(RowDirectionsTest, NumbersThatAreNoneMakeNoDirection) {
  const model::StatisticShape shape = model::GridOf(2, 2);
  for (const float bad : {kNaN, kInfinity, -kInfinity}) {
    ASSERT_OK_AND_ASSIGN(
        const auto directions,
        RowDirections::Create(
            {.shape = shape, .weights = {}, .noise_multiplier = 1, .direction_noise = 1},
            std::vector<float>{bad, 3, 1, 4}));
    const int64_t rest = directions.scale() * directions.scale();
    EXPECT_EQ(directions.squares(0), rest) << bad;
    EXPECT_EQ(directions.column(1)[0], 0) << bad;
    EXPECT_GT(directions.squares(1), rest) << bad;
    EXPECT_NEAR(directions.column(0)[1] / 32767.0, 0.6, 1e-4);
  }
  // Nor do subnormal ones, which are 0 where the processor was told so.
  ASSERT_OK_AND_ASSIGN(
      const auto subnormal,
      RowDirections::Create(
          {.shape = shape, .weights = {}, .noise_multiplier = 1, .direction_noise = 1},
          std::vector<float>{1e-39F, 3, 1e-39F, 4}));
  EXPECT_EQ(subnormal.squares(0), subnormal.scale() * subnormal.scale());
  // The largest numbers and the smallest.
  for (const float scale : {std::numeric_limits<float>::max(), 1e-30F}) {
    ASSERT_OK_AND_ASSIGN(
        const auto directions,
        RowDirections::Create(
            {.shape = shape, .weights = {}, .noise_multiplier = 1, .direction_noise = 1},
            std::vector<float>{0, scale, 0, 0}));
    EXPECT_EQ(directions.column(0)[1], 32767) << "and never longer";
  }
}

TEST(RowDirectionsTest, WhatIsOutOfRangeIsRefused) {
  const model::StatisticShape shape = model::GridOf(2, 2);
  const std::vector<float> four(4, 1);
  const auto make = [&](double sigma, double r, absl::Span<const float> directions) {
    return RowDirections::Create(
               {.shape = shape, .weights = {}, .noise_multiplier = sigma, .direction_noise = r},
               directions)
        .status();
  };
  EXPECT_OK(make(1, 1, four));
  EXPECT_OK(make(0x1p20, 16, four));
  for (const double r : {-1.0, -0.0, 0.99, 16.1, std::nan(""), double{kInfinity}}) {
    EXPECT_THAT(make(1, r, four), StatusIs(absl::StatusCode::kInvalidArgument)) << r;
  }
  EXPECT_THAT(make(0.9, 1, four), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(make(1, 1, absl::MakeSpan(four).subspan(1)),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

// U·B + 2^40 < 2^63, where B = M(1 + r) but for rounding: 2^30·6 at σ = 1, r = 5.
TEST(RowDirectionsTest, SumsOfTheLongestUnitsFitIntoTheGrid) {
  const uint64_t longest = LongestUnit(1, 5);
  EXPECT_NEAR(static_cast<double>(longest), 6 * 0x1p30, 0x1p19);  // τ is R/5 rounded
  EXPECT_EQ(LongestUnit(1, 0), uint64_t{1} << 30);
  const auto most = static_cast<int64_t>((uint64_t{1} << 63) / longest);
  EXPECT_OK(ValidateSumFits(most - 200, 1, 5));
  EXPECT_THAT(ValidateSumFits(most + 1, 1, 5), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_OK(ValidateSumFits(most + 1, 1, 0));
}

// Directions of a release of that shape; none if there are none.
struct Directed {
  model::StatisticShape shape;
  std::vector<float> directions;

  absl::Status Give(ReleaseMemory* memory) const {
    return memory->TakeDirections([this](absl::Span<float> to) {
      std::copy(directions.begin(), directions.end(), to.begin());
      return !directions.empty();
    });
  }
};

PartialSum SumAlong(const ReleaseCoins& coins, const Directed& directed, double r) {
  absl::StatusOr<ReleaseMemory> memory =
      ReleaseMemory::Reserve({.shape = directed.shape, .num_threads = 2, .has_directions = r != 0});
  EXPECT_OK(memory);
  if (r != 0) {
    EXPECT_OK(directed.Give(&*memory));
  }
  auto sum = PartialSum::Create(coins, *std::move(memory),
                                {.clip_norm = kSmallClipNorm, .direction_noise = r});
  EXPECT_OK(sum);
  EXPECT_OK(sum->CountShard(0));
  return *std::move(sum);
}

TEST(RowDirectionsTest, WithoutDirectionsTakenInThereIsNoSumAlongThem) {
  const model::StatisticShape shape = model::GridOf(kSmallTopics, kSmallVocabulary);
  const ReleaseKeys keys = SplitForTest(SmallReceipt());
  for (const bool has_room : {false, true}) {
    ASSERT_OK_AND_ASSIGN(
        auto memory,
        ReleaseMemory::Reserve({.shape = shape, .num_threads = 1, .has_directions = has_room}));
    EXPECT_THAT(Directed({shape, {}}).Give(&memory), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(
        PartialSum::Create(keys.coins, std::move(memory), {.clip_norm = 1, .direction_noise = 1}),
        StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

// The same receipt has the same noise in every entry, so that two releases of the same sum, with
// and without directions, differ by the noise along them and by nothing else.
struct TwoReleases {
  static constexpr std::size_t kRows = 400, kColumns = 6;  // all in one block of noise
  static constexpr double kR = 4;

  TwoReleases() {
    const model::StatisticShape shape = model::GridOf(kRows, kColumns);
    random::Keystream stream = Stream(3);
    const Directed directed = {shape, Numbers(stream, shape.dimension, 2)};
    for (const double r : {0.0, kR}) {
      ReleaseKeys keys = SplitForTest(SmallReceipt());
      PartialSum sum = SumAlong(keys.coins, directed, r);
      directions = PartialSumTestPeer::Clipper(sum).directions();
      auto noisy = AddNoise(std::move(sum), std::move(keys.noise), 2);
      EXPECT_OK(noisy);
      EXPECT_EQ(noisy->direction_noise(), r);
      (r == 0 ? plain : along).assign(noisy->statistics().begin(), noisy->statistics().end());
      bins.assign(noisy->norm_histogram().begin(), noisy->norm_histogram().end());
    }
  }

  double Moved(std::size_t row, std::size_t column) const {
    return double{along[row * kColumns + column]} - double{plain[row * kColumns + column]};
  }
  // The row's number N' in words, by the column where its direction is longest.
  double Draw(std::size_t row) const {
    std::size_t largest = 0;
    for (std::size_t column = 1; column < kColumns; ++column) {
      if (std::abs(directions.column(column)[row]) > std::abs(directions.column(largest)[row])) {
        largest = column;
      }
    }
    return Moved(row, largest) / directions.column(largest)[row] *
           static_cast<double>(directions.scale());
  }

  std::vector<float> plain, along, bins;
  RowDirections directions;
  // σ = 1.24, C = 6.
  const double deviation = NoiseStandardDeviation(kSmallClipNorm, 1.24);
};

TEST(RowDirectionsTest, ARowsNoiseAlongItsDirectionIsOneNormalNumberTimesTheDirection) {
  const TwoReleases two;
  const auto scale = static_cast<double>(two.directions.scale());
  double squares = 0;
  for (std::size_t row = 0; row < TwoReleases::kRows; ++row) {
    const double draw = two.Draw(row);
    for (std::size_t column = 0; column < TwoReleases::kColumns; ++column) {
      EXPECT_NEAR(two.Moved(row, column), draw * two.directions.column(column)[row] / scale, 1e-4);
    }
    squares += draw * draw;
  }
  // χ² of 400 numbers is within 270 … 560 but with probability 1e-8: a deviation that is 1.2 times
  // too large, or 1.25 times too small, is seen half of the time.
  EXPECT_GT(squares, 270 * two.deviation * two.deviation);
  EXPECT_LT(squares, 560 * two.deviation * two.deviation);
  // |A| = R and τ = R/r, so that the noise along a row is r times that of an entry.
  const double length = std::sqrt(static_cast<double>(two.directions.squares(0)) - scale * scale);
  EXPECT_NEAR(length / scale, TwoReleases::kR, 1e-3);
}

// Else it would cancel in a difference of what is released. Two streams have numbers in common
// within 1e-4 deviations once in 17,000, eight of 400 but with probability 1e-17.
TEST(RowDirectionsTest, TheNoiseAlongRowsIsThatOfNoEntryAndNoBin) {
  const TwoReleases two;
  const auto is_draw = [&](std::size_t row, double number) {
    return std::abs(two.Draw(row) / two.deviation - number) < 1e-4 ? 1 : 0;
  };
  for (std::size_t column = 0; column < TwoReleases::kColumns; ++column) {
    int same = 0;
    for (std::size_t row = 0; row < TwoReleases::kRows; ++row) {
      same += is_draw(row, two.plain[row * TwoReleases::kColumns + column] / two.deviation);
    }
    EXPECT_LT(same, 8) << "column " << column;
  }
  int same = 0;
  ASSERT_EQ(two.bins.size(), kNormHistogramBins);
  for (std::size_t bin = 0; bin < two.bins.size(); ++bin) {
    same += is_draw(bin, two.bins[bin] / NoiseStandardDeviation(1, 3));
  }
  EXPECT_LT(same, 8);
}

// What the proof is of: with one unit less, the sum lacks one vector that fulfils the inequality.
TEST(RowDirectionsTest, TakingOneUnitOutTakesOutOneVectorThatFulfilsTheInequality) {
  const model::StatisticShape shape = model::GridOf(kSmallTopics, kSmallVocabulary);
  random::Keystream stream = Stream(4);
  std::vector<float> directions = Numbers(stream, shape.dimension, 4);
  for (float& direction : directions) direction = std::fabs(direction);
  const Directed directed = {shape, std::move(directions)};
  const SmallCorpus corpus;
  ReleaseKeys keys = SplitForTest(SmallReceipt());
  PartialSum all = SumAlong(keys.coins, directed, 5);
  corpus.AddTo(keys.coins, &all, corpus.everybody());
  const std::vector<uint64_t> with = PartialSumTestPeer::Grid(all);
  const UnitClipper& clipper = PartialSumTestPeer::Clipper(all);
  for (const std::size_t left_out : {0U, 17U, 59U}) {
    std::vector<std::size_t> others = corpus.everybody();
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    PartialSum less = SumAlong(keys.coins, directed, 5);
    corpus.AddTo(keys.coins, &less, others);
    std::vector<uint64_t> difference = PartialSumTestPeer::Grid(less);
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = with[i] - difference[i];
    EXPECT_LE(LeastLeftSide(clipper.directions(), shape, difference),
              Square(clipper.integer_sensitivity()));
    EXPECT_GT(LeastLeftSide(clipper.directions(), shape, difference), 0);
  }
}

}  // namespace row_directions_test
}  // namespace topicwall::mechanism
