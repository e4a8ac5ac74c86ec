// What one privacy unit adds to the sum that is released: before clipping, before noise.
//
//   UnitStatistic unit;  // one per thread, reused
//   unit.Reset({.num_topics = 50, .num_columns = 8000}, &statistic);
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
// a further one costs its own entries, and moves all values where it brings a topic. Finish of
// several documents costs the unit's terms, and moves all values if a further one brought a term.
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
  // Of x: at least 1 each.
  struct Shape {
    size_t num_topics;
    size_t num_columns;  // V, of words
  };
  // What no unit exceeds.
  struct Bounds {
    Shape shape;
    size_t num_terms;  // distinct ones
    bool several_documents;
  };

  UnitStatistic() = default;

  // Empties *statistic, which is worked in until Finish.
  void Reset(const Shape& shape, model::SparseStatistic* statistic);

  // Takes and touches all that such units need beside the statistic: nothing if each is of one
  // document.
  void Reserve(const Bounds& bounds);
  static size_t BytesReserved(const Bounds& bounds);

  // Adds the result of e_step.Infer(document, workspace). Adds nothing if the workspace holds no
  // rows, or is plainly not of this document or number of topics, or `document` is not canonical
  // below num_columns.
  void Add(DocumentView document, const EStep::Workspace& workspace);
  // Adds nothing of a document that is not canonical, or has not these values.
  void Add(DocumentView document, const DocumentStatistic& x);

  // Puts columns and values in the columns' order.
  void Finish();

 private:
  void AddFirst(DocumentView document, const DocumentStatistic& x);
  void AddTopics(absl::Span<const uint32_t> topics);
  void AddTerms(DocumentView document);
  void IndexTerms();

  Shape shape_ = {};
  model::SparseStatistic* statistic_ = nullptr;  // of Reset
  // From a second document on and until Finish: where each column is among the statistic's, which
  // are in no order then. kNowhere everywhere else.
  std::vector<uint32_t> index_;
  bool is_indexed_ = false;
  // Scratch; the first and the last change places with the statistic's.
  std::vector<uint32_t> merged_topics_;
  std::vector<size_t> places_;   // of an old topic, or a document's topic, in rows
  std::vector<uint64_t> order_;  // of Finish: column·2^32 + place
  std::vector<float> moved_values_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_SUFFICIENT_STATISTICS_H_
