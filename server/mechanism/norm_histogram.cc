#include "server/mechanism/norm_histogram.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace topicwall::mechanism {
namespace {

// Written out, so that no two mathematics libraries can disagree on an edge.
constexpr double kSixthRootsOfTwo[6] = {
    1.0,                 // 2^(0/6)
    1.1224620483093730,  // 2^(1/6)
    1.2599210498948732,  // 2^(2/6)
    1.4142135623730951,  // 2^(3/6)
    1.5874010519681994,  // 2^(4/6)
    1.7817974362806786,  // 2^(5/6)
};

constexpr std::array<double, kNormHistogramBins> MakeEdges() {
  std::array<double, kNormHistogramBins> edges{};
  double octave = 0.5;
  for (std::size_t bin = 0; bin < edges.size(); ++bin) {
    edges[bin] = octave * kSixthRootsOfTwo[bin % 6];
    if (bin % 6 == 5) octave *= 2;
  }
  edges.back() = std::numeric_limits<double>::infinity();
  return edges;
}

constexpr std::array<double, kNormHistogramBins> kUpperEdges = MakeEdges();

}  // namespace

int NormHistogramBin(double weighted_norm) {
  // The first edge that is not below the norm: an edge belongs to the bin that it ends. The last
  // one is infinite, so that there always is one.
  const auto* edge = std::lower_bound(kUpperEdges.begin(), kUpperEdges.end(), weighted_norm);
  return static_cast<int>(edge - kUpperEdges.begin());
}

}  // namespace topicwall::mechanism
