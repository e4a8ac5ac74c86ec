// What one privacy unit adds to the sum that is released: before clipping, before noise.
//
//   UnitStatistic unit;  // one per thread, reused
//   unit.Reset(num_topics);
//   for (DocumentView document : documents_of_the_unit) {
//     e_step.Infer(document, workspace);
//     unit.Add(document, workspace);
//   }
//   unit.terms();   // ascending and distinct: row i belongs to term terms()[i]
//   unit.topics();  // likewise: entry a of every row belongs to topic topics()[a]
//
// The K×V matrix x of the unit is zero but for the terms of its documents and the topics that one
// of them uses; only those entries are kept. An entry met in several documents is added up in the
// order of Add, in float32: the same documents in the same order give the same bits.
//
// Invariant that the clip's sensitivity rests on: terms() and topics() are strictly ascending
// whatever was added, so that no entry of x is split over two places.
//
// Privacy: PRIVATE; has no printing and no serialisation.
// Threads: not safe; one per thread. Cost: no allocation once warm. The first document is copied;
// every further one merges two sorted lists of terms, and moves all rows where it brings a topic.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_SUFFICIENT_STATISTICS_H_
#define TOPICWALL_MODEL_LDA_TOPICS_SUFFICIENT_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"

namespace topicwall::lda {

class UnitStatistic {
 public:
  UnitStatistic() = default;

  // Forgets all rows; the next ones have `num_topics` floats (at least 1).
  void Reset(int num_topics);

  // Takes and touches all that units of up to so many distinct terms need; less if each is of one
  // document only. Forgets all rows.
  void Reserve(int num_topics, size_t num_terms, bool several_documents);
  static size_t BytesReserved(size_t num_topics, size_t num_terms, bool several_documents);

  // Adds the result of e_step.Infer(document, workspace). Adds nothing if the workspace holds no
  // rows, or is plainly not of this document or number of topics, or `document` is not canonical.
  void Add(DocumentView document, const EStep::Workspace& workspace);

  int num_topics() const { return static_cast<int>(num_topics_); }
  // Distinct terms of the unit, strictly ascending.
  absl::Span<const uint32_t> terms() const { return terms_; }
  // Topics of the unit, strictly ascending, below num_topics().
  absl::Span<const uint32_t> topics() const { return topics_; }
  // x of terms()[i]: one float for each of topics(), in words.
  absl::Span<const float> row(size_t i) const {
    return {rows_.data() + row_numbers_[i] * topics_.size(), topics_.size()};
  }
  // All rows, one behind the other in the order of terms(). They lie that way unless a further
  // document brought a term; then they are copied to *copy.
  absl::Span<const float> rows(std::vector<float>* copy) const;

 private:
  void AddFirst(DocumentView document, const EStep::Workspace& workspace);
  void AddTopics(absl::Span<const uint32_t> topics);
  void AddTerms(DocumentView document);

  size_t num_topics_ = 0;
  std::vector<uint32_t> terms_;
  std::vector<uint32_t> topics_;
  std::vector<size_t> row_numbers_;  // of terms_[i], into rows_
  std::vector<float> rows_;          // of topics_.size() floats each, in the order first met
  bool rows_are_in_order_ = true;    // row_numbers_[i] == i for every i
  // Scratch of Add.
  std::vector<uint32_t> merged_;
  std::vector<size_t> merged_row_numbers_;
  std::vector<size_t> places_;  // of an old topic, or a document's topic, in topics_
  std::vector<float> moved_rows_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_SUFFICIENT_STATISTICS_H_
