// A fitted topic model and the forms in which its topics are used.
//
//   absl::StatusOr<TopicModel> model = TopicModel::Create({.num_topics = 50, …});
//   LogTopics log_topics = LogMeanTopics(*model);          // for an E-step
//
// λ: K×V, row-major, row = topic; row k holds the parameters of the Dirichlet posterior of topic k.
//
// Privacy: PUBLIC on both sides: functions of what has already been released.
// Threads: immutable after construction; the functions are pure.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_TOPIC_MODEL_H_
#define TOPICWALL_MODEL_LDA_TOPICS_TOPIC_MODEL_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/topics/dirichlet_prior.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda {

struct TopicModelParams {
  int num_topics;                           // K >= 1
  int vocabulary_size;                      // V >= 1
  DocumentTopicPrior document_topic_prior;  // α
  double topic_term_prior;                  // η in [kMinPrior, kMaxPrior]
  std::vector<float> topic_parameters;      // λ, all finite and > 0
};

class TopicModel {
 public:
  // INVALID_ARGUMENT names the first parameter out of range.
  static absl::StatusOr<TopicModel> Create(TopicModelParams params);

  int num_topics() const { return params_.num_topics; }
  int vocabulary_size() const { return params_.vocabulary_size; }
  const DocumentTopicPrior& document_topic_prior() const { return params_.document_topic_prior; }
  double topic_term_prior() const { return params_.topic_term_prior; }
  absl::Span<const float> topic_parameters() const { return params_.topic_parameters; }
  // λ_k: V floats; 0 <= topic < num_topics().
  absl::Span<const float> topic(int topic) const;
  // Σ_v λ_kv in double, in the fixed order of array_math.h.
  double topic_sum(int topic) const { return topic_sums_[static_cast<size_t>(topic)]; }

  // The same topics under another α.
  absl::StatusOr<TopicModel> WithDocumentTopicPrior(DocumentTopicPrior prior) &&;
  // λ itself, of a model that is used no more.
  std::vector<float> TakeTopicParameters() && { return std::move(params_.topic_parameters); }

 private:
  explicit TopicModel(TopicModelParams params);

  // Constant after construction.
  TopicModelParams params_;
  std::vector<double> topic_sums_;
};

// β_kv = λ_kv / Σ_v λ_kv, the posterior mean: K×V, row-major, row = topic; rows sum to 1.
std::vector<double> MeanTopics(const TopicModel& model);

// The two forms of ℓ, both within [kLogTopicFloor, 0], on up to num_threads threads. The bits
// depend on λ alone: not on the number of threads, nor on the processor or libm (array_math.h).
//
// log of the mean topics. Each entry is within 6.2e-8·|ℓ| + 1e-10 of the exact value.
LogTopics LogMeanTopics(TopicModel model, int num_threads = 1);

// E[log β_kv] = ψ(λ_kv) − ψ(Σ_v λ_kv), what the paper's E-step takes (Algorithm 1, output of the
// M-step). Each entry is within 6.2e-8·|ℓ| + 3e-9·max(1, |ψ(Σ_v λ_kv)|) of the exact value. Cost:
// K·V digammas of 3 to 5 ns (AVX2).
LogTopics ExpectedLogBeta(TopicModel model, int num_threads = 1);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_TOPIC_MODEL_H_
