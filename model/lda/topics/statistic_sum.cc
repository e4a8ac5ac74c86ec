// Two loops over threads a chunk, with a join between: first documents are inferred, block by
// block, then rows are added, each thread those of its own terms. A table for each thread, merged
// in the end, would need K·V entries for each and add in an order that depends on how many there
// are.
#include "model/lda/topics/statistic_sum.h"

#include <algorithm>

#include "base/threads/for_each_block.h"

namespace topicwall::lda {
namespace {

// A thread infers so many documents at a time.
constexpr size_t kDocumentsPerStep = 64;
// Terms whose rows are turned into columns together: their part of a topic is a few cache lines.
constexpr size_t kTermsPerSum = 64;

}  // namespace

StatisticSum::StatisticSum(int num_topics, int vocabulary_size)
    : num_topics_(static_cast<size_t>(num_topics)),
      vocabulary_size_(static_cast<size_t>(vocabulary_size)),
      table_(num_topics_ * vocabulary_size_, 0.0f),
      results_(kDocumentsAtOnce / kDocumentsPerStep) {}

void StatisticSum::Reset() {
  std::fill(table_.begin(), table_.end(), 0.0f);
  std::fill(folded_.begin(), folded_.end(), 0.0);
  unfolded_ = 0;
}

void StatisticSum::InferBlock(Inference infer, absl::Span<const DocumentView> documents,
                              size_t thread, BlockResult& result) {
  result.documents.clear();
  result.topics.clear();
  result.entries.clear();
  for (const DocumentView document : documents) {
    const auto [topics, rows] = infer(document, thread);
    if (topics.empty()) continue;
    result.documents.push_back({.terms = document,
                                .first_topic = result.topics.size(),
                                .num_topics = topics.size(),
                                .first_entry = result.entries.size()});
    result.topics.insert(result.topics.end(), topics.begin(), topics.end());
    result.entries.insert(result.entries.end(), rows, rows + document.size() * topics.size());
  }
}

void StatisticSum::AddRows(const BlockResult& result, size_t share, size_t num_shares) {
  for (const BlockResult::Document& document : result.documents) {
    const uint32_t* topics = result.topics.data() + document.first_topic;
    const float* row = result.entries.data() + document.first_entry;
    for (const TermCount& entry : document.terms) {
      // By remainder, not by ranges: frequent terms often stand close together in a vocabulary.
      if (num_shares == 1 || entry.term % num_shares == share) {
        float* sum = table_.data() + entry.term * num_topics_;
        for (size_t a = 0; a < document.num_topics; ++a) sum[topics[a]] += row[a];
      }
      row += document.num_topics;
    }
  }
}

void StatisticSum::Fold() {
  folded_.resize(table_.size(), 0.0);
  for (size_t i = 0; i < table_.size(); ++i) folded_[i] += double{table_[i]};
  std::fill(table_.begin(), table_.end(), 0.0f);
  unfolded_ = 0;
}

void StatisticSum::Add(const EStep& e_step, absl::Span<const DocumentView> documents,
                       int num_threads) {
  workspaces_.resize(std::max(workspaces_.size(), static_cast<size_t>(std::max(num_threads, 1))));
  const auto infer = [&](DocumentView document, size_t thread) -> DocumentRows {
    EStep::Workspace& workspace = workspaces_[thread];
    e_step.Infer(document, workspace);
    if (workspace.num_rows() == 0) return {};
    return {workspace.topics(), workspace.row(0).data()};  // all rows lie behind each other
  };
  Add(infer, documents, num_threads);
}

void StatisticSum::Add(Inference infer, absl::Span<const DocumentView> documents, int num_threads) {
  while (!documents.empty()) {
    // Cut where the next fold falls, counted since Reset: so it does not matter how a caller cuts
    // its documents into calls.
    const size_t until_fold = kDocumentsPerFold - unfolded_;
    const absl::Span<const DocumentView> chunk =
        documents.subspan(0, std::min(kDocumentsAtOnce, until_fold));
    documents.remove_prefix(chunk.size());
    AddChunk(infer, chunk, num_threads);
    unfolded_ += chunk.size();
    if (unfolded_ == kDocumentsPerFold) Fold();
  }
}

void StatisticSum::AddChunk(Inference infer, absl::Span<const DocumentView> chunk,
                            int num_threads) {
  const auto threads = static_cast<size_t>(std::max(num_threads, 1));
  const size_t num_blocks = (chunk.size() + kDocumentsPerStep - 1) / kDocumentsPerStep;
  ForEachBlock(num_blocks, num_threads, [&](size_t block, size_t thread) {
    InferBlock(infer, chunk.subspan(block * kDocumentsPerStep, kDocumentsPerStep), thread,
               results_[block]);
  });
  ForEachBlock(threads, num_threads, [&](size_t share, size_t) {
    for (size_t block = 0; block < num_blocks; ++block) AddRows(results_[block], share, threads);
  });
}

std::vector<float> StatisticSum::Scaled(double factor, int num_threads) const {
  std::vector<float> sums(table_.size());
  ForEachPart(vocabulary_size_, kTermsPerSum, num_threads, [&](size_t begin, size_t end, size_t) {
    for (size_t k = 0; k < num_topics_; ++k) {
      for (size_t v = begin; v < end; ++v) {
        const size_t entry = v * num_topics_ + k;
        const double before = folded_.empty() ? 0.0 : folded_[entry];
        sums[k * vocabulary_size_ + v] =
            static_cast<float>(factor * (before + double{table_[entry]}));
      }
    }
  });
  return sums;
}

}  // namespace topicwall::lda
