// The two products of an iteration over the entries of a few active topics, topic by topic, so that
// a vector holds one topic's entries for several words (active_topics.h lays them out).
//
//   ratios_w = c_w / Σ_a e_a b_aw,   sum_a = Σ_w ratios_w b_aw
//
// Order of the additions: over topics in their order (even and odd ones apart where a tile is
// narrow: two short chains instead of a long one); over words, Simd::kLanes partial sums and then
// Simd::SumEach.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_PASS_H_
#define TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_PASS_H_

#include <cstddef>

#include "model/lda/kernel/passes/dense_rows.h"

namespace topicwall::lda {

// One tile of words; pointers to its first word, topic, and entry.
struct ActiveTile {
  const float* entries;   // columns × width: b
  size_t columns;         // topics, rounded up to 4 with columns of zeros
  const float* weights;   // e: columns
  const float* counts;    // c: width
  float* ratios;          // width
  float* largest_ratios;  // width: raised to the ratios
  float* sum;             // columns
};

// A width of kVectors vectors.
template <class Simd, size_t kVectors>
void ActivePass(const ActiveTile& tile) {
  using Floats = typename Simd::Floats;
  constexpr size_t kLanes = Simd::kLanes;
  constexpr size_t kWidth = kVectors * kLanes;
  constexpr size_t kChains = kVectors <= 4 ? 2 : 1;
  Floats normaliser[kChains][kVectors];
  for (auto& chain : normaliser) {
    for (Floats& n : chain) n = Simd::Broadcast(kNormaliserFloor);
  }
  // A column is contiguous and a topic's weight the same for all its words: no sum across lanes,
  // and columns of zeros (up to the next four) change nothing.
  for (size_t a = 0; a < tile.columns; a += kChains) {
    for (size_t c = 0; c < kChains; ++c) {
      const Floats e = Simd::Broadcast(tile.weights[a + c]);
      const float* column = tile.entries + (a + c) * kWidth;
      for (size_t j = 0; j < kVectors; ++j) {
        normaliser[c][j] = Simd::MulAdd(Simd::Load(column + j * kLanes), e, normaliser[c][j]);
      }
    }
  }
  Floats ratio[kVectors];
  for (size_t j = 0; j < kVectors; ++j) {
    Floats n = normaliser[0][j];
    if constexpr (kChains == 2) n = n + normaliser[1][j];
    ratio[j] = Simd::Load(tile.counts + j * kLanes) / n;
    Simd::Store(tile.ratios + j * kLanes, ratio[j]);
    // What dropped_topics.h needs in the end. Words beyond the last have ratio 0.
    float* largest = tile.largest_ratios + j * kLanes;
    Simd::Store(largest, Simd::Max(Simd::Load(largest), ratio[j]));
  }
  // The same columns again, now with the ratios in registers; four sums across lanes at a time.
  for (size_t a = 0; a < tile.columns; a += 4) {
    Floats product[4];
    for (size_t i = 0; i < 4; ++i) {
      const float* column = tile.entries + (a + i) * kWidth;
      product[i] = Simd::Load(column) * ratio[0];
      for (size_t j = 1; j < kVectors; ++j) {
        product[i] = Simd::MulAdd(Simd::Load(column + j * kLanes), ratio[j], product[i]);
      }
    }
    Simd::StoreFour(tile.sum + a, Simd::SumEach(product[0], product[1], product[2], product[3]));
  }
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_PASS_H_
