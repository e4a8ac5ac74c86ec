#include "accountant/filters/filter_spec.h"

#include <cmath>
#include <limits>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace filter_spec_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

FilterSpec Good() {
  return {.budget = {.epsilon = 2.44, .delta = 1e-6},
          .orders = {2, 4, 8},
          .weights = {0.25, 0.5, 0.25},
          .fixed_point_bits = 32};
}

void ExpectRefused(const FilterSpec& spec, const std::string& message) {
  EXPECT_THAT(Validate(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
}

TEST(FilterSpecTest, AGoodSpecIsAccepted) { EXPECT_OK(Validate(Good())); }

TEST(FilterSpecTest, BadBudgetsAreRefused) {
  FilterSpec spec = Good();
  spec.budget.epsilon = 0;
  ExpectRefused(spec, "epsilon must be finite and > 0");
  spec.budget.epsilon = 0x1p21;
  ExpectRefused(spec, "epsilon must be at most 2^20");
  spec = Good();
  spec.budget.delta = 1;
  ExpectRefused(spec, "delta");
}

TEST(FilterSpecTest, BadOrdersAreRefused) {
  for (const std::vector<double>& orders : {std::vector<double>{1, 4, 8},
                                            {2, 2, 8},
                                            {4, 2, 8},
                                            {2, 4, kNan},
                                            {2, 4, 0x1p21},
                                            {1 + 0x1p-11, 4, 8}}) {
    FilterSpec spec = Good();
    spec.orders = orders;
    ExpectRefused(spec, "orders must increase strictly");
  }
  FilterSpec spec = Good();
  spec.orders.pop_back();
  ExpectRefused(spec, "one length");
  spec.orders.clear();
  spec.weights.clear();
  ExpectRefused(spec, "one length");
}

TEST(FilterSpecTest, WeightsMustBePositiveAndTogetherAtMostOne) {
  FilterSpec spec = Good();
  spec.weights = {0.5, 0.0, 0.5};
  ExpectRefused(spec, "weights must be > 0");
  spec.weights = {0.5, kNan, 0.5};
  ExpectRefused(spec, "weights must be > 0");
  spec.weights = {0.5, 0.5, 1e-12};
  ExpectRefused(spec, "weights must add up to at most 1");
  spec.weights = {0.1, 0.1, 0.1};
  EXPECT_OK(Validate(spec));
}

// Weights of doubles may add up to a hair more than 1: all shares of δ together stay within δ.
TEST(FilterSpecTest, WhatWeightsMayPassOneByIsTakenBackFromEveryShareOfDelta) {
  FilterSpec spec = Good();
  spec.weights = {0.5, 0.25, 0.25 + 0x1p-43};
  ExpectRefused(spec, "weights must add up to at most 1");
  spec.weights = {0.5, 0.25, 0.25 + 0x1p-44};
  EXPECT_OK(Validate(spec));
  for (const double delta : {1e-12, 1e-6, 0.5}) {
    long double shares = 0;
    for (const double weight : spec.weights) {
      shares += std::exp(static_cast<long double>(LogFailureProbability(weight, delta)));
    }
    EXPECT_LE(shares, delta);
  }
}

TEST(FilterSpecTest, ScaleIsBounded) {
  for (const int bits : {-1, 15, 41, 64}) {
    FilterSpec spec = Good();
    spec.fixed_point_bits = bits;
    ExpectRefused(spec, "fixed_point_bits must be in [16, 40]");
  }
}

TEST(FilterSpecTest, WithAGaussianWeightAllWeightsAreMultiplesThatAddUpExactly) {
  FilterSpec spec = Good();
  spec.weights = {0.125, 0.25, 0.125};
  spec.gaussian_weight = 0.5;
  EXPECT_OK(Validate(spec));
  spec.gaussian_weight = 0.5 + 0x1p-32;
  ExpectRefused(spec, "weights and gaussian_weight must add up to at most 1");
  for (const double weight : {0.5 + 0x1p-33, 0x1p-33, -0.5, 2.0, kNan}) {
    spec.gaussian_weight = weight;
    ExpectRefused(spec, "multiples of 2^-32");
  }
  spec.gaussian_weight = 0.5;
  spec.weights = {0.1, 0.1, 0.1};
  ExpectRefused(spec, "multiples of 2^-32");
  spec.weights = {0.125, 0.25, 0.125};
  spec.fixed_point_bits = 40;
  ExpectRefused(spec, "fixed_point_bits must be 32");
}

TEST(FilterSpecTest, ConversionCostIsTheStatedFormulaRoundedUp) {
  for (const double order : {1 + 0x1p-10, 1.25, 2.0, 17.0, 1024.0, 0x1p20}) {
    for (const double weight : {0.9, 1e-3, 1e-300}) {
      for (const double delta : {1e-12, 1e-6, 0.5}) {
        const long double a = order;
        const long double exact =
            std::log((a - 1) / a) - (std::log(static_cast<long double>(weight)) +
                                     std::log(static_cast<long double>(delta)) + std::log(a)) /
                                        (a - 1);
        const double cost = ConversionCostUpperBound(order, LogFailureProbability(weight, delta));
        EXPECT_GT(cost, exact) << order << " " << weight << " " << delta;
        EXPECT_LT(cost, exact + 1e-12L * (1 + std::abs(exact)) + 1e-12L / (a - 1))
            << order << " " << weight << " " << delta;
      }
    }
  }
}

}  // namespace filter_spec_test
}  // namespace topicwall::accountant
