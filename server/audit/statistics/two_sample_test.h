// Whether two samples can come from one law: Smirnov's two-sample test, with no approximation.
//
//   const TwoSampleTest test = CompareSamples(times_with, times_without);
//   if (test.p_value <= 1e-7) …   // chance alone does so with probability at most 1e-7
//
// The distance is the largest difference of the two empirical distribution functions. Its p-value
// is the probability that a random division of the pooled values into two samples of these sizes
// gives that distance or a larger one, counted exactly over lattice paths. Equal values only make
// the distance smaller, so that the p-value is then an upper bound.
//
// What that needs of the samples: that without an effect every division was as likely. Values
// taken one after the other on a machine that drifts are no independent draws; draw the *order* in
// which the two kinds are measured by chance, and the division is a random one whatever the
// machine does meanwhile.
//
// Threads: pure functions. Cost: n·m steps of some ns.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_TWO_SAMPLE_TEST_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_TWO_SAMPLE_TEST_H_

#include <cstdint>
#include <vector>

namespace topicwall::audit {

struct TwoSampleTest {
  double distance;  // in [0, 1]
  double p_value;   // in [0, 1]; false alarm at most p for `p_value <= p`
};

// Of two samples of 1 … 10,000 values, none of them NaN.
TwoSampleTest CompareSamples(std::vector<double> first, std::vector<double> second);

// The smallest distance of samples of these sizes that has a p-value of at most `p`: a test at
// level p sees no smaller one. Above 1 if samples so small show nothing at that level.
double SmallestDistanceSeen(int64_t first_size, int64_t second_size, double p);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_TWO_SAMPLE_TEST_H_
