// The E-step of a mixture of multinomials: which component a document is of.
//
//   Responsibilities responsibilities(weights, lda::ChosenKernel(), num_threads);
//   Responsibilities::Workspace workspace;   // one per thread, reused
//   responsibilities.Infer(document, workspace);
//   workspace.components(), workspace.shares();   // r of each, summing to 1
//
// p(document) = Σ_k π_k Π_v φ_kv^{c_v}: every document is all of one component. With the weights
// ℓ_kv = log φ_kv of the V terms and ℓ_kV = log π_k, a document is counts of V + 1 terms of which
// the last is there once (WithItself), and
//
//   r_k ∝ exp(Σ_v c_v ℓ_kv).
//
// Logarithms need not be of probabilities: what all components have in common cancels. Weights
// below −10^9 count as that. Components of at most 2^-12/K are left out, all together less than
// 2^-12 of a document: below any noise, and half of what would be clipped and added. Source: the
// E-step of EM for a mixture (Dempster, Laird, Rubin 1977); Park et al.'s §2 for a mixture.
//
// Numbers: float32, sums in a fixed order. What is listed is within 1e-5 of float64's for documents
// of up to 1,000 words. Bits: a function of (document, ℓ, kernel_name()) and nothing else, for each
// of the kernels of model/lda/kernel/e_step_kernel.h. Privacy: ℓ is PUBLIC, the workspace PRIVATE.
// Threads: Infer is const; one workspace each. Cost: a table of (V + 1) × (K rounded up to 16)
// floats; of a document of n terms n·K multiplications and K exponentials.
#ifndef TOPICWALL_MODEL_MIXTURE_RESPONSIBILITIES_H_
#define TOPICWALL_MODEL_MIXTURE_RESPONSIBILITIES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/math/aligned_floats.h"
#include "model/lda/topics/log_topics.h"
#include "model/mixture/responsibility_task.h"

namespace topicwall::mixture {

// `document` as counts of V + 1 terms. Not of a document that is empty or not canonical over V
// terms: false, and *counts has none.
bool WithItself(lda::DocumentView document, int64_t vocabulary_size,
                std::vector<lda::TermCount>* counts);

class Responsibilities {
 public:
  class Workspace;

  // `weights`: ℓ, K rows of V + 1, finite. The same bits on any number of threads.
  Responsibilities(const lda::LogTopicsView& weights, const lda::EStepKernel& kernel,
                   int num_threads);

  // `counts`: of V + 1 terms (WithItself); at least one.
  void Infer(lda::DocumentView counts, Workspace& workspace) const;
  // The same of numbers that need be no counts: one finite one for each of the P columns.
  void InferFeatures(absl::Span<const float> features, Workspace& workspace) const;
  // Takes and touches all that documents of up to so many terms need, the last among them.
  void Reserve(size_t num_terms, Workspace& workspace) const;
  static size_t BytesReserved(size_t num_terms, size_t num_components);
  // Of the table.
  static size_t BytesOfTable(size_t num_components, size_t num_terms);

  absl::string_view kernel_name() const { return kernel_->name; }
  int num_components() const { return num_components_; }
  int num_terms() const { return num_terms_; }  // V + 1

 private:
  // Of the first entries of the workspace's rows and amounts.
  void Fill(size_t num_terms, Workspace& workspace) const;

  // Constant after construction.
  int num_components_;
  int num_terms_;
  size_t padded_components_;
  const lda::EStepKernel* kernel_;
  FillResponsibilities fill_;
  lda::AlignedFloats table_;  // row = term, less the term's largest weight
};

// The result of the last Infer, and the buffers of the next. PRIVATE on the server.
class Responsibilities::Workspace {
 public:
  absl::Span<const uint32_t> components() const { return {components_.data(), num_listed_}; }
  absl::Span<const float> shares() const { return {shares_.data(), num_listed_}; }
  // r of all K over the largest of them: of those that are left out above, too.
  absl::Span<const float> relative_shares() const { return {scores_.data(), num_components_}; }
  // a_v r_k: of each column that was inferred from (a: its count, or feature) a row of as many as
  // components().
  void FillProducts(float* product) const;

 private:
  friend class Responsibilities;

  size_t num_listed_ = 0;
  size_t num_columns_ = 0;
  size_t num_components_ = 0;
  std::vector<const float*> rows_;
  std::vector<float> amounts_;
  lda::AlignedFloats scores_;
  std::vector<uint32_t> components_;
  std::vector<float> shares_;
};

}  // namespace topicwall::mixture

#endif  // TOPICWALL_MODEL_MIXTURE_RESPONSIBILITIES_H_
