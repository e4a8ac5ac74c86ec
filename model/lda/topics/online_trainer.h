// Online variational Bayes without a wall: topics fitted to documents that the caller owns.
//
//   absl::StatusOr<OnlineTrainer> trainer =
//       OnlineTrainer::Create(params, InitialMStepState(topics));
//   for each minibatch:  trainer->Take(batch);     // batch: a span of DocumentView
//   or a whole pass:     trainer->Pass(documents, /*batch_size=*/4096);
//   TopicModel model = trainer->Model();
//
// Algorithm 1 of the paper without its clipping and noise, which is Hoffman, Blei and Bach's online
// LDA: E[log β] of λ → E-step of the batch's S documents → s̄ = Σ x / S →
//   λ ← (1 − ρ_t)λ + ρ_t (η + D·s̄),   ρ_t = (τ0 + t)^−κ,   t = 1, 2, …
// D is the size of the corpus that the batches are drawn from and S that of the batch at hand, the
// last and shorter one of a pass included. Batches are taken in the caller's order: documents
// should be in no particular one.
//
// Bits: a function of the batches, the parameters and the kernel's name; num_threads changes none.
// state() saved and given to Create goes on with the same bits.
//
// Errors: INVALID_ARGUMENT names the parameter or what is wrong with a batch; the topics are then
// what they were. Privacy: what comes out is as private as the documents: nothing is released here.
// Threads: one caller; the work uses up to num_threads. Cost: the E-step, and for each batch a few
// passes over K·V entries (E[log β], its exponential, the update): take thousands of documents.
// Memory: 24·K·V bytes, and what StatisticSum keeps.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_ONLINE_TRAINER_H_
#define TOPICWALL_MODEL_LDA_TOPICS_ONLINE_TRAINER_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/m_step.h"
#include "model/lda/topics/statistic_sum.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

struct OnlineTrainerParams {
  int num_topics;           // K >= 1
  int vocabulary_size;      // V >= 1
  double topic_term_prior;  // η in [kMinPrior, kMaxPrior]
  int64_t corpus_size;      // D >= 1, in documents
  double tau0;              // τ0 >= 0; large: early batches count for less
  double kappa;             // κ >= 0; (0.5, 1] for the usual convergence argument
  EStepOptions e_step;      // α among them
  int num_threads;          // at least 1
};

class OnlineTrainer {
 public:
  static absl::StatusOr<OnlineTrainer> Create(const OnlineTrainerParams& params,
                                              MStepState initial);

  // One step t. A batch needs at least one document; one that is empty or not canonical over the
  // vocabulary counts in S and adds nothing.
  absl::Status Take(absl::Span<const DocumentView> batch);

  // One step for every `batch_size` (at least 1) documents, in their order.
  absl::Status Pass(const DocumentList& documents, int64_t batch_size);

  // The model as it stands.
  TopicModel Model() const { return m_step_->Model(); }
  const MStepState& state() const { return m_step_->state(); }

 private:
  OnlineTrainer(const OnlineTrainerParams& params, std::unique_ptr<PaperMStep> m_step);

  OnlineTrainerParams params_;
  std::unique_ptr<PaperMStep> m_step_;
  StatisticSum sum_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_ONLINE_TRAINER_H_
