#include "model/lda/topics/initial_topics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda {
namespace {

constexpr double kUsualShape = 100;

// The distributions of <random> differ between standard libraries; its engines do not.
class PortableDraws {
 public:
  explicit PortableDraws(uint64_t seed) : engine_(seed) {}

  // One of 0 … count − 1.
  size_t Below(size_t count) {
    return std::min(count - 1, static_cast<size_t>(Uniform() * static_cast<double>(count)));
  }

  // In (0, 1).
  // The middles of 2^52 equal intervals: never 0, of which Normal and Gamma take the logarithm, nor
  // 1.
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

std::vector<float> RandomTopicsOf(int num_topics, int vocabulary_size, double shape,
                                  PortableDraws& draws) {
  std::vector<float> topics(static_cast<size_t>(num_topics) * static_cast<size_t>(vocabulary_size));
  for (float& entry : topics) {
    // Above 0 in float32 as well, which a draw of shape 1 need not be.
    entry =
        std::max(static_cast<float>(draws.Gamma(shape) / shape), std::numeric_limits<float>::min());
  }
  return topics;
}

// `count` distinct document numbers, in random order.
// The first steps of a Fisher-Yates shuffle.
std::vector<size_t> DrawDocuments(size_t num_documents, size_t count, PortableDraws& draws) {
  std::vector<size_t> order(num_documents);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = 0; i < count; ++i) std::swap(order[i], order[i + draws.Below(order.size() - i)]);
  order.resize(count);
  return order;
}

}  // namespace

absl::StatusOr<std::vector<float>> RandomTopics(int num_topics, int vocabulary_size, uint64_t seed,
                                                double gamma_shape) {
  if (absl::Status status = CheckTopicShape(num_topics, vocabulary_size); !status.ok()) {
    return status;
  }
  if (!(gamma_shape >= 1 && gamma_shape <= 1e6)) {
    return absl::InvalidArgumentError(
        absl::StrCat("gamma_shape must be in [1, 10^6]; got ", gamma_shape, "."));
  }
  PortableDraws draws(seed);
  return RandomTopicsOf(num_topics, vocabulary_size, gamma_shape, draws);
}

absl::StatusOr<std::vector<float>> TopicsFromDocuments(const DocumentList& documents,
                                                       int num_topics, int vocabulary_size,
                                                       uint64_t seed) {
  if (absl::Status status = CheckTopicShape(num_topics, vocabulary_size); !status.ok()) {
    return status;
  }
  for (const TermCount& entry : documents.entries) {
    if (entry.term < static_cast<uint32_t>(vocabulary_size)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("terms of documents must be below vocabulary_size, ", vocabulary_size,
                     "; got ", entry.term, ". Count them over the same vocabulary."));
  }
  PortableDraws draws(seed);
  // The random topics are drawn first, so that they are those of RandomTopics for the same seed.
  std::vector<float> topics = RandomTopicsOf(num_topics, vocabulary_size, kUsualShape, draws);
  constexpr size_t kMostCandidates = 4;
  const auto wanted = static_cast<size_t>(num_topics);
  const size_t candidates = std::clamp<size_t>(documents.size() / wanted, 1, kMostCandidates);
  const std::vector<size_t> drawn =
      DrawDocuments(documents.size(), std::min(documents.size(), wanted * candidates), draws);
  for (size_t first = 0; first < drawn.size(); first += candidates) {
    size_t longest = drawn[first];
    for (size_t i = first; i < std::min(first + candidates, drawn.size()); ++i) {
      if (TokenCount(documents[drawn[i]]) > TokenCount(documents[longest])) longest = drawn[i];
    }
    float* topic = topics.data() + first / candidates * static_cast<size_t>(vocabulary_size);
    for (const TermCount& entry : documents[longest]) {
      topic[entry.term] += static_cast<float>(entry.count);
    }
  }
  return topics;
}

}  // namespace topicwall::lda
