// How far to believe a private model: its words, its topics and their shares.
//
//   absl::StatusOr<TopicQuality> quality =
//       TopicQuality::Create(model, average.noisy_topics(), unigram);
//   quality->Excess(topic, term);             // z: is the word typical of the topic?
//   quality->ProbabilityAbove(topic, term);   // that it is
//   quality->topic(k).comes_again;            // that another fit would have this topic
//
// Of a word: z_kv = (y_kv − M_k p_v)/τ_v, by how many deviations of the noise the released sum is
// above what the corpus' own share of the word p_v would give in a topic of mass M_k = Σ_v y_kv. A
// word with z <= 0 is one that the topic avoids. What z means is for quality_calibration.h.
// Of a topic: n, the number of its words with z above kTypical, which of V = 8,000 words of noise
// alone one does in a hundred topics (where noise along topics was asked for, more: z knows τ
// alone); and its grade,
//   d_k/(1 − s_k) + 0.035·ln(K·s_k) + 0.175·a_k − 0.033·ln w_k,   d_k = Σ_v max(β_kv − p_v, 0)
// of its mean β, its share s, its likeness a to the topic of the same model that is most like it
// and the number w of words that carry it (topic_matching.h): the distance from the corpus (total
// variation; 0 for the corpus itself, which a topic of noise alone is denoised to) as a part of
// what it can be for a topic of that share; its size; whether the model has more than one topic of
// the kind; and that what a few words carry is found again sooner than what is spread over many. It
// tells which topics come again better than n does, and much alike at every ε
// (deploy/study/EXPERIMENTS.md).
// Of its share s_k = M_k/ΣM: the noise of the masses, Στ² and m_k² together, propagated (those of
// different topics are independent), and the drift of quality_calibration.h beside it. Of masses
// that add up to no more than noise, ΣM <= 3 of its deviations, no share is known, and no grade;
// that of an only topic is 1, whatever the noise.
//
// Terms with τ_v = 0 are known exactly: z is ±infinity, or 0 where y is what the corpus says.
// Errors: INVALID_ARGUMENT as CheckNoisyTopics and CheckTermProbabilities, or if the model is of
// another shape. PUBLIC. Threads: immutable. Cost: K²·V/2 multiplications.
#ifndef TOPICWALL_MODEL_LDA_READING_TOPIC_QUALITY_H_
#define TOPICWALL_MODEL_LDA_READING_TOPIC_QUALITY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/reading/topic_matching.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

inline constexpr double kTypical = 4.83;

struct TopicShare {
  double share;      // of all masses
  double deviation;  // of noise and drift together
};
// Of topics by their masses, in words, and the variances of the noise in these, each finite and
// >= 0: K each. Empty where no share is known.
std::vector<TopicShare> SharesOfMasses(absl::Span<const double> masses,
                                       absl::Span<const double> variances);

class TopicQuality {
 public:
  struct Topic {
    double mass;             // M_k, in words
    double share;            // of all masses; 0 if it is not known
    double share_deviation;  // of noise and drift together
    int typical_words;       // n
    double distance;         // d
    double nearest;          // a; 0 for a topic alone
    double carrying_words;   // w, >= 1
    double grade;            // -infinity without a typical word or a share, or with all of it
    double comes_again;      // 0 … 1
    bool is_weak;            // comes_again < kLeastAgain
  };

  // Keeps views of noisy and term_probabilities, which must outlive it; the model is not kept.
  static absl::StatusOr<TopicQuality> Create(const TopicModel& model, const NoisyTopics& noisy,
                                             absl::Span<const double> term_probabilities);

  // 0 <= topic < K, term < V, for all of these.
  const Topic& topic(int topic) const { return topics_[static_cast<size_t>(topic)]; }
  int NumWeakTopics() const;
  // Of all topics or of none.
  bool knows_shares() const { return !shares_.empty(); }
  const std::vector<TopicShare>& shares() const { return shares_; }
  double Excess(int topic, uint32_t term) const;
  double ProbabilityAbove(int topic, uint32_t term) const;  // where Excess is at least 0

 private:
  TopicQuality(const TopicModel& model, const NoisyTopics& noisy,
               absl::Span<const double> term_probabilities);
  // `nearest`: likeness to the most alike of the other topics.
  Topic Judge(const TopicModel& model, int topic, const OwnWords& own, double nearest) const;

  NoisyTopics noisy_;
  absl::Span<const double> term_probabilities_;
  std::vector<double> masses_;      // M
  std::vector<TopicShare> shares_;  // of all topics or of none
  std::vector<Topic> topics_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_READING_TOPIC_QUALITY_H_
