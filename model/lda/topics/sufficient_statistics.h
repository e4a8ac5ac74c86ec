// What one privacy unit adds to the sum that is released: before clipping, before noise.
//
//   UnitStatistic unit;  // one per thread, reused
//   unit.Reset(num_topics, &statistic);
//   for (DocumentView document : documents_of_the_unit) {
//     e_step.Infer(document, workspace);
//     unit.Add(document, workspace);
//   }
//   unit.Finish();
//   statistic.columns   // its terms, statistic.rows its topics, statistic.values x in words
//
// The K×V matrix x of the unit is zero but for the terms of its documents and the topics that one
// of them uses; only those entries are kept. An entry met in several documents is added up in the
// order of Add, in float32: the same documents in the same order give the same bits.
//
// Invariant that the clip's sensitivity rests on: columns and rows are strictly ascending whatever
// was added, so that no entry of x is split over two places.
//
// Privacy: PRIVATE; has no printing and no serialisation.
// Threads: not safe; one per thread. Cost: no allocation once warm. The first document is copied;
// every further one merges two sorted lists of terms, and moves all values where it brings a topic.
// Finish moves them once more if a further document brought a term.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_SUFFICIENT_STATISTICS_H_
#define TOPICWALL_MODEL_LDA_TOPICS_SUFFICIENT_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/sparse_statistic.h"

namespace topicwall::lda {

// x of one document, whichever model made it: for each of its terms, one value for each of `topics`
// (strictly ascending).
struct DocumentStatistic {
  absl::Span<const uint32_t> topics;
  absl::Span<const float> values;  // entry (j-th term, topics[a]) at j·topics.size() + a
};

class UnitStatistic {
 public:
  UnitStatistic() = default;

  // Empties *statistic, which is worked in until Finish; its columns have `num_topics` entries
  // (at least 1).
  void Reset(int num_topics, model::SparseStatistic* statistic);

  // Takes and touches all that units of up to so many distinct terms need beside the statistic
  // (nothing if each is of one document only, nearly).
  void Reserve(int num_topics, size_t num_terms, bool several_documents);
  static size_t BytesReserved(size_t num_topics, size_t num_terms, bool several_documents);

  // Adds the result of e_step.Infer(document, workspace). Adds nothing if the workspace holds no
  // rows, or is plainly not of this document or number of topics, or `document` is not canonical.
  void Add(DocumentView document, const EStep::Workspace& workspace);
  // Adds nothing of a document that is not canonical, or has not these values.
  void Add(DocumentView document, const DocumentStatistic& x);

  // Puts the values in the order of the columns.
  void Finish();

 private:
  void AddFirst(DocumentView document, const DocumentStatistic& x);
  void AddTopics(absl::Span<const uint32_t> topics);
  void AddTerms(DocumentView document);

  size_t num_topics_ = 0;
  // Of Reset. Until Finish the values of columns[i] are the ones from places_of_terms_[i]·rows on.
  model::SparseStatistic* statistic_ = nullptr;
  std::vector<size_t> places_of_terms_;
  bool values_are_in_order_ = true;  // places_of_terms_[i] == i for every i
  // Scratch of Add; the first two and the last change places with the statistic's.
  std::vector<uint32_t> merged_terms_;
  std::vector<uint32_t> merged_topics_;
  std::vector<size_t> merged_places_;
  std::vector<size_t> places_;  // of an old topic, or a document's topic, in rows
  std::vector<float> moved_values_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_SUFFICIENT_STATISTICS_H_
