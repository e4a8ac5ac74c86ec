#include "model/lda/topics/initial_topics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda {
namespace {

// The distributions of <random> differ between standard libraries; its engines do not.
class PortableDraws {
 public:
  explicit PortableDraws(uint64_t seed) : engine_(seed) {}

  // In (0, 1): the middles of 2^52 equal intervals, never 0, of which Normal and Gamma take the
  // logarithm, nor 1.
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

absl::StatusOr<std::vector<float>> RandomTopics(int num_topics, int vocabulary_size, uint64_t seed,
                                                double gamma_shape) {
  TW_RETURN_IF_ERROR(CheckTopicShape(num_topics, vocabulary_size));
  if (!(gamma_shape >= 1 && gamma_shape <= 1e6)) {
    return absl::InvalidArgumentError(
        absl::StrCat("gamma_shape must be in [1, 10^6]; got ", gamma_shape, "."));
  }
  PortableDraws draws(seed);
  std::vector<float> topics(static_cast<size_t>(num_topics) * static_cast<size_t>(vocabulary_size));
  for (float& entry : topics) {
    // Above 0 in float32 as well, which a draw of shape 1 need not be.
    entry = std::max(static_cast<float>(draws.Gamma(gamma_shape) / gamma_shape),
                     std::numeric_limits<float>::min());
  }
  return topics;
}

}  // namespace topicwall::lda
