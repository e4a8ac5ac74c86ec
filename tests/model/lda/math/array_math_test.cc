#include "model/lda/math/array_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "model/lda/math/array_math_choice.h"
#include "model/lda/math/portable_exp.h"
#include "model/lda/topics/log_topics.h"
#include "tests/model/lda/reference_e_step.h"
#include "tests/model/lda/synthetic_corpus.h"

namespace topicwall::lda {

// What gtest prints for a parameter, instead of its bytes.
static void PrintTo(const ArrayMath& math, std::ostream* out) { *out << math.name; }

namespace array_math_test {

using ::topicwall::lda::testing::ReferenceDigamma;
using ::topicwall::lda::testing::SyntheticCorpus;

constexpr float kSmallestFloat = std::numeric_limits<float>::denorm_min();
constexpr float kLargestFloat = std::numeric_limits<float>::max();

std::vector<uint32_t> BitsOf(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

// Positive floats of every size, and the ends of the range.
std::vector<float> ManySizes() {
  std::vector<float> values = {kSmallestFloat, kLargestFloat, 1.0f, 0.5f, 1.4616321f, 1e12f, 1e13f};
  for (double x = 1e-44; x < 3e38; x *= 1.37) values.push_back(static_cast<float>(x));
  return values;
}

class ArrayMathTest : public ::testing::TestWithParam<ArrayMath> {
 protected:
  const ArrayMath& math() const { return GetParam(); }
  const ArrayMath& portable() const { return SupportedArrayMath().back(); }
};

TEST_P(ArrayMathTest, LogarithmMatchesLibm) {
  for (double x = 1e-45; x < 1e44; x *= 1.0173) {
    const long double expected = std::log(static_cast<long double>(x));
    ASSERT_LT(std::fabs(math().log(x) - expected), 1e-12L * std::max(1.0L, std::fabs(expected)))
        << x;
  }
  EXPECT_EQ(math().log(1), 0);
}

TEST_P(ArrayMathTest, DigammaMatchesItsBernoulliSeries) {
  for (double x = 1e-45; x < 1e44; x *= 1.0173) {
    const long double expected = ReferenceDigamma(x);
    ASSERT_LT(std::fabs(math().digamma(x) - expected), 1e-9L * std::max(1.0L, std::fabs(expected)))
        << x;
  }
}

TEST_P(ArrayMathTest, EveryProcessorGivesTheSameBits) {
  const std::vector<float> values = ManySizes();
  EXPECT_EQ(math().log(1e43), portable().log(1e43));
  EXPECT_EQ(math().digamma(1e43), portable().digamma(1e43));
  // Every length, so that every number of entries is left for the last vector.
  for (size_t n = 0; n <= values.size(); ++n) {
    EXPECT_EQ(std::bit_cast<uint64_t>(math().sum(values.data(), n)),
              std::bit_cast<uint64_t>(portable().sum(values.data(), n)));
    std::vector<float> here(n, 7), there(n, 8);
    math().log_minus(values.data(), n, 3.25, here.data());
    portable().log_minus(values.data(), n, 3.25, there.data());
    ASSERT_EQ(BitsOf(here), BitsOf(there)) << n;
    math().digamma_minus(values.data(), n, 3.25, here.data());
    portable().digamma_minus(values.data(), n, 3.25, there.data());
    ASSERT_EQ(BitsOf(here), BitsOf(there)) << n;
  }
}

TEST_P(ArrayMathTest, AnEntryDoesNotDependOnWhereItStands) {
  const std::vector<float> values = ManySizes();
  std::vector<float> together(values.size());
  math().digamma_minus(values.data(), values.size(), 90, together.data());
  for (size_t i = 0; i < values.size(); ++i) {
    float alone = 0;
    math().digamma_minus(&values[i], 1, 90, &alone);
    ASSERT_EQ(alone, together[i]) << values[i];
    ASSERT_EQ(alone, static_cast<float>(std::max(math().digamma(values[i]) - 90, -1e9)));
  }
}

TEST_P(ArrayMathTest, ResultsStayLogarithmsOfProbabilities) {
  std::vector<float> values = {kSmallestFloat, 1e-12f, 1, 2, kLargestFloat};
  math().digamma_minus(values.data(), values.size(), 0.5, values.data());  // in place
  EXPECT_EQ(values[0], kLogTopicFloor);
  EXPECT_EQ(values[1], kLogTopicFloor);
  EXPECT_LT(values[2], 0);
  EXPECT_EQ(values[4], 0);
  values = {kSmallestFloat, 1, kLargestFloat};
  math().log_minus(values.data(), values.size(), 2, values.data());
  EXPECT_NEAR(values[0], std::log(double{kSmallestFloat}) - 2, 1e-5);
  EXPECT_EQ(values[1], -2);
  EXPECT_EQ(values[2], 0);
}

TEST_P(ArrayMathTest, SumLosesNoSmallEntries) {
  // In float the ones would be lost beside 2^24.
  std::vector<float> values(1003, 1.0f);
  values[500] = 0x1p24f;
  EXPECT_EQ(math().sum(values.data(), values.size()), 0x1p24 + 1002);
  EXPECT_EQ(math().sum(values.data(), 0), 0);
}

// ℓ of `terms` terms in `topics` topics, some entries too small to count.
std::vector<float> LogTopicsWithTinyOnes(int topics, int terms) {
  SyntheticCorpus corpus(7);
  std::vector<float> values = corpus.LogTopicValues(topics, terms, 9);
  for (size_t i = 0; i < values.size(); i += 11) values[i] -= 200;
  if (values.size() > 5) values[5] = -std::numeric_limits<float>::max();
  return values;
}

TEST_P(ArrayMathTest, ExponentialsHaveTheBitsOfPortableExp) {
  std::vector<double> exponents = {0,    -1e-300, -708.2,
                                   -709, -1e300,  -std::numeric_limits<double>::infinity()};
  for (double y = -1e-9; y > -800; y *= 1.31) exponents.push_back(y);
  for (size_t n = 0; n <= exponents.size(); ++n) {
    std::vector<float> values(n + 1, 7), expected;
    math().exp(exponents.data(), n, values.data());
    for (size_t i = 0; i < n; ++i) {
      expected.push_back(static_cast<float>(PortableExp(exponents[i])));
    }
    expected.push_back(7);  // and nothing behind them
    ASSERT_EQ(BitsOf(values), BitsOf(expected)) << n;
  }
}

TEST_P(ArrayMathTest, WeightsHaveTheBitsOfPortableExp) {
  for (const int topics : {1, 2, 15, 16, 17, 50}) {
    for (const int terms : {1, 2, 7, 8, 63, 64}) {
      const std::vector<float> values = LogTopicsWithTinyOnes(topics, terms);
      const auto num_topics = static_cast<size_t>(topics), num_terms = static_cast<size_t>(terms);
      constexpr size_t kGap = 3;
      const size_t stride = num_topics + kGap;
      std::vector<float> weights(num_terms * stride, -1), largest(num_terms), scales(num_terms);
      math().fill_weights({.log_topics = values.data(),
                           .topic_stride = num_terms,
                           .num_topics = num_topics,
                           .num_terms = num_terms,
                           .weights = weights.data(),
                           .weight_stride = stride,
                           .largest = largest.data(),
                           .flat_scales = scales.data()});
      for (size_t i = 0; i < num_terms; ++i) {
        float most = -HUGE_VALF;
        for (size_t k = 0; k < num_topics; ++k) most = std::max(most, values[k * num_terms + i]);
        ASSERT_EQ(largest[i], most);
        double sum = 0;
        for (size_t k = 0; k < num_topics; ++k) {
          const double exponent = double{values[k * num_terms + i]} - double{most};
          const auto expected = exponent < -80 ? 0.0f : static_cast<float>(PortableExp(exponent));
          ASSERT_EQ(weights[i * stride + k], expected) << topics << " topics, term " << i;
          sum += double{expected};
        }
        ASSERT_EQ(scales[i], static_cast<float>(1 / sum));
        for (size_t gap = num_topics; gap < stride; ++gap) ASSERT_EQ(weights[i * stride + gap], -1);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryProcessor, ArrayMathTest,
                         ::testing::ValuesIn(SupportedArrayMath().begin(),
                                             SupportedArrayMath().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(ArrayMathChoiceTest, ThePortableOneIsAlwaysThereAndLast) {
  ASSERT_FALSE(SupportedArrayMath().empty());
  EXPECT_STREQ(SupportedArrayMath().back().name, "portable");
  EXPECT_EQ(FastestArrayMath().name, SupportedArrayMath().front().name);
}

}  // namespace array_math_test

}  // namespace topicwall::lda
