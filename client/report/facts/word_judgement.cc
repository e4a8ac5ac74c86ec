#include "client/report/facts/word_judgement.h"

#include <cmath>

#include "base/status_macros.h"
#include "model/lda/denoise/topic_quality.h"

namespace topicwall::client {

absl::StatusOr<WordJudgement> WordJudgement::Create(const ModelNoise& noise,
                                                    const lda::TopicModel& topics) {
  WordJudgement judged;
  judged.noise_ = &noise;
  const int K = topics.num_topics();
  TW_ASSIGN_OR_RETURN(const lda::TopicQuality quality,
                      lda::TopicQuality::Create(noise.topics(K), noise.term_probabilities));
  double total = 0, variance = 0;
  for (const float d : noise.deviations) variance += static_cast<double>(d) * static_cast<double>(d);
  for (int k = 0; k < K; ++k) {
    judged.masses_.push_back(quality.topic(k).mass);
    total += topics.topic_sum(k);
  }
  for (int k = 0; k < K; ++k) {
    int typical = 0;
    for (uint32_t v = 0; v < noise.deviations.size(); ++v) typical += judged.IsTypical(k, v);
    judged.grades_.push_back(
        {.share_error = std::sqrt(variance) / total,
         .typical_words = typical,
         .recurs = typical < 8 ? .05 : typical < 25 ? .2 : typical < 90 ? .55 : .9,
         .is_weak = quality.topic(k).is_weak});
  }
  return judged;
}

double WordJudgement::Z(int topic, uint32_t term) const {
  const auto k = static_cast<size_t>(topic);
  const double y = static_cast<double>(noise_->statistics[k * noise_->deviations.size() + term]);
  return (y - masses_[k] * noise_->term_probabilities[term]) /
         static_cast<double>(noise_->deviations[term]);
}

double WordJudgement::Deviation(int topic, uint32_t term) const {
  return static_cast<double>(noise_->deviations[term]) / masses_[static_cast<size_t>(topic)];
}

double WordJudgement::ProbabilityAbove(int topic, uint32_t term) const {
  return 0.5 * std::erfc(-Z(topic, term) / std::sqrt(2.0));
}

TopicGrade WordJudgement::GradeOf(int topic) const { return grades_[static_cast<size_t>(topic)]; }

}  // namespace topicwall::client
