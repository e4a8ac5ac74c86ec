// The M-step of Algorithm 1 of the paper: from the noisy sums that the wall releases to the topics
// of the next request.
//
//   absl::StatusOr<PaperMStep> m_step =
//       PaperMStep::Create(params, InitialMStepState(initial_topics));
//   for each iteration:  send m_step->NextLogTopics();  m_step->Update(noisy_sum);
//   save m_step->state(), later Create(params, saved_state): the fit goes on with the same bits.
//
// All of it is post-processing of released numbers and costs no privacy. noisy_sum: K×V, row-major,
// row = topic, in words: the sum over the drawn units plus noise, as the wall sends it, signed. It
// is divided by ν here (Horvitz–Thompson): an unbiased sum over the whole corpus. The paper writes
// D·s̄ with s̄ divided by the batch size S; with S = νD that is the same number, and needs no D.
//
// Errors: INVALID_ARGUMENT names what is wrong (size, a non-finite entry by topic and term, a
// result beyond float32); the state is then what it was. Threads: not safe; const use from many;
// the loops themselves run on up to UseThreads threads, which change no bits. Bits: those of state,
// model and ℓ are the same on every processor (array_math.h).
// Cost: Update is one pass over K×V; NextLogTopics K·V digammas.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_M_STEP_H_
#define TOPICWALL_MODEL_LDA_TOPICS_M_STEP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

// All that changes during a fit; a checkpoint keeps exactly this.
struct MStepState {
  int64_t updates = 0;        // sums taken in so far
  std::vector<float> topics;  // λ: K×V, above 0
};

// The state before the first update, from λ > 0 (initial_topics.h).
inline MStepState InitialMStepState(std::vector<float> topics) {
  return {.updates = 0, .topics = std::move(topics)};
}

struct MStepShape {
  int num_topics;                           // K
  int vocabulary_size;                      // V
  DocumentTopicPrior document_topic_prior;  // α, only passed on to the model
  double topic_term_prior;                  // η > 0
  double sampling_rate;                     // ν of the plan, in (0, 1]
};

struct PaperMStepParams {
  MStepShape shape;
  double tau0;   // τ0 >= 0
  double kappa;  // κ >= 0; (0.5, 1] for the usual convergence argument
};

// Negatives of every release are set to 0, λ̂ = η + sum/ν, λ ← (1 − ρ_t)λ + ρ_t λ̂ with
// ρ_t = (τ0 + t)^−κ, ℓ = E[log β].
class PaperMStep {
 public:
  static absl::StatusOr<PaperMStep> Create(const PaperMStepParams& params, MStepState state);

  // Takes in the release of the next iteration.
  absl::Status Update(absl::Span<const float> noisy_sum);

  // Of Update and NextLogTopics; 1 until told otherwise, and at least 1.
  void UseThreads(int num_threads);
  TopicModel Model() const;         // as it stands
  LogTopics NextLogTopics() const;  // ℓ for the next request

  const MStepState& state() const { return state_; }

 private:
  PaperMStep(const PaperMStepParams& params, MStepState state);
  double NextStepSize() const;  // ρ_t
  // Entries begin … end of the next topics. False if a sum or a result is not finite.
  bool UpdateEntries(absl::Span<const float> noisy_sum, size_t begin, size_t end,
                     std::vector<float>& updated) const;

  PaperMStepParams params_;
  MStepState state_;
  int num_threads_ = 1;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_M_STEP_H_
