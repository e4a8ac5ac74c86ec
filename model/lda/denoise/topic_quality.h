// How far to believe a private model: which of its words and topics noise alone would have given.
//
//   absl::StatusOr<TopicQuality> quality = TopicQuality::Create(average.noisy_topics(), unigram);
//   quality->SignalToNoise(topic, term);   // y/τ
//   quality->MayBeNoise(topic, term);      // mark the word
//   quality->topic(k).is_weak;             // and the topic
//
// Of a word: y_kv/τ_v, the released sum in deviations of its noise. The V terms of a topic without
// any words would hold one at z or above about V·Φ(−z) times; a word may be noise unless that is
// below kExpectedFalseWords = 0.01 (z >= 4.83 for V = 8,000).
// Of a topic: mass M_k = Σ_v y_kv in deviations of its noise, and
//   distinctness = (Σ_v ((y_kv − M_k p_v)/τ_v)² − V) / √(2V),
// which for a topic that is but the unigram with noise is close to N(0, 1) (Pearson's χ² with V
// degrees of freedom). A topic is weak when either is below kLeastTopicSignal = 5: it is empty, or
// says nothing that the unigram does not say (that is also what a topic of noise alone looks like).
//
// Terms with τ_v = 0 are known exactly: they are never noise, and leave the sums above alone.
// Errors: INVALID_ARGUMENT as CheckNoisyTopics and CheckTermProbabilities.
// PUBLIC. Threads: immutable. Cost: one pass over K×V.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_TOPIC_QUALITY_H_
#define TOPICWALL_MODEL_LDA_DENOISE_TOPIC_QUALITY_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/denoise/noisy_topics.h"

namespace topicwall::lda {

inline constexpr double kExpectedFalseWords = 0.01;
inline constexpr double kLeastTopicSignal = 5;

class TopicQuality {
 public:
  struct Topic {
    double mass;                  // M_k, in words
    double mass_signal_to_noise;  // in deviations of its noise; infinity without noise
    double distinctness;          // see above; infinity without noise
    bool is_weak;
  };

  // Keeps views: both arguments must outlive it.
  static absl::StatusOr<TopicQuality> Create(const NoisyTopics& noisy,
                                             absl::Span<const double> term_probabilities);

  // 0 <= topic < K, term < V, for all of these.
  const Topic& topic(int topic) const { return topics_[static_cast<size_t>(topic)]; }
  int NumWeakTopics() const;
  double SignalToNoise(int topic, uint32_t term) const;
  bool MayBeNoise(int topic, uint32_t term) const;

  // z at and above which a word is believed.
  double least_word_signal() const { return least_word_signal_; }

 private:
  TopicQuality(const NoisyTopics& noisy, absl::Span<const double> term_probabilities);
  Topic Judge(int topic, absl::Span<const double> term_probabilities) const;

  NoisyTopics noisy_;
  double least_word_signal_;
  std::vector<Topic> topics_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_TOPIC_QUALITY_H_
