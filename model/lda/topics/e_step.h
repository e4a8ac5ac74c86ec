// The E-step of one document: which topic each of its words came from, given the topics.
//
//   absl::StatusOr<EStep> e_step = EStep::Create(log_topics, {.document_topic_prior = 0.02,
//                                                            .max_iterations = 100,
//                                                            .mean_change_threshold = 1e-3});
//   EStep::Workspace workspace;  // one per thread, reused
//   e_step->Infer(document, workspace);
//   workspace.row(j);  // K floats: how often the document's j-th term was drawn from each topic
//
// What is computed (Algorithm 1 of the paper, step (1); the fixed point is that of Hoffman, Blei
// and Bach 2010 with their flat start replaced by γ = 1). For a document with distinct terms w and
// counts c, and topics ℓ (log_topics.h):
//     b_kw = exp(ℓ_kw − max_j ℓ_jw), 0 where the exponent is below −80   (a word's scale cancels)
//     e_k  = exp(ψ(γ_k))                                                 (ψ(Σγ) cancels as well)
//     γ_k  ← α_k + e_k Σ_w c_w b_kw / Σ_j e_j b_jw   from γ = 1, until mean_k |Δγ_k| < threshold or
//            max_iterations updates are done, with a jump ahead now and then (extrapolation.h)
//     x_kw = c_w e_k b_kw / Σ_j e_j b_jw           with e of the last γ; Σ_k x_kw = c_w
// x is the document's sufficient statistic: expected counts, in words, never divided by anything.
//
// A document's topics are few: topic k is left out of x where its total γ_k − α_k is at most
// d = 2^-20/K words, 10^-6 words of a document in all (topics() lists the others).
// Numbers: float32 with sums in a fixed order, by a kernel of e_step_kernel.h. If a normaliser
// leaves float32's safe range, the document is computed again from the start in double. Against
// float64 throughout, for as many iterations: x and γ of a set of documents are within 1e-5
// relative L1 (1e-6 is usual; a single document at K = 1000 and α = 1e-3 was 2e-5 off). Bits: a
// function of (document, ℓ, options, kernel_name()) and nothing else: no state of other documents,
// no libm (whose code depends on the CPU), no mode of the caller's floating point (with SSE,
// results below 1.2e-38, in double 2.3e-308, are 0). Privacy: ℓ and options are PUBLIC; the
// workspace is PRIVATE, its iterations() included. Threads: Infer may run at once with one
// workspace each. Cost: EStep holds V × (K rounded up to 16) floats. Infer: 4·n·K operations an
// iteration for n distinct terms, 4·n·A once only A topics are active; no allocation when warm.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_E_STEP_H_
#define TOPICWALL_MODEL_LDA_TOPICS_E_STEP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/math/aligned_floats.h"
#include "model/lda/topics/dirichlet_prior.h"
#include "model/lda/topics/double_precision_solver.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda {

// Public choices of the analyst, sent with every request.
struct EStepOptions {
  DocumentTopicPrior document_topic_prior;  // α
  int max_iterations;                       // at least 1
  double mean_change_threshold;             // in words; 0: always run max_iterations. 1e-3 is usual
};

absl::Status CheckEStepOptions(const EStepOptions& options, int num_topics);  // INVALID_ARGUMENT

class EStep {
 public:
  class Workspace;
  // Builds the table b of topics that CheckLogTopics has passed: the same bits on any number of
  // threads and any processor (array_math.h). INVALID_ARGUMENT as CheckEStepOptions.
  static absl::StatusOr<EStep> Create(const LogTopicsView& log_topics, const EStepOptions& options,
                                      const EStepKernel& kernel = ChosenKernel(),
                                      int num_threads = 1);
  // The same topics and limits under another α: the table is handed on.
  absl::StatusOr<EStep> WithDocumentTopicPrior(DocumentTopicPrior prior) &&;
  // Fills `workspace` with the result for `document`. A document that is empty or not canonical
  // over this vocabulary has no rows, γ = α and 0 iterations: it contributes nothing.
  void Infer(DocumentView document, Workspace& workspace) const;
  // Takes and touches all that Infer needs for documents of up to so many distinct terms; and the
  // bytes that this takes for num_topics topics, at most.
  void Reserve(size_t num_terms, Workspace& workspace) const;
  static size_t BytesReserved(size_t num_terms, size_t num_topics);

  // Names the arithmetic; recorded with every release.
  absl::string_view kernel_name() const { return kernel_->name; }
  int num_topics() const { return num_topics_; }
  int vocabulary_size() const { return vocabulary_size_; }
  // ℓ as the kernels take it: b of a term < V, K floats, and the max_j ℓ_jw that it was divided by.
  absl::Span<const float> weights(uint32_t term) const {
    return {weights_.data() + term * padded_topics_, static_cast<size_t>(num_topics_)};
  }
  float largest_log_weight(uint32_t term) const { return largest_log_weights_[term]; }
  const EStepOptions& options() const { return options_; }

 private:
  EStep(const LogTopicsView& log_topics, const EStepOptions& options, const EStepKernel& kernel,
        int num_threads);
  void FillWeights(const LogTopicsView& log_topics, int num_threads);
  void Gather(DocumentView document, Workspace& workspace) const;
  KernelTask TaskOf(size_t num_words, Workspace& workspace) const;

  // Constant after construction.
  int num_topics_;
  int vocabulary_size_;
  size_t padded_topics_;
  EStepOptions options_;
  const EStepKernel* kernel_;
  AlignedFloats priors_;                    // α: padded_topics_, filled up with the smallest
  KernelTask task_;                         // what is the same for all documents
  AlignedFloats weights_;                   // b: V × padded_topics_, row = term, padded with zeros
  AlignedFloats flat_scales_;               // 1 / Σ_k b_kw: V
  std::vector<float> largest_log_weights_;  // V
};

// The result of the last Infer, and the buffers of the next. PRIVATE on the server.
class EStep::Workspace {
 public:
  Workspace() = default;

  // γ: K floats.
  absl::Span<const float> gamma() const { return {gamma_.data(), num_topics_}; }
  // The topics that x is not 0 in, ascending.
  absl::Span<const uint32_t> topics() const { return {topics_.data(), num_listed_}; }
  // One row for each distinct term of the document, in its order; none if it contributes nothing.
  size_t num_rows() const { return num_rows_; }
  // x_kw of the document's j-th term, for each of topics(): floats >= 0.
  absl::Span<const float> row(size_t j) const {
    return {statistic_.data() + j * num_listed_, num_listed_};
  }
  int num_topics() const { return static_cast<int>(num_topics_); }
  // Updates of γ that were done.
  int iterations() const { return iterations_; }
  // Whether the document had to be done again in double.
  bool used_double() const { return used_double_; }

 private:
  friend class EStep;

  // Room for a document of so many words.
  void Reserve(size_t num_words, const KernelTask& task);

  size_t num_topics_ = 0;
  size_t num_listed_ = 0;
  size_t num_rows_ = 0;
  int iterations_ = 0;
  bool used_double_ = false;
  std::vector<const float*> rows_;
  std::vector<uint32_t> topics_;
  AlignedFloats gamma_, statistic_, counts_, flat_ratios_, ratios_, largest_ratios_, matrix_;
  AlignedFloats topic_scratch_;  // arrays over topics, one behind the other
  DoubleScratch double_scratch_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_E_STEP_H_
