// The entries of b that a document still needs: those of its active topics, topic by topic.
//
// A vector holds one topic's entries for several words. Words are cut into tiles of at most
// kMostVectors vectors; a tile of width w keeps topic a at tile + a·w, and tiles follow each other.
// Columns from size() up to columns(), the next multiple of four, are zero.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_ENTRIES_H_
#define TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_ENTRIES_H_

#include <cstddef>

#include "model/lda/kernel/kernel_task.h"
#include "model/lda/math/simd/vector_count.h"

namespace topicwall::lda {

template <class Simd>
class ActiveEntries {
 public:
  static constexpr size_t kTileWords = kMostVectors * Simd::kLanes;

  // Copies the columns task.topics[0 … size − 1].
  ActiveEntries(const KernelTask& task, size_t size) : task_(task) {
    for (size_t tile = 0; tile < num_tiles(); ++tile) CopyTile(tile, size);
    Resize(size);
  }

  size_t size() const { return size_; }
  size_t columns() const { return columns_; }

  size_t num_tiles() const { return (task_.num_words + kTileWords - 1) / kTileWords; }
  size_t first_word(size_t tile) const { return tile * kTileWords; }
  float* tile(size_t number) const {
    return task_.matrix + number * kTileWords * (task_.most_active + 4);
  }
  size_t num_words(size_t tile) const {
    const size_t rest = task_.num_words - tile * kTileWords;
    return rest < kTileWords ? rest : kTileWords;
  }
  // num_words up to the next multiple of the vector, in floats.
  size_t width(size_t tile) const { return RoundUp(num_words(tile), Simd::kLanes); }
  void MoveColumn(size_t from, size_t to) const {
    for (size_t t = 0; t < num_tiles(); ++t) {
      const size_t wide = width(t);
      const float* source = tile(t) + from * wide;
      float* target = tile(t) + to * wide;
      for (size_t j = 0; j < wide; j += Simd::kLanes) {
        Simd::Store(target + j, Simd::Load(source + j));
      }
    }
  }

  // Keeps the first `size` columns.
  void Resize(size_t size) {
    size_ = size;
    columns_ = RoundUp(size, 4);
    for (size_t t = 0; t < num_tiles(); ++t) {
      const size_t wide = width(t);
      float* entries = tile(t);
      for (size_t i = size_ * wide; i < columns_ * wide; i += Simd::kLanes) {
        Simd::Store(entries + i, Simd::Broadcast(0));
      }
    }
  }

 private:
  static constexpr size_t RoundUp(size_t n, size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
  }

  // Words beyond the last are copies of the first: their count is 0, which is what makes them
  // inert.
  void CopyTile(size_t number, size_t size) const {
    const size_t wide = width(number);
    const float* const* rows = task_.rows + number * kTileWords;
    for (size_t j = 0; j < wide; j += 4) {
      const float *row0 = rows[j], *row1 = rows[j + 1], *row2 = rows[j + 2], *row3 = rows[j + 3];
      float* to = tile(number) + j;
      for (size_t a = 0; a < size; ++a, to += wide) {
        const size_t topic = task_.topics[a];
        Simd::StoreFour(to,
                        typename Simd::Four{row0[topic], row1[topic], row2[topic], row3[topic]});
      }
    }
  }

  const KernelTask& task_;
  size_t size_ = 0;
  size_t columns_ = 0;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_PASSES_ACTIVE_ENTRIES_H_
