// The loops of array_math.h; Simd as in vector_functions.h, which says how to compile this.
#ifndef TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_LOOPS_H_
#define TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_LOOPS_H_

#include <cstddef>

#include "model/lda/math/array_math.h"
#include "model/lda/math/simd/vector_functions.h"

namespace topicwall::lda {

template <class Simd>
struct ArrayMathLoops {
  using Doubles = typename Simd::Doubles;
  using Floats = typename Simd::Floats;
  using Functions = VectorFunctions<Simd>;
  static constexpr size_t kLanes = sizeof(Doubles) / sizeof(double);
  static constexpr double kFloor = -1e9;  // kLogTopicFloor

  static Doubles Load(const float* from) {
    Floats floats;
    __builtin_memcpy(&floats, from, sizeof(floats));
    return __builtin_convertvector(floats, Doubles);
  }
  static Floats Round(Doubles x) { return __builtin_convertvector(x, Floats); }
  static void Store(float* to, Floats x) { __builtin_memcpy(to, &x, sizeof(x)); }

  static Doubles AsLogTopic(Doubles value) {
    value = value < 0.0 ? value : Doubles{};
    return value < kFloor ? Functions::Broadcast(kFloor) : value;
  }

  // The first `n` of x, or all lanes if there are fewer; ones after them.
  static Doubles LoadSome(const float* x, size_t n) {
    if (n >= kLanes) return Load(x);
    float last[kLanes];
    for (size_t lane = 0; lane < kLanes; ++lane) last[lane] = lane < n ? x[lane] : 1.0f;
    return Load(last);
  }
  static void StoreSome(float* out, Floats values, size_t n) {
    if (n >= kLanes) return Store(out, values);
    for (size_t lane = 0; lane < n; ++lane) out[lane] = values[lane];
  }

  static void LogMinus(const float* x, size_t n, double shift, float* out) {
    for (size_t i = 0; i < n; i += kLanes) {
      const Doubles value = AsLogTopic(Functions::Log(LoadSome(x + i, n - i)) - shift);
      StoreSome(out + i, Round(value), n - i);
    }
  }
  static void DigammaMinus(const float* x, size_t n, double shift, float* out) {
    constexpr size_t kAtOnce = 128;
    typename Functions::DigammaParts parts[kAtOnce / kLanes];
    for (size_t begin = 0; begin < n; begin += kAtOnce) {
      const size_t size = n - begin < kAtOnce ? n - begin : kAtOnce;
      for (size_t i = 0; i < size; i += kLanes) {
        parts[i / kLanes] = Functions::PartsOfDigamma(LoadSome(x + begin + i, size - i));
      }
      for (size_t i = 0; i < size; i += kLanes) {
        const Doubles value = AsLogTopic(Functions::Digamma(parts[i / kLanes]) - shift);
        StoreSome(out + begin + i, Round(value), size - i);
      }
    }
  }
  static void Exp(const double* y, size_t n, float* out) {
    for (size_t i = 0; i < n; i += kLanes) {
      Doubles some = {};
      for (size_t lane = 0; lane < kLanes && i + lane < n; ++lane) some[lane] = y[i + lane];
      StoreSome(out + i, Round(Functions::Exp(some)), n - i);
    }
  }
  static double LogOfOne(double x) { return Functions::Log(Functions::Broadcast(x))[0]; }
  static double DigammaOfOne(double x) {
    return Functions::Digamma(Functions::PartsOfDigamma(Functions::Broadcast(x)))[0];
  }

  static double Sum(const float* x, size_t n) {
    constexpr size_t kSums = 8;
    Doubles vectors[kSums / kLanes] = {};
    size_t i = 0;
    for (; i + kSums <= n; i += kSums) {
      for (size_t j = 0; j < kSums / kLanes; ++j) vectors[j] += Load(x + i + j * kLanes);
    }
    double sums[kSums];
    __builtin_memcpy(sums, vectors, sizeof(sums));
    for (size_t j = 0; i + j < n; ++j) sums[j] += double{x[i + j]};
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }

  static void FillWeights(const WeightBlock& block) {
    // So many topics at a time go through a tile, from which whole cache lines of b are written.
    constexpr size_t kTileTopics = 16;
    float largest[kMostBlockTerms], row[kMostBlockTerms] = {};
    float tile[kTileTopics][kMostBlockTerms];
    Doubles sums[kMostBlockTerms / kLanes] = {};
    FindLargest(block, largest);
    for (size_t begin = 0; begin < block.num_topics; begin += kTileTopics) {
      const size_t rest = block.num_topics - begin;
      const size_t topics = rest < kTileTopics ? rest : kTileTopics;
      for (size_t k = 0; k < topics; ++k) {
        const float* from = block.log_topics + (begin + k) * block.topic_stride;
        __builtin_memcpy(row, from, block.num_terms * sizeof(float));
        for (size_t i = 0; i < block.num_terms; i += kLanes) {
          const Doubles exponent = Load(row + i) - Load(largest + i);
          const Doubles weight =
              exponent < kSmallestExponent ? Doubles{} : Functions::Exp(exponent);
          Store(tile[k] + i, Round(weight));
          sums[i / kLanes] += Load(tile[k] + i);
        }
      }
      for (size_t i = 0; i < block.num_terms; ++i) {
        float* to = block.weights + i * block.weight_stride + begin;
        for (size_t k = 0; k < topics; ++k) to[k] = tile[k][i];
      }
    }
    for (size_t i = 0; i < block.num_terms; ++i) {
      block.largest[i] = largest[i];
      block.flat_scales[i] = static_cast<float>(1 / sums[i / kLanes][i % kLanes]);
    }
  }

  // Of each term; 0 for those that the last vector has too many.
  static void FindLargest(const WeightBlock& block, float* largest) {
    for (size_t i = 0; i < kMostBlockTerms; ++i) {
      largest[i] = i < block.num_terms ? block.log_topics[i] : 0.0f;
    }
    for (size_t k = 1; k < block.num_topics; ++k) {
      const float* row = block.log_topics + k * block.topic_stride;
      for (size_t i = 0; i < block.num_terms; ++i) {
        largest[i] = largest[i] < row[i] ? row[i] : largest[i];
      }
    }
  }

  static constexpr ArrayMath Named(const char* name) {
    return {.name = name,
            .sum = Sum,
            .log = LogOfOne,
            .digamma = DigammaOfOne,
            .exp = Exp,
            .log_minus = LogMinus,
            .digamma_minus = DigammaMinus,
            .fill_weights = FillWeights};
  }
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_LOOPS_H_
