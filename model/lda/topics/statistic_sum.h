// The sum of the statistics of many documents, for those who own the documents: no clip, no noise.
//
//   StatisticSum sum(num_topics, vocabulary_size);
//   sum.Add(e_step, batch, num_threads);          // batch: a span of DocumentView
//   std::vector<float> s = sum.Scaled(corpus_size / batch_size, num_threads);
//
// Σ_d x_d of e_step.h, or of another inference of documents: K×V, in words. Entries are added up in
// float, each in the order of the documents, and every kDocumentsPerFold documents in double: the
// table that is worked on stays half as large, and no sum grows so long that its rounding shows (at
// worst 2^-11 relative, where all of a fold's roundings go one way; about 3e-6 in fact). The bits
// are a function of (documents since Reset, e_step) alone: not of the number of threads, nor of how
// the documents are cut into calls.
//
// Each thread infers documents and keeps their rows (listed topics only); then each adds the rows
// of its own terms to a V×K table, going through the documents in their order.
//
// Threads: one caller; each call uses up to `num_threads`. Memory: 4·K·V bytes, 12·K·V from
// kDocumentsPerFold documents on, and the rows of kDocumentsAtOnce documents.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_STATISTIC_SUM_H_
#define TOPICWALL_MODEL_LDA_TOPICS_STATISTIC_SUM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"

namespace topicwall::lda {

// x of one document: of some topics, ascending, a float of each for every term of it, in its order.
struct DocumentRows {
  absl::Span<const uint32_t> topics;  // none: it adds nothing
  const float* rows;
};

class StatisticSum {
 public:
  // On the thread of this number, which has a workspace of its own; kept until its next document.
  using Inference = absl::FunctionRef<DocumentRows(DocumentView document, size_t thread)>;

  static constexpr size_t kDocumentsAtOnce = 1024;
  static constexpr size_t kDocumentsPerFold = 8192;

  // Zero. num_topics and vocabulary_size are those of every `e_step` to come.
  StatisticSum(int num_topics, int vocabulary_size);

  // Adds the statistic of each document. One that is empty or not canonical adds nothing.
  void Add(const EStep& e_step, absl::Span<const DocumentView> documents, int num_threads);
  // Terms are those that `infer` is of: below V.
  void Add(Inference infer, absl::Span<const DocumentView> documents, int num_threads);

  // factor·Σ x as K×V floats, row-major, row = topic.
  std::vector<float> Scaled(double factor, int num_threads) const;

  // Back to zero, keeping the memory.
  void Reset();

 private:
  // What inferring some documents in a row leaves.
  struct BlockResult {
    struct Document {
      DocumentView terms;
      size_t first_topic, num_topics;  // into `topics`
      size_t first_entry;              // into `entries`: one row of num_topics floats a term
    };
    std::vector<Document> documents;
    std::vector<uint32_t> topics;
    std::vector<float> entries;
  };

  static void InferBlock(Inference infer, absl::Span<const DocumentView> documents, size_t thread,
                         BlockResult& result);
  // Adds at most kDocumentsAtOnce documents.
  void AddChunk(Inference infer, absl::Span<const DocumentView> chunk, int num_threads);
  // Adds the rows of terms that are `share` modulo `num_shares`.
  void AddRows(const BlockResult& result, size_t share, size_t num_shares);
  void Fold();

  const size_t num_topics_;
  const size_t vocabulary_size_;
  std::vector<float> table_;    // V×K, row = term: what was added since the last fold
  std::vector<double> folded_;  // likewise, what was added before; empty until there is something
  size_t unfolded_ = 0;         // documents in table_
  // Scratch of Add, kept for the next.
  std::vector<BlockResult> results_;
  std::vector<EStep::Workspace> workspaces_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_STATISTIC_SUM_H_
