// Online variational Bayes (Hoffman, Blei and Bach 2010) of the library's own E-step and M-step:
// what is measured against other engines. `topicwall fit --no-privacy` fits otherwise
// (client/fit/plain_fit.h).
//
//   absl::StatusOr<OnlineTrainer> trainer = OnlineTrainer::Create(params,
//   InitialMStepState(topics)); trainer->Pass(documents, /*batch_size=*/4096); TopicModel model =
//   trainer->Model();
//
// E[log β] of λ → E-step of the batch's S documents → λ ← (1 − ρ_t)λ + ρ_t (η + D/S·Σx),
// ρ_t = (τ0 + t)^−κ, t = 1, 2, …; D documents in all.
#ifndef TOPICWALL_TESTS_BENCH_ONLINE_TRAINER_H_
#define TOPICWALL_TESTS_BENCH_ONLINE_TRAINER_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/initial_topics.h"
#include "model/lda/topics/m_step.h"
#include "model/lda/topics/statistic_sum.h"

namespace topicwall::lda::bench {

struct OnlineTrainerParams {
  int num_topics;
  int vocabulary_size;
  double topic_term_prior;  // η
  int64_t corpus_size;      // D
  double tau0;
  double kappa;
  EStepOptions e_step;  // α among them
  int num_threads;
};

class OnlineTrainer {
 public:
  static absl::StatusOr<OnlineTrainer> Create(const OnlineTrainerParams& params,
                                              MStepState initial) {
    // The sum is scaled to the corpus before the M-step sees it: to that it is a whole one, ν = 1.
    TW_ASSIGN_OR_RETURN(
        PaperMStep m_step,
        PaperMStep::Create({.shape = {.num_topics = params.num_topics,
                                      .vocabulary_size = params.vocabulary_size,
                                      .document_topic_prior = params.e_step.document_topic_prior,
                                      .topic_term_prior = params.topic_term_prior,
                                      .sampling_rate = 1},
                            .tau0 = params.tau0,
                            .kappa = params.kappa},
                           std::move(initial)));
    m_step.UseThreads(params.num_threads);
    return OnlineTrainer(params, std::move(m_step));
  }

  // A step for every `batch_size` documents, in their order; the last batch may be shorter.
  absl::Status Pass(const DocumentList& documents, int64_t batch_size) {
    std::vector<DocumentView> batch;
    for (size_t i = 0; i < documents.size(); ++i) {
      batch.push_back(documents[i]);
      if (batch.size() < static_cast<size_t>(batch_size) && i + 1 < documents.size()) continue;
      TW_RETURN_IF_ERROR(Take(batch));
      batch.clear();
    }
    return absl::OkStatus();
  }

  TopicModel Model() const { return m_step_.Model(); }
  const MStepState& state() const { return m_step_.state(); }

 private:
  OnlineTrainer(const OnlineTrainerParams& params, PaperMStep m_step)
      : params_(params),
        m_step_(std::move(m_step)),
        sum_(params.num_topics, params.vocabulary_size) {}

  absl::Status Take(const std::vector<DocumentView>& batch) {
    TW_ASSIGN_OR_RETURN(const EStep e_step, EStep::Create(m_step_.NextLogTopics(), params_.e_step,
                                                          ChosenKernel(), params_.num_threads));
    sum_.Reset();
    sum_.Add(e_step, batch, params_.num_threads);
    const double scale =
        static_cast<double>(params_.corpus_size) / static_cast<double>(batch.size());
    return m_step_.Update(sum_.Scaled(scale, params_.num_threads));
  }

  OnlineTrainerParams params_;
  PaperMStep m_step_;
  StatisticSum sum_;
};

// Random topics, and in each the words of one document: the longest of four drawn at random, each
// document once at most. They differ from the first step on.
inline absl::StatusOr<std::vector<float>> TopicsFromDocuments(const DocumentList& documents,
                                                              int num_topics, int vocabulary_size,
                                                              uint64_t seed) {
  TW_ASSIGN_OR_RETURN(std::vector<float> topics, RandomTopics(num_topics, vocabulary_size, seed));
  std::vector<size_t> order(documents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937_64 engine(seed);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
  const auto wanted = static_cast<size_t>(num_topics);
  const size_t candidates = std::clamp<size_t>(documents.size() / wanted, 1, 4);
  for (size_t k = 0; k < wanted && (k + 1) * candidates <= order.size(); ++k) {
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(k * candidates);
    const size_t longest = *std::max_element(
        first, first + static_cast<std::ptrdiff_t>(candidates),
        [&](size_t a, size_t b) { return TokenCount(documents[a]) < TokenCount(documents[b]); });
    for (const TermCount& entry : documents[longest]) {
      topics[k * static_cast<size_t>(vocabulary_size) + entry.term] +=
          static_cast<float>(entry.count);
    }
  }
  return topics;
}

}  // namespace topicwall::lda::bench

#endif  // TOPICWALL_TESTS_BENCH_ONLINE_TRAINER_H_
