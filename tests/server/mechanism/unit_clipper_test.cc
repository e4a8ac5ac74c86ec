#include "server/mechanism/unit_clipper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/sufficient_statistics.h"
#include "server/mechanism/grid_scale.h"
#include "server/random/keystream.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace unit_clipper_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::topicwall::testing::StatusIs;

__extension__ using Wide = unsigned __int128;

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
constexpr float kFloatNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kFloatMax = std::numeric_limits<float>::max();
constexpr float kFloatMin = std::numeric_limits<float>::denorm_min();

// As many floats for each of columns 0, 1, 2, …
using Unit = std::vector<std::vector<float>>;

UnitClipper Clipper(UnitClipper::Params params) {
  absl::StatusOr<UnitClipper> clipper = UnitClipper::Create(std::move(params));
  EXPECT_OK(clipper);
  return *std::move(clipper);
}

// 100 columns of weight 1.
UnitClipper Plain(int num_rows, double clip_norm, double noise_multiplier) {
  return Clipper({.shape = model::GridOf(num_rows, 100),
                  .clip_norm = clip_norm,
                  .weights = {},
                  .noise_multiplier = noise_multiplier});
}

bool ClipUnit(const UnitClipper& clipper, const Unit& unit, ClippedUnit* clipped) {
  model::SparseStatistic statistic;
  statistic.columns.resize(unit.size());
  std::iota(statistic.columns.begin(), statistic.columns.end(), 0U);
  statistic.rows.resize(unit.empty() ? 0 : unit[0].size());
  std::iota(statistic.rows.begin(), statistic.rows.end(), 0U);
  for (const std::vector<float>& column : unit) {
    statistic.values.insert(statistic.values.end(), column.begin(), column.end());
  }
  return clipper.Clip(statistic, clipped);
}

Wide SumOfSquares(const std::vector<uint64_t>& values) {
  Wide sum = 0;
  for (uint64_t q : values) sum += Wide{q} * q;
  return sum;
}

Wide Square(uint64_t bound) { return Wide{bound} * bound; }

TEST(UnitClipperTest, AUnitOfExactlyTheClipNormReachesTheBound) {
  const UnitClipper clipper = Plain(2, /*clip_norm=*/5, /*noise_multiplier=*/1);
  ClippedUnit clipped;
  ASSERT_TRUE(ClipUnit(clipper, {{0, 5}}, &clipped));
  EXPECT_THAT(clipped.values, ElementsAre(0, uint64_t{1} << 30));
  EXPECT_EQ(clipped.weighted_norm, 5);
  ASSERT_TRUE(ClipUnit(clipper, {{3, 4}}, &clipped));
  EXPECT_THAT(clipped.values, ElementsAre(644245094U, 858993459U));  // ⌊3/5·2^30⌋, ⌊4/5·2^30⌋
}

TEST(UnitClipperTest, AShorterUnitIsNotStretched) {
  const UnitClipper clipper = Plain(2, /*clip_norm=*/8, /*noise_multiplier=*/1);
  ClippedUnit clipped;
  ASSERT_TRUE(ClipUnit(clipper, {{1, 0}, {0, 2}}, &clipped));
  EXPECT_THAT(clipped.values, ElementsAre(uint64_t{1} << 27, 0, 0, uint64_t{1} << 28));
  EXPECT_DOUBLE_EQ(clipped.weighted_norm, std::sqrt(5.0));
}

TEST(UnitClipperTest, ALongerUnitKeepsItsDirection) {
  const UnitClipper clipper = Plain(2, /*clip_norm=*/1, /*noise_multiplier=*/1);
  ClippedUnit clipped;
  ASSERT_TRUE(ClipUnit(clipper, {{30, 40}}, &clipped));
  EXPECT_THAT(clipped.values, ElementsAre(644245094U, 858993459U));
}

TEST(UnitClipperTest, WeightsCountInTheNormAndInTheGrid) {
  const UnitClipper clipper = Clipper(
      {.shape = model::GridOf(1, 2), .clip_norm = 5, .weights = {3, 0.5F}, .noise_multiplier = 1});
  ClippedUnit clipped;
  ASSERT_TRUE(ClipUnit(clipper, {{1}, {8}}, &clipped));  // weighted: (3, 4)
  EXPECT_EQ(clipped.weighted_norm, 5);
  EXPECT_THAT(clipped.values, ElementsAre(644245094U, 858993459U));
}

TEST(UnitClipperTest, AnEmptyUnitIsTheZeroVector) {
  ClippedUnit clipped;
  clipped.values = {1, 2};
  ASSERT_TRUE(ClipUnit(Plain(2, 1, 1), {}, &clipped));
  EXPECT_THAT(clipped.values, IsEmpty());
  EXPECT_EQ(clipped.weighted_norm, 0);
}

TEST(UnitClipperTest, OneBadEntryDropsTheWholeUnit) {
  const UnitClipper clipper = Plain(2, 1, 1);
  ClippedUnit clipped;
  for (const float bad : {kFloatNaN, -kFloatNaN, kFloatInfinity, -kFloatInfinity}) {
    EXPECT_FALSE(ClipUnit(clipper, {{1, 2}, {bad, 1}}, &clipped)) << bad;
    EXPECT_FALSE(ClipUnit(clipper, {{1, 2}, {1, bad}}, &clipped)) << bad;
    EXPECT_FALSE(ClipUnit(clipper, {{bad, bad}}, &clipped)) << bad;
  }
  EXPECT_FALSE(ClipUnit(clipper, {{kFloatInfinity, kFloatNaN}}, &clipped));
}

TEST(UnitClipperTest, ExtremeButFiniteEntriesAreClippedLikeOthers) {
  ClippedUnit clipped;
  for (const double clip_norm : {0x1p-20, 1.0, 0x1p30}) {
    for (const double sigma : {0x1p-6, 1.0, 0x1p20}) {
      const UnitClipper clipper = Plain(2, clip_norm, sigma);
      const uint64_t bound = clipper.integer_sensitivity();
      ASSERT_TRUE(ClipUnit(clipper, {{kFloatMax, 0}}, &clipped));
      EXPECT_THAT(clipped.values, ElementsAre(bound, 0));
      ASSERT_TRUE(ClipUnit(clipper, {{kFloatMax, kFloatMin}, {kFloatMin, kFloatMax}}, &clipped));
      EXPECT_LE(SumOfSquares(clipped.values), Square(bound));
      EXPECT_GE(clipped.values[0], static_cast<uint64_t>(0.7 * static_cast<double>(bound)));
      ASSERT_TRUE(ClipUnit(clipper, {{kFloatMin, kFloatMin}}, &clipped));
      EXPECT_THAT(clipped.values, Each(0)) << "2^-149 words is below any grid step";
      ASSERT_TRUE(ClipUnit(clipper, {{-0.0F, 0.0F}}, &clipped));
      EXPECT_THAT(clipped.values, Each(0));
    }
  }
}

// M = 2^36 and a unit (2^36, 1): its norm sqrt(2^72 + 1) rounds to 2^36 in double, so t
// is (2^36, 1) and Σ q² would be M² + 1. The same with a thousand ones.
TEST(UnitClipperTest, WhatRoundingBreaksTheIntegerCheckRepairs) {
  const UnitClipper clipper = Plain(2, /*clip_norm=*/1, /*noise_multiplier=*/0x1p-6);
  const uint64_t bound = clipper.integer_sensitivity();
  ASSERT_EQ(bound, uint64_t{1} << 36);
  ClippedUnit clipped;
  ASSERT_TRUE(ClipUnit(clipper, {{0x1p36F, 1}}, &clipped));
  EXPECT_EQ(clipped.weighted_norm, 0x1p36) << "the case is what it says";
  EXPECT_LE(SumOfSquares(clipped.values), Square(bound));
  EXPECT_GE(clipped.values[0], bound - 1) << "shrunk by no more than it takes";

  Unit many(100, {1, 1});
  many[50][0] = 0x1p36F;
  ASSERT_TRUE(ClipUnit(clipper, many, &clipped));
  EXPECT_LE(SumOfSquares(clipped.values), Square(bound));
  EXPECT_GE(*std::max_element(clipped.values.begin(), clipped.values.end()), bound - 1);
}

// M² is 40,577,423 below 182·2^64, and the norm loses 199 entries whose squares, 360,000 each, lift
// the sum above that multiple: in 64 bits it would be small.
TEST(UnitClipperTest, TheIntegerCheckDoesNotWrapAt64Bits) {
  constexpr uint64_t kBound = 57'942'276'633;
  const UnitClipper clipper =
      Clipper({.shape = model::GridOf(8, 200),
               .clip_norm = 1,
               .weights = {},
               .noise_multiplier = std::nextafter(0x1p30 / static_cast<double>(kBound), 0)});
  ASSERT_EQ(clipper.integer_sensitivity(), kBound);
  Unit unit(200, {712, 0, 0, 0, 0, 0, 0, 0});  // one of the eight lanes that norms are added in
  unit[0][0] = 0x1p36F;
  ClippedUnit clipped;
  ASSERT_TRUE(ClipUnit(clipper, unit, &clipped));
  EXPECT_EQ(clipped.weighted_norm, 0x1p36) << "the case is what it says";
  EXPECT_LE(SumOfSquares(clipped.values), Square(kBound));
}

TEST(UnitClipperTest, RefusesEntriesOfAnotherShape) {
  const UnitClipper clipper = Plain(2, 1, 1);
  const auto clips = [&clipper](const std::vector<uint32_t>& columns,
                                const std::vector<uint32_t>& rows, std::size_t num_values) {
    const std::vector<float> values(num_values, 1);
    ClippedUnit clipped;
    return clipper.Clip({.columns = columns, .rows = rows, .values = values}, &clipped);
  };
  EXPECT_TRUE(clips({3, 99}, {0, 1}, 4));
  EXPECT_FALSE(clips({3, 100}, {0, 1}, 4)) << "a column beyond the last";
  EXPECT_FALSE(clips({100, 3}, {0, 1}, 4));
  EXPECT_FALSE(clips({3, 3}, {0, 1}, 4)) << "one entry in two columns";
  EXPECT_FALSE(clips({4, 3}, {0, 1}, 4));
  EXPECT_FALSE(clips({3, 4}, {0, 1}, 3)) << "an entry less than there are";
  EXPECT_FALSE(clips({3, 4}, {0, 1}, 5));
  EXPECT_FALSE(clips({}, {0, 1}, 1));
  EXPECT_TRUE(clips({3}, {1}, 1));
  EXPECT_FALSE(clips({3}, {2}, 1)) << "a row beyond the last";
  EXPECT_FALSE(clips({3}, {1, 1}, 2)) << "one entry in two rows";
  EXPECT_FALSE(clips({3}, {1, 0}, 2));
  EXPECT_FALSE(clips({3}, {0}, 2));
}

// Wherever in a long list the order breaks, whatever vectors the check is made of.
TEST(UnitClipperTest, RefusesColumnsOutOfOrderAtEveryPlace) {
  const UnitClipper clipper = Plain(1, 1, 1);
  const std::vector<float> values(40, 1);
  model::SparseStatistic unit = {
      .columns = std::vector<uint32_t>(40), .rows = {0}, .values = values};
  std::vector<uint32_t>& columns = unit.columns;
  std::iota(columns.begin(), columns.end(), 50U);
  ClippedUnit clipped;
  ASSERT_TRUE(clipper.Clip(unit, &clipped));
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const uint32_t right = std::exchange(columns[i], columns[i - 1]);
    EXPECT_FALSE(clipper.Clip(unit, &clipped)) << i;
    columns[i] = columns[i - 1] - 1;
    EXPECT_FALSE(clipper.Clip(unit, &clipped)) << i;
    columns[i] = right;
  }
  EXPECT_TRUE(clipper.Clip(unit, &clipped));
}

TEST(UnitClipperTest, EntriesThatAreLeftOutCountAsZero) {
  const UnitClipper clipper = Plain(5, /*clip_norm=*/1, /*noise_multiplier=*/1);
  const std::vector<float> full = {0, 3, 0, 0, 4};
  const std::vector<float> listed = {3, 4};
  const std::vector<uint32_t> columns = {7}, all = {0, 1, 2, 3, 4}, some = {1, 4};
  ClippedUnit of_all, of_some;
  ASSERT_TRUE(clipper.Clip({.columns = columns, .rows = all, .values = full}, &of_all));
  ASSERT_TRUE(clipper.Clip({.columns = columns, .rows = some, .values = listed}, &of_some));
  EXPECT_EQ(of_some.weighted_norm, of_all.weighted_norm);
  EXPECT_THAT(of_some.values, ElementsAre(of_all.values[1], of_all.values[4]));
}

// Random units over the whole range of floats, shapes and parameters, against the claim in
// integers and against long double: q is ⌊t⌋ up to the rounding of t and a shrink.
TEST(UnitClipperTest, NoUnitExceedsTheBound) {
  ASSERT_OK_AND_ASSIGN(random::Keystream stream,
                       random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{2}), 0));
  ClippedUnit clipped;
  for (int round = 0; round < 3000; ++round) {
    const int num_topics = 1 + static_cast<int>(stream.NextBelow(9));
    const double clip_norm = std::ldexp(1.0, static_cast<int>(stream.NextBelow(51)) - 20);
    const double sigma = std::ldexp(1 + 0x1p-52 * static_cast<double>(stream.NextBits(52)),
                                    static_cast<int>(stream.NextBelow(26)) - 6);
    const UnitClipper clipper = Plain(num_topics, clip_norm, sigma);
    const int spread = 1 + static_cast<int>(stream.NextBelow(120));
    Unit unit(1 + stream.NextBelow(30), std::vector<float>(static_cast<std::size_t>(num_topics)));
    long double norm = 0;
    for (std::vector<float>& row : unit) {
      for (float& x : row) {
        const int exponent = static_cast<int>(stream.NextBelow(static_cast<uint64_t>(spread)));
        x = std::ldexp(static_cast<float>(stream.NextBits(24)), exponent - spread / 2 - 24);
        norm += static_cast<long double>(x) * x;
      }
    }
    norm = std::max(std::sqrt(norm), static_cast<long double>(clip_norm));
    ASSERT_TRUE(ClipUnit(clipper, unit, &clipped));
    const uint64_t bound = clipper.integer_sensitivity();
    ASSERT_LE(SumOfSquares(clipped.values), Square(bound));
    for (std::size_t i = 0; i < unit.size(); ++i) {
      for (std::size_t k = 0; k < unit[i].size(); ++k) {
        const long double t = unit[i][k] / norm * static_cast<long double>(bound);
        const uint64_t q = clipped.values[i * unit[i].size() + k];
        ASSERT_LE(static_cast<long double>(q), t * (1 + 0x1p-50L));
        ASSERT_GE(static_cast<long double>(q), t * (1 - 0x1p-39L) - 1);
      }
    }
  }
}

TEST(UnitClipperTest, EveryKernelClipsToTheSameBits) {
  ASSERT_OK_AND_ASSIGN(random::Keystream stream,
                       random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{4}), 0));
  for (const bool weighted : {false, true}) {
    UnitClipper::Params params = {
        .shape = model::GridOf(7, 9), .clip_norm = 1.3, .weights = {}, .noise_multiplier = 0.7};
    if (weighted) params.weights = {1, 2, 3, 0.1F, 0.2F, 0.3F, 0x1p-20F, 0x1p20F, 1};
    for (int round = 0; round < 200; ++round) {
      Unit unit(1 + stream.NextBelow(9), std::vector<float>(7));
      for (std::vector<float>& row : unit) {
        for (float& x : row) x = std::ldexp(static_cast<float>(stream.NextBits(24)), -22);
      }
      ClippedUnit first, other;
      const UnitClipper chosen = Clipper(params);
      ASSERT_TRUE(ClipUnit(chosen, unit, &first));
      for (const ClipKernel& kernel : SupportedClipKernels()) {
        ASSERT_OK_AND_ASSIGN(UnitClipper clipper, UnitClipper::Create(params, kernel));
        ASSERT_TRUE(ClipUnit(clipper, unit, &other));
        ASSERT_EQ(other.values, first.values) << kernel.name;
        ASSERT_EQ(other.weighted_norm, first.weighted_norm) << kernel.name;
      }
    }
  }
}

// Rows of several documents lie in the order they were met; the clip takes them by terms.
TEST(UnitClipperTest, AUnitOfSeveralDocumentsIsClippedInTheOrderOfItsTerms) {
  ASSERT_OK_AND_ASSIGN(lda::LogTopics topics,
                       lda::LogTopics::Create(1, 9, std::vector<float>(9, -1)));
  ASSERT_OK_AND_ASSIGN(lda::EStep e_step, lda::EStep::Create(topics, {.document_topic_prior = 1,
                                                                      .max_iterations = 1,
                                                                      .mean_change_threshold = 0}));
  lda::EStep::Workspace workspace;
  lda::UnitStatistic rows;
  model::SparseStatistic statistic;
  rows.Reset({.num_topics = 1, .num_columns = 9}, &statistic);
  for (const std::vector<lda::TermCount>& document :
       {std::vector<lda::TermCount>{{2, 3}, {7, 5}}, std::vector<lda::TermCount>{{0, 4}, {7, 2}}}) {
    e_step.Infer(document, workspace);
    rows.Add(document, workspace);
  }
  rows.Finish();
  ClippedUnit clipped;
  const UnitClipper clipper = Plain(1, /*clip_norm=*/64, /*noise_multiplier=*/1);
  ASSERT_TRUE(clipper.Clip(statistic, &clipped));  // terms 0, 2, 7 with 4, 3, 7 words
  EXPECT_THAT(clipped.values, ElementsAre(4U << 24, 3U << 24, 7U << 24));
}

TEST(UnitClipperTest, TheSameUnitGivesTheSameBitsWhateverCameBefore) {
  const UnitClipper clipper = Plain(3, 1.7, 1.24);
  ClippedUnit fresh;
  ASSERT_TRUE(ClipUnit(clipper, {{1, 2, 3}, {0.1F, 0.2F, 0.3F}}, &fresh));
  ClippedUnit used;
  ASSERT_TRUE(ClipUnit(clipper, Unit(50, {9, 9, 9}), &used));
  ASSERT_FALSE(ClipUnit(clipper, {{kFloatNaN, 1, 1}}, &used));
  ASSERT_TRUE(ClipUnit(clipper, {{1, 2, 3}, {0.1F, 0.2F, 0.3F}}, &used));
  EXPECT_EQ(used.values, fresh.values);
  EXPECT_EQ(used.weighted_norm, fresh.weighted_norm);
}

// The paper's projection of the whole batch, for comparison: Private Topic Modeling projects
// the statistics of all documents to a radius aN and adds noise for that sensitivity.
// Batch: a·N words "cat" in topic 1, so at the radius. Neighbour: one document of N words "dog"
// in topic 2 more. Clipped as if each were one unit they differ by √(2 - 2a/√(1 + a²)) radii.
TEST(UnitClipperTest, ABatchClipIsMoreSensitiveThanItsRadiusAndAUnitClipIsNot) {
  constexpr float kWords = 500;
  const UnitClipper clipper = Plain(2, /*clip_norm=*/0.1 * kWords, /*noise_multiplier=*/1.24);
  ClippedUnit without, with, dog;
  ASSERT_TRUE(ClipUnit(clipper, {{0.1F * kWords, 0}, {0, 0}}, &without));
  ASSERT_TRUE(ClipUnit(clipper, {{0.1F * kWords, 0}, {0, kWords}}, &with));
  const double bound = static_cast<double>(clipper.integer_sensitivity());
  EXPECT_NEAR(std::hypot(static_cast<double>(without.values[0] - with.values[0]),
                         static_cast<double>(with.values[3])) /
                  bound,
              std::sqrt(2 - 0.2 / std::sqrt(1.01)), 1e-6);  // 1.342

  // Here the neighbour adds its own clipped vector and changes nothing else.
  ASSERT_TRUE(ClipUnit(clipper, {{0, 0}, {0, kWords}}, &dog));
  EXPECT_LE(SumOfSquares(dog.values), Square(clipper.integer_sensitivity()));
}

TEST(UnitClipperTest, RefusesParametersOutsideTheirRanges) {
  const auto create = [](double clip_norm, double sigma, std::vector<float> weights) {
    return UnitClipper::Create({.shape = model::GridOf(1, 2),
                                .clip_norm = clip_norm,
                                .weights = std::move(weights),
                                .noise_multiplier = sigma});
  };
  EXPECT_OK(create(1, 1, {}));
  EXPECT_THAT(create(1e-300, 1, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(1, 1e308, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(1, 1, {1}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(create(1, 1, {1, 0}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(
      UnitClipper::Create(
          {.shape = model::GridOf(0, 2), .clip_norm = 1, .weights = {}, .noise_multiplier = 1}),
      StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace unit_clipper_test
}  // namespace topicwall::mechanism
