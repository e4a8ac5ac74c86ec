// The table has a row for each term, with the components side by side, so that a document is the
// sum of a few rows. From each row its largest weight is taken: of what a long document adds up,
// only differences between components matter, and small ones would be lost beside a large sum.
#include "model/mixture/responsibilities.h"

#include <algorithm>

#include "base/threads/for_each_block.h"

namespace topicwall::mixture {

// Each in a file of its own, which alone is compiled for its processor.
void FillPortable(ResponsibilityTask& task);
#ifdef TOPICWALL_X86_KERNELS
void FillAvx2(ResponsibilityTask& task);
void FillAvx512(ResponsibilityTask& task);
#endif

namespace {

// Floats of the widest register: a row is a whole number of them, and its loops have no rest.
constexpr size_t kPadding = 16;
// Each row is one thread's alone, so threads change no bits.
constexpr size_t kTermsOfBlock = 256;

size_t Padded(size_t num_components) {
  return (num_components + kPadding - 1) / kPadding * kPadding;
}

FillResponsibilities FillOf(const lda::EStepKernel& kernel) {
  switch (kernel.instructions) {
#ifdef TOPICWALL_X86_KERNELS
    case lda::Instructions::kAvx2:
      return FillAvx2;
    case lda::Instructions::kAvx512:
      return FillAvx512;
#endif
    default:
      return FillPortable;
  }
}

void FillRow(const lda::LogTopicsView& weights, size_t term, float* row) {
  const auto terms = static_cast<size_t>(weights.vocabulary_size);
  const auto components = static_cast<size_t>(weights.num_topics);
  // Deeper values are taken for it, so that no difference of two weights is infinite.
  float largest = lda::kLogTopicFloor;
  for (size_t k = 0; k < components; ++k) {
    row[k] = std::max(weights.values[k * terms + term], lda::kLogTopicFloor);
    largest = std::max(largest, row[k]);
  }
  for (size_t k = 0; k < components; ++k) row[k] -= largest;
}

template <typename Vector>
void Grow(Vector& vector, size_t size) {
  if (vector.size() < size) vector.resize(size);
}

}  // namespace

bool WithItself(lda::DocumentView document, int64_t vocabulary_size,
                std::vector<lda::TermCount>* counts) {
  counts->clear();
  if (document.empty() || !lda::IsCanonical(document, vocabulary_size)) return false;
  counts->assign(document.begin(), document.end());
  counts->push_back({.term = static_cast<uint32_t>(vocabulary_size), .count = 1});
  return true;
}

Responsibilities::Responsibilities(const lda::LogTopicsView& weights,
                                   const lda::EStepKernel& kernel, int num_threads)
    : num_components_(weights.num_topics),
      num_terms_(weights.vocabulary_size),
      padded_components_(Padded(static_cast<size_t>(num_components_))),
      kernel_(&kernel),
      fill_(FillOf(kernel)),
      // Padding stays 0; the loop makes its scores the worst behind the sums
      // (responsibility_loop.h).
      table_(static_cast<size_t>(num_terms_) * padded_components_, 0.0F) {
  const auto terms = static_cast<size_t>(num_terms_);
  lda::ForEachPart(terms, kTermsOfBlock, num_threads, [&](size_t begin, size_t end, size_t) {
    for (size_t term = begin; term < end; ++term) {
      FillRow(weights, term, table_.data() + term * padded_components_);
    }
  });
}

void Responsibilities::Infer(lda::DocumentView counts, Workspace& workspace) const {
  Reserve(counts.size(), workspace);
  for (size_t j = 0; j < counts.size(); ++j) {
    // Within the table: canonical over V, and its last the term V itself (WithItself).
    workspace.rows_[j] = table_.data() + counts[j].term * padded_components_;
    workspace.amounts_[j] = static_cast<float>(counts[j].count);
  }
  Fill(counts.size(), workspace);
}

void Responsibilities::InferFeatures(absl::Span<const float> features, Workspace& workspace) const {
  Reserve(features.size(), workspace);
  for (size_t j = 0; j < features.size(); ++j) {
    workspace.rows_[j] = table_.data() + j * padded_components_;
    workspace.amounts_[j] = features[j];
  }
  Fill(features.size(), workspace);
}

void Responsibilities::Fill(size_t num_terms, Workspace& workspace) const {
  ResponsibilityTask task = {.rows = workspace.rows_.data(),
                             .counts = workspace.amounts_.data(),
                             .num_terms = num_terms,
                             .num_components = static_cast<size_t>(num_components_),
                             .padded_components = padded_components_,
                             .scores = workspace.scores_.data(),
                             .components = workspace.components_.data(),
                             .shares = workspace.shares_.data(),
                             .num_listed = 0};
  fill_(task);
  workspace.num_columns_ = num_terms;
  workspace.num_listed_ = task.num_listed;
  workspace.num_components_ = task.num_components;
}

void Responsibilities::Workspace::FillProducts(float* product) const {
  for (size_t v = 0; v < num_columns_; ++v, product += num_listed_) {
    const float amount = amounts_[v];
    for (size_t a = 0; a < num_listed_; ++a) product[a] = amount * shares_[a];
  }
}

// Nothing shrinks: after the largest unit no further one takes memory, and none tells by that.
void Responsibilities::Reserve(size_t num_terms, Workspace& workspace) const {
  Grow(workspace.rows_, num_terms);
  Grow(workspace.amounts_, num_terms);
  Grow(workspace.scores_, padded_components_);
  Grow(workspace.components_, padded_components_);
  Grow(workspace.shares_, padded_components_);
}

size_t Responsibilities::BytesReserved(size_t num_terms, size_t num_components) {
  return num_terms * (sizeof(const float*) + sizeof(float)) +
         Padded(num_components) * (2 * sizeof(float) + sizeof(uint32_t));
}

size_t Responsibilities::BytesOfTable(size_t num_components, size_t num_terms) {
  return num_terms * Padded(num_components) * sizeof(float);
}

}  // namespace topicwall::mixture
