// exp for y <= 0 out of additions, multiplications and bit moves only.
//
// Why not std::exp: glibc chooses its code by CPU, so the last bit would depend on the machine, and
// the E-step promises bits that do not.
//
// Domain: y <= 0, −infinity included; NaN stays NaN. Larger y are not for this function.
// Accuracy: within 4e-16 relative.
// Results below the smallest normal number are 0 (y < −708.3).
// Threads: a pure function.
#ifndef TOPICWALL_MODEL_LDA_MATH_PORTABLE_EXP_H_
#define TOPICWALL_MODEL_LDA_MATH_PORTABLE_EXP_H_

namespace topicwall::lda {

double PortableExp(double y);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_PORTABLE_EXP_H_
