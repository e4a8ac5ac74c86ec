// The M-step: from the noisy sums that the wall releases to the topics of the next request.
//
//   absl::StatusOr<std::unique_ptr<SignedAverageMStep>> m_step =
//       SignedAverageMStep::Create(params, InitialMStepState(initial_topics));
//   for each iteration:  send (*m_step)->NextLogTopics();  (*m_step)->Update(noisy_sum);
//   save (*m_step)->state(), later Create(params, saved_state): the fit goes on with the same bits.
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
// Cost: Update is one pass over K×V; PaperMStep's NextLogTopics adds K·V digammas.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_M_STEP_H_
#define TOPICWALL_MODEL_LDA_TOPICS_M_STEP_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
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
  std::vector<float> topics;  // K×V; before any update the initial λ; then see each class
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

class MStep {
 public:
  virtual ~MStep() = default;
  MStep(const MStep&) = delete;
  MStep& operator=(const MStep&) = delete;

  // Takes in the release of the next iteration.
  absl::Status Update(absl::Span<const float> noisy_sum);

  // Of Update and NextLogTopics; 1 until told otherwise, and at least 1.
  void UseThreads(int num_threads);
  TopicModel Model() const;                     // as it stands
  virtual LogTopics NextLogTopics() const = 0;  // ℓ for the next request

  const MStepState& state() const { return state_; }

 protected:
  // max(x, least) + added, with which a rule turns sums into topics and topics into λ.
  struct Rule {
    double least;
    double added;

    double operator()(double x) const { return (x < least ? least : x) + added; }
  };
  static constexpr Rule kAsItIs = {.least = -std::numeric_limits<double>::infinity(), .added = 0};

  struct Rules {
    Rule of_sums;    // topics ← (1 − ρ_t)·topics + ρ_t·of_sums(sum / ν)
    Rule of_topics;  // λ = of_topics(topics), once there was an update
  };

  MStep(const MStepShape& shape, const Rules& rules, MStepState state);
  static absl::Status CheckShapeAndState(const MStepShape& shape, const MStepState& state);

  // ρ_t of update t = 1, 2, …
  virtual double StepSize(int64_t t) const = 0;

  int num_threads() const { return num_threads_; }

 private:
  // Entries begin … end of the next topics. False if a sum or a result is not finite.
  bool UpdateEntries(absl::Span<const float> noisy_sum, size_t begin, size_t end,
                     std::vector<float>& updated) const;

  const MStepShape shape_;
  const Rules rules_;
  MStepState state_;
  int num_threads_ = 1;
};

struct PaperMStepParams {
  MStepShape shape;
  double tau0;   // τ0 >= 0
  double kappa;  // κ >= 0; (0.5, 1] for the usual convergence argument
};

// Algorithm 1 of the paper: negatives of every release are set to 0, λ̂ = η + sum/ν,
// λ ← (1 − ρ_t)λ + ρ_t λ̂ with ρ_t = (τ0 + t)^−κ, ℓ = E[log β]. State: topics = λ.
class PaperMStep : public MStep {
 public:
  static absl::StatusOr<std::unique_ptr<PaperMStep>> Create(const PaperMStepParams& params,
                                                            MStepState state);
  LogTopics NextLogTopics() const override;

 private:
  PaperMStep(const PaperMStepParams& params, MStepState state);
  double StepSize(int64_t t) const override;

  const double tau0_;
  const double kappa_;
};

struct SignedAverageMStepParams {
  MStepShape shape;
  double later_step_size;  // ρ of every update but the first, in (0, 1]; 0.3 is usual
};

// Y ← (1 − ρ)Y + ρ·sum/ν with ρ = 1 first, signed: noise of both signs averages out, which clamping
// each release would turn into a bias as large as the signal. λ = max(Y, 0) + η, clamped only here;
// ℓ = log of the mean topics. State: topics = Y once updates > 0.
class SignedAverageMStep : public MStep {
 public:
  static absl::StatusOr<std::unique_ptr<SignedAverageMStep>> Create(
      const SignedAverageMStepParams& params, MStepState state);
  LogTopics NextLogTopics() const override;

 private:
  SignedAverageMStep(const SignedAverageMStepParams& params, MStepState state);
  double StepSize(int64_t t) const override;

  const double later_step_size_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_M_STEP_H_
