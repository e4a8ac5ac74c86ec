#include "server/mechanism/norm_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace topicwall::mechanism {
namespace {

TEST(NormHistogramTest, EdgesAreSixToTheOctave) {
  for (int bin = 0; bin < kNormHistogramBins - 1; ++bin) {
    const double edge = 0.5 * std::exp2(bin / 6.0);
    EXPECT_EQ(NormHistogramBin(edge * (1 - 1e-15)), bin);
    EXPECT_EQ(NormHistogramBin(edge * (1 + 1e-15)), bin + 1);
  }
}

// Of the edges that every library of mathematics has exactly.
TEST(NormHistogramTest, ABinHoldsItsUpperEdgeAndNothingAbove) {
  for (int bin = 0; bin < kNormHistogramBins - 1; bin += 6) {
    const double edge = std::ldexp(0.5, bin / 6);
    EXPECT_EQ(NormHistogramBin(edge), bin);
    EXPECT_EQ(NormHistogramBin(std::nextafter(edge, 1e300)), bin + 1);
  }
}

TEST(NormHistogramTest, TheEndsAreOpen) {
  EXPECT_EQ(NormHistogramBin(0), 0);
  EXPECT_EQ(NormHistogramBin(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(NormHistogramBin(1e300), kNormHistogramBins - 1);
  EXPECT_EQ(NormHistogramBin(std::numeric_limits<double>::infinity()), kNormHistogramBins - 1);
}

}  // namespace
}  // namespace topicwall::mechanism
