// The denoised trainer: topics from noisy sums, as good as the noise allows.
//
//   unigram.Add(the release of a plan with K = 1);              // private_unigram.h
//   absl::StatusOr<DenoisedTrainer> trainer = DenoisedTrainer::Create(
//       params, {.unigram = unigram.state(),
//                .clip_norm = FirstClipNorm(K, WarmUpIterations(J), 0.7)});
//   for each iteration:
//     send trainer->NextLogTopics() with trainer->clip_norm() and trainer->direction_noise();
//     trainer->Update({.noisy_sum = …, .noise_deviation = σC, .norm_histogram = …, …});
//   TopicModel model = trainer->Model();
//   save trainer->state(), later Create(params, saved): the fit goes on with the same bits.
//
// The first WarmUpIterations(J) ask with topics that are all alike. What comes back is word counts
// in K equal parts, with the precision of a plan with K = 1 and the term weights of this one: they
// refine p before there are topics, and the average begins after them. One update after them: the
// sum enters a signed running average (running_statistic.h) with ρ_t of step_size.h; the average is
// denoised by empirical Bayes with the unigram p as its base (denoised_model.h); ℓ is the log of
// the mean topics, blurred at first and ever less (annealing.h); the next C is a quantile of the
// noisy norm histogram, and a large one comes with noise along the topics (clip_choice.h). p is
// that of all releases' sums over topics (private_unigram.h); one that is mere noise is left out. ℓ
// begins with that of drawn topics (first_topics.h), or of the initial ones. The paper's M-step:
// m_step.h. Each difference was measured: deploy/study/EXPERIMENTS.md. PUBLIC. INVALID_ARGUMENT
// leaves the trainer what it was. Threads: not safe; const use from many; num_threads change no
// bits. Cost of Update: some 0.5 µs an entry.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_DENOISED_TRAINER_H_
#define TOPICWALL_MODEL_LDA_DENOISE_DENOISED_TRAINER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/denoise/first_topics.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/denoise/prior/related_terms.h"
#include "model/lda/denoise/private_unigram.h"
#include "model/lda/denoise/running_statistic.h"
#include "model/lda/topics/dirichlet_prior.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

// Chosen on development corpora, by deploy/study/EXPERIMENTS.md.
struct DenoisedRecipe {
  double warm_up_share = 0.05;  // in [0, 0.5]: the share of the iterations that warm up
  double clip_quantile = 0.25;  // in (0, 1): the share of units that are not clipped
  double direction_noise = 5;   // r of requests of long documents; 0: of none (clip_choice.h)
  double long_documents = 5;    // C from which on they are long, in words, > 0
  double step_power = 2;        // of ρ_t, >= 0
  double first_exponent = 0.2;  // of the annealing (annealing.h), in (0, 1]
  double last_exponent = 1;     // of the annealing, in [first_exponent, 1]
  double anneal_until = 0.9;    // share of the iterations in which it rises, in (0, 1]
  double warm_exponent = 0.6;   // instead of first_exponent, where initial_topics are given
  double prior_share = 0.12;    // of the prior in a topic, > 0 (PriorOfShare)
  double gamma_shape = 10;      // of the first topics, >= 1 (RandomTopics)
  int num_term_types = 3;       // of the denoiser
  int em_iterations = 12;       // of the denoiser
  bool knows_unigram = false;   // p is exactly that of the start, and no sum refines it
};

struct DenoisedTrainerParams {
  int num_topics;                           // K
  int vocabulary_size;                      // V
  int64_t num_iterations;                   // J
  DocumentTopicPrior document_topic_prior;  // α, of the plan
  double sampling_rate;                     // ν of the plan
  double first_clip_norm;                   // C of the first iteration after the warm-up, in words
  std::vector<float> term_weights;          // w of the plan: V of them, or empty = all 1
  uint64_t seed;                            // of the first topics; no secret
  int num_threads;
  DenoisedRecipe recipe = {};
  std::vector<float> initial_topics = {};  // instead of draws: K×V, > 0 (warm_start.h)
  AnchorTerms anchors = {};                // of the first topics (first_topics.h)
  RelatedTerms related_terms = {};         // of the vocabulary (prior/related_terms.h)
};

// All that changes during a fit; a checkpoint keeps exactly this.
struct DenoisedTrainerState {
  int64_t updates = 0;
  PrivateUnigramState unigram;    // of a reading at least
  RunningStatisticState average;  // of all updates after the warm-up
  double clip_norm;               // C of the next request, in words
  double direction_noise = 0;     // r of it (proto/wall.proto, RunReleaseHeader)
};

// How many of J iterations: the share, rounded; at least one of four, unless the share is 0.
int64_t WarmUpIterations(int64_t num_iterations, double share = DenoisedRecipe().warm_up_share);

class DenoisedTrainer {
 public:
  struct Release {
    absl::Span<const float> noisy_sum;       // K×V, as the wall sent it
    double noise_deviation;                  // σC of this release, in words
    absl::Span<const float> norm_histogram;  // 48 noisy counts; empty: C stays
    double histogram_noise_deviation;        // σ_h, in units
    double direction_noise = 0;              // r of this release
  };

  static absl::StatusOr<DenoisedTrainer> Create(DenoisedTrainerParams params,
                                                DenoisedTrainerState state);

  LogTopics NextLogTopics() const;  // ℓ of the next request
  double clip_norm() const { return clip_norm_; }
  double direction_noise() const { return direction_noise_; }

  // Takes in the release of the next iteration. A histogram that is all noise leaves C and r as
  // they were, and so does one of the warm-up, which says nothing of topics.
  absl::Status Update(const Release& release);

  // As it stands; before the first update, what the fit starts from.
  const TopicModel& Model() const { return outcome_.model; }
  // What the model was denoised from; there must have been an update after the warm-up.
  NoisyTopics noisy_topics() const { return average_.noisy_topics(); }
  absl::Span<const double> term_probabilities() const { return outcome_.term_probabilities; }  // p
  DenoisedTrainerState state() const;

 private:
  // What follows from unigram and average.
  struct Outcome {
    std::vector<double> term_probabilities;
    TopicModel model;
  };

  static absl::StatusOr<Outcome> OutcomeOf(const DenoisedTrainerParams& params,
                                           const PrivateUnigram& unigram,
                                           const RunningStatistic& average);
  DenoisedTrainer(DenoisedTrainerParams params, int64_t updates, PrivateUnigram unigram,
                  RunningStatistic average, double clip_norm, double direction_noise,
                  Outcome outcome);
  absl::StatusOr<PrivateUnigram> NextUnigram(const Release&, const NoiseOfSums& along) const;
  absl::StatusOr<RunningStatistic> NextAverage(const Release&, absl::Span<const double> b) const;
  absl::StatusOr<std::optional<double>> ChosenClipNorm(const Release& release) const;
  absl::StatusOr<Outcome> NextOutcome(const PrivateUnigram& unigram,
                                      const RunningStatistic& average) const;

  DenoisedTrainerParams params_;
  int64_t updates_;
  PrivateUnigram unigram_;
  RunningStatistic average_;
  double clip_norm_;
  double direction_noise_;
  Outcome outcome_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_DENOISED_TRAINER_H_
