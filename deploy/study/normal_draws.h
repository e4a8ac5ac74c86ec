// Normal draws of a seed, the same with every standard library (those of <random>'s distributions
// differ). For simulations only: what protects people is drawn by server/mechanism.
#ifndef TOPICWALL_DEPLOY_STUDY_NORMAL_DRAWS_H_
#define TOPICWALL_DEPLOY_STUDY_NORMAL_DRAWS_H_

#include <cmath>
#include <cstdint>
#include <random>

namespace topicwall::study {

class NormalDraws {
 public:
  explicit NormalDraws(uint64_t seed) : engine_(seed) {}

  // In (0, 1).
  double Uniform() { return (static_cast<double>(engine_() >> 12) + 0.5) * 0x1p-52; }

  // Marsaglia's polar method, both numbers used.
  double Next() {
    if (has_kept_) {
      has_kept_ = false;
      return kept_;
    }
    for (;;) {
      const double x = 2 * Uniform() - 1;
      const double y = 2 * Uniform() - 1;
      const double square = x * x + y * y;
      if (square >= 1) continue;
      const double factor = std::sqrt(-2 * std::log(square) / square);
      kept_ = y * factor;
      has_kept_ = true;
      return x * factor;
    }
  }

  // Gamma(shape, 1), shape > 0: Marsaglia and Tsang, 2000.
  double Gamma(double shape) {
    if (shape < 1) return Gamma(shape + 1) * std::pow(Uniform(), 1 / shape);
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = Next();
      const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
      if (v > 0 && std::log(Uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  std::mt19937_64 engine_;
  double kept_ = 0;
  bool has_kept_ = false;
};

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_NORMAL_DRAWS_H_
