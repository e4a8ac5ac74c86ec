// Cells: the groups that documents fall into by their values of some attributes.
//
//   TW_ASSIGN_OR_RETURN(Cells cells, Cells::Create({0, 2}, corpus_shape));
//   cells.CellOf(document.attributes)   // which one
//   cells.ValuesOf(17)                  // its values, of the attributes asked for
//
// Every combination of values is a cell, in the order of the attributes, the last one's values
// next to each other: how many there are says nothing of documents. No attribute makes one cell.
//
// PUBLIC, but for a document's cell, which is PRIVATE. Threads: values.
#ifndef TOPICWALL_MODEL_PREVALENCE_CELLS_H_
#define TOPICWALL_MODEL_PREVALENCE_CELLS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/data/corpus_shape.h"

namespace topicwall::prevalence {

class Cells {
 public:
  // INVALID_ARGUMENT unless `attributes` are strictly ascending numbers of the corpus's and make at
  // most 2^32 cells.
  static absl::StatusOr<Cells> Create(absl::Span<const int> attributes,
                                      const model::CorpusShape& corpus);

  int64_t size() const { return size_; }  // G

  // `values`: a document's, of every attribute of the corpus. A value that the attribute has not is
  // taken for its last, "other".
  int64_t CellOf(absl::Span<const uint16_t> values) const;
  // One for each attribute asked for. 0 <= cell < size().
  std::vector<int> ValuesOf(int64_t cell) const;

 private:
  Cells(std::vector<int> attributes, std::vector<int> sizes, int64_t size)
      : attributes_(std::move(attributes)), sizes_(std::move(sizes)), size_(size) {}

  std::vector<int> attributes_;
  std::vector<int> sizes_;  // of each
  int64_t size_;
};

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_CELLS_H_
