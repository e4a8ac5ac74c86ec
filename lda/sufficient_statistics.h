// What one privacy unit adds to the sum that is released: before clipping, before noise.
//
//   UnitStatistic unit;  // one per thread, reused
//   unit.Reset(num_topics);
//   for (DocumentView document : documents_of_the_unit) {
//     e_step.Infer(document, workspace);
//     unit.Add(document, workspace);
//   }
//   unit.terms();  // ascending and distinct: row i belongs to term terms()[i]
//
// The K×V matrix x of the unit is zero but for the terms of its documents; only those rows are
// kept. Rows of a term met in several documents are added in the order of Add, in float32: the same
// documents in the same order give the same bits.
//
// Invariant that the clip's sensitivity rests on: terms() is strictly ascending whatever was added,
// so that no entry of x is split over two rows.
//
// Privacy: PRIVATE; has no printing and no serialisation.
// Threads: not safe; one per thread. Cost: no allocation once warm; Add copies the new rows and
// merges two sorted lists of terms.
#ifndef TOPICWALL_LDA_SUFFICIENT_STATISTICS_H_
#define TOPICWALL_LDA_SUFFICIENT_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lda/document.h"
#include "lda/e_step.h"

namespace topicwall::lda {

class UnitStatistic {
 public:
  UnitStatistic() = default;

  // Forgets all rows; the next ones have `num_topics` floats (at least 1).
  void Reset(int num_topics);

  // Adds the result of e_step.Infer(document, workspace). Adds nothing if the workspace holds no
  // rows, or is plainly not of this document or number of topics, or `document` is not canonical.
  void Add(DocumentView document, const EStep::Workspace& workspace);

  int num_topics() const { return static_cast<int>(num_topics_); }
  // Distinct terms of the unit, strictly ascending.
  absl::Span<const uint32_t> terms() const { return terms_; }
  // x of terms()[i]: K floats, in words.
  absl::Span<const float> row(size_t i) const {
    return {rows_.data() + row_numbers_[i] * num_topics_, num_topics_};
  }

 private:
  size_t AppendRow();

  size_t num_topics_ = 0;
  std::vector<uint32_t> terms_;
  std::vector<size_t> row_numbers_;  // of terms_[i], into rows_
  std::vector<float> rows_;          // in the order first met
  // Scratch of Add.
  std::vector<uint32_t> merged_terms_;
  std::vector<size_t> merged_row_numbers_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_SUFFICIENT_STATISTICS_H_
