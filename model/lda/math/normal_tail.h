// Both tails of the standard normal, and the point that leaves them.
//
//   TwoSidedTail(1.96)                    // P(|Z| > 1.96) = 0.05
//   TwoSidedPoint(0.05)                   // 1.96
//   TwoSidedPoint(SidakTail(0.05, 600))   // so wide that 600 intervals hold together
//
// PUBLIC. Pure functions; the last bit is libm's. Cost: a point takes some hundred erfc.
#ifndef TOPICWALL_MODEL_LDA_MATH_NORMAL_TAIL_H_
#define TOPICWALL_MODEL_LDA_MATH_NORMAL_TAIL_H_

namespace topicwall::lda {

// P(|Z| > |z|), exact far out as well.
double TwoSidedTail(double z);

// z >= 0 with TwoSidedTail(z) = tail. 1e-300 <= tail <= 1.
double TwoSidedPoint(double tail);

// What each of `count` >= 1 intervals may miss for all to hold together but for `tail` in (0, 1):
// 1 − (1 − tail)^{1/count}. Exact for independent normals, and enough for any normals of mean 0
// (Šidák 1967).
double SidakTail(double tail, double count);

// What an interval or a test may miss where nothing else is said, and the point that leaves it.
inline constexpr double kMissed = 0.05;
double UsualPoint();  // 1.96

// Whether a noisy total is above three deviations of its noise: the quotient by a lesser one would
// be any number, with an error that is none.
bool CanDivideBy(double total, double deviation);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_NORMAL_TAIL_H_
