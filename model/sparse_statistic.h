// What a model makes of one privacy unit: a vector of D numbers, of which only some are not 0. All
// that the mechanism clips and adds, whatever the model.
//
//   SparseStatistic statistic;   // one per thread, reused
//   statistic.columns = {3, 17};
//   statistic.rows = {0, 4};
//   statistic.values = {.5F, 1, 2, .25F};   // columns × rows: (3,0) (3,4) (17,0) (17,4)
//
// A model says its D and its period P, which divides D. Entry i of the vector stands in column
// i mod P and row i div P: public weights and the noise of a release go by column, so P is the
// number of different weights that an analyst may give. (LDA: columns are terms, P = V, rows are
// topics. Where nothing is repeated, P = D and there is one row.) Entries that are not listed are
// 0; a model may list some that are 0 as well. The entries of one column lie behind each other, so
// that whoever adds them up walks through memory once.
//
// Contract: columns strictly ascending below P, rows strictly ascending below D/P, one finite value
// for every pair. So no entry is there twice. The mechanism checks all of it and takes a unit that
// breaks it for one that has nothing (server/mechanism/unit_clipper.h).
//
// Privacy: the shape is PUBLIC, a statistic PRIVATE. Threads: values.
#ifndef TOPICWALL_MODEL_SPARSE_STATISTIC_H_
#define TOPICWALL_MODEL_SPARSE_STATISTIC_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace topicwall::model {

// D and P: 1 <= P, P divides D, D <= 2^32.
struct StatisticShape {
  int64_t dimension;
  int64_t period;

  int64_t rows() const { return dimension / period; }
};

inline StatisticShape GridOf(int64_t rows, int64_t columns) {
  return {.dimension = rows * columns, .period = columns};
}

struct SparseStatistic {
  std::vector<uint32_t> columns;
  std::vector<uint32_t> rows;
  std::vector<float> values;  // entry (columns[j], rows[a]) at j·rows.size() + a

  // Of no entries, in the memory it has.
  void Clear() {
    columns.clear();
    rows.clear();
    values.clear();
  }
  // Takes and touches all that statistics of up to so many columns and rows need; is then empty.
  void Reserve(size_t num_columns, size_t num_rows) {
    columns.resize(num_columns);
    rows.resize(num_rows);
    values.resize(num_columns * num_rows);
    Clear();
  }
  static size_t BytesReserved(size_t num_columns, size_t num_rows) {
    return (num_columns + num_rows) * sizeof(uint32_t) + num_columns * num_rows * sizeof(float);
  }
};

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_SPARSE_STATISTIC_H_
