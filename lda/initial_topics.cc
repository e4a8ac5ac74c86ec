#include "lda/initial_topics.h"

#include <cmath>
#include <cstddef>
#include <random>

#include "absl/status/status.h"
#include "lda/log_topics.h"

namespace topicwall::lda {
namespace {

// The distributions of <random> differ between standard libraries; its engines do not.
class PortableDraws {
 public:
  explicit PortableDraws(uint64_t seed) : engine_(seed) {}

  // In (0, 1).
  double Uniform() { return (static_cast<double>(engine_() >> 12) + 0.5) * 0x1p-52; }

  // Marsaglia's polar method.
  double Normal() {
    for (;;) {
      const double x = 2 * Uniform() - 1;
      const double y = 2 * Uniform() - 1;
      const double square = x * x + y * y;
      if (square < 1) return x * std::sqrt(-2 * std::log(square) / square);
    }
  }

  // Gamma(shape, 1) for shape >= 1: Marsaglia and Tsang, 2000.
  double Gamma(double shape) {
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = Normal();
      const double base = 1 + c * x;
      if (base <= 0) continue;
      const double v = base * base * base;
      const double u = Uniform();
      // Their squeeze, which implies the test after it and spares nearly every draw two logarithms.
      if (u < 1 - 0.0331 * (x * x) * (x * x)) return d * v;
      if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

absl::StatusOr<std::vector<float>> RandomTopics(int num_topics, int vocabulary_size,
                                                uint64_t seed) {
  if (absl::Status status = CheckTopicShape(num_topics, vocabulary_size); !status.ok()) {
    return status;
  }
  constexpr double kShape = 100;
  PortableDraws draws(seed);
  std::vector<float> topics(static_cast<size_t>(num_topics) * static_cast<size_t>(vocabulary_size));
  for (float& entry : topics) entry = static_cast<float>(draws.Gamma(kShape) / kShape);
  return topics;
}

}  // namespace topicwall::lda
