// The entries of b that a document still needs: those of its active topics, topic by topic.
//
// A vector holds one topic's entries for several words. Words are cut into tiles of at most
// kMostVectors vectors; a tile of width w keeps topic a at tile + a·w, and tiles follow each other.
// Columns from size() up to columns(), the next multiple of four, are zero, and so are the entries
// of words beyond the last.
#ifndef TOPICWALL_LDA_ACTIVE_ENTRIES_H_
#define TOPICWALL_LDA_ACTIVE_ENTRIES_H_

#include <cstddef>

#include "lda/kernel_task.h"
#include "lda/vector_count.h"

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
  float* tile(size_t number) const {
    return task_.matrix + number * kTileWords * (task_.most_active + 4);
  }
  // In floats, a multiple of the vector.
  size_t width(size_t tile) const { return RoundUp(WordsOf(tile), Simd::kLanes); }
  // b of column a and word j.
  float at(size_t a, size_t j) const {
    const size_t number = j / kTileWords;
    return tile(number)[a * width(number) + j % kTileWords];
  }

  void MoveColumn(size_t from, size_t to) const {
    for (size_t t = 0; t < num_tiles(); ++t) {
      const float* source = tile(t) + from * width(t);
      float* target = tile(t) + to * width(t);
      for (size_t j = 0; j < width(t); j += Simd::kLanes) {
        Simd::Store(target + j, Simd::Load(source + j));
      }
    }
  }

  // Keeps the first `size` columns.
  void Resize(size_t size) {
    size_ = size;
    columns_ = RoundUp(size, 4);
    for (size_t t = 0; t < num_tiles(); ++t) {
      const size_t end = columns_ * width(t);
      for (size_t i = size_ * width(t); i < end; ++i) tile(t)[i] = 0;
    }
  }

 private:
  static constexpr size_t RoundUp(size_t n, size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
  }
  size_t WordsOf(size_t tile) const {
    const size_t rest = task_.num_words - tile * kTileWords;
    return rest < kTileWords ? rest : kTileWords;
  }

  void CopyTile(size_t number, size_t size) const {
    const size_t words = WordsOf(number);
    const size_t wide = width(number);
    float* entries = tile(number);
    for (size_t a = 0; a < size; ++a) {
      for (size_t j = words; j < wide; ++j) entries[a * wide + j] = 0;
    }
    for (size_t j = 0; j < words; ++j) {
      const float* row = task_.rows[number * kTileWords + j];
      for (size_t a = 0; a < size; ++a) entries[a * wide + j] = row[task_.topics[a]];
    }
  }

  const KernelTask& task_;
  size_t size_ = 0;
  size_t columns_ = 0;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_ACTIVE_ENTRIES_H_
