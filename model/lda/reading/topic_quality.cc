#include "model/lda/reading/topic_quality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/math/normal_tail.h"
#include "model/lda/reading/quality_calibration.h"
#include "model/lda/reading/topic_matching.h"

namespace topicwall::lda {
namespace {

// Of each topic to the one of the others that is most like it; 0 for a topic alone, and for one
// that is the corpus: that noise alone made several does not make them come again.
std::vector<double> LikenessToNearest(const OwnWords& own) {
  std::vector<double> nearest(static_cast<size_t>(own.num_topics));
  const std::vector<double> likenesses = Likenesses(own, own);
  for (int a = 0; a < own.num_topics; ++a) {
    if (!HasOwnWords(own, a)) continue;
    for (int b = 0; b < a; ++b) {
      for (const int k : {a, b}) {
        double& most = nearest[static_cast<size_t>(k)];
        most = std::max(most, likenesses[static_cast<size_t>(a) * nearest.size() + b]);
      }
    }
  }
  return nearest;
}

}  // namespace

// s_k = M_k/T with T = ΣM; a mass has the variance v_j, so that that of s_k is
// ((1 − s_k)²·v_k + s_k²·Σ_(j≠k) v_j)/T².
std::vector<TopicShare> SharesOfMasses(absl::Span<const double> masses,
                                       absl::Span<const double> variances) {
  if (masses.size() == 1) return {{.share = 1, .deviation = 0}};
  const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
  const double variance = std::accumulate(variances.begin(), variances.end(), 0.0);
  if (!CanDivideBy(total, std::sqrt(variance))) return {};
  std::vector<TopicShare> shares;
  for (size_t k = 0; k < masses.size(); ++k) {
    const double share = masses[k] / total;
    // Of topics without noise rounding must not make it less than none.
    const double others = std::max(variance - variances[k], 0.0);
    const double noise = (1 - share) * (1 - share) * variances[k] + share * share * others;
    const double drift = kShareDrift * share;
    shares.push_back(
        {.share = share, .deviation = std::sqrt(noise / (total * total) + drift * drift)});
  }
  return shares;
}

absl::StatusOr<TopicQuality> TopicQuality::Create(const TopicModel& model, const NoisyTopics& noisy,
                                                  absl::Span<const double> term_probabilities) {
  TW_RETURN_IF_ERROR(CheckNoisyTopics(noisy));
  TW_RETURN_IF_ERROR(CheckTermProbabilities(term_probabilities, noisy.vocabulary_size));
  if (model.num_topics() != noisy.num_topics || model.vocabulary_size() != noisy.vocabulary_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the model must be of the noisy sums' shape, ", noisy.num_topics, " x ",
        noisy.vocabulary_size, "; got ", model.num_topics(), " x ", model.vocabulary_size()));
  }
  return TopicQuality(model, noisy, term_probabilities);
}

TopicQuality::TopicQuality(const TopicModel& model, const NoisyTopics& noisy,
                           absl::Span<const double> term_probabilities)
    : noisy_(noisy),
      term_probabilities_(term_probabilities),
      masses_(TopicMasses(noisy)),
      shares_(SharesOfMasses(masses_, MassVariances(noisy))) {
  const OwnWords own = OwnWordsOf(model, term_probabilities);
  const std::vector<double> nearest = LikenessToNearest(own);
  for (int k = 0; k < noisy.num_topics; ++k) {
    topics_.push_back(Judge(model, k, own, nearest[static_cast<size_t>(k)]));
  }
}

TopicQuality::Topic TopicQuality::Judge(const TopicModel& model, int topic, const OwnWords& own,
                                        double nearest) const {
  Topic judged = {.mass = masses_[static_cast<size_t>(topic)],
                  .share = 0,
                  .share_deviation = 0,
                  .typical_words = 0,
                  .distance = 0,
                  .nearest = nearest,
                  .carrying_words = CarryingWords(own, topic),
                  .grade = -std::numeric_limits<double>::infinity(),
                  .comes_again = 0,
                  .is_weak = true};
  const absl::Span<const float> lambda = model.topic(topic);
  for (size_t v = 0; v < term_probabilities_.size(); ++v) {
    if (Excess(topic, static_cast<uint32_t>(v)) > kTypical) ++judged.typical_words;
    // Half the L1 distance of two laws: their excess over each other is the same either way.
    judged.distance += std::max(lambda[v] / model.topic_sum(topic) - term_probabilities_[v], 0.0);
  }
  if (knows_shares()) {
    judged.share = shares_[static_cast<size_t>(topic)].share;
    judged.share_deviation = shares_[static_cast<size_t>(topic)].deviation;
  }
  // Without one of these the logarithm or the quotient is no number: the grade stays −infinity, and
  // weak.
  if (judged.typical_words > 0 && judged.share > 0 && judged.share < 1) {
    judged.grade = judged.distance / (1 - judged.share) +
                   kSizeInGrade * std::log(noisy_.num_topics * judged.share) +
                   kNearestInGrade * judged.nearest -
                   kCarryingInGrade * std::log(judged.carrying_words);
  }
  judged.comes_again = ProbabilityOfComingAgain(judged.grade);
  // Written so that NaN is weak.
  judged.is_weak = !(judged.comes_again >= kLeastAgain);
  return judged;
}

int TopicQuality::NumWeakTopics() const {
  return static_cast<int>(std::count_if(topics_.begin(), topics_.end(),
                                        [](const Topic& topic) { return topic.is_weak; }));
}

double TopicQuality::Excess(int topic, uint32_t term) const {
  const auto k = static_cast<size_t>(topic);
  const double tau = noisy_.noise_deviations[term];
  const double over =
      noisy_.values[k * term_probabilities_.size() + term] - masses_[k] * term_probabilities_[term];
  // Without noise whatever differs does so beyond doubt.
  if (tau > 0) return over / tau;
  return over == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), over);
}

double TopicQuality::ProbabilityAbove(int topic, uint32_t term) const {
  return lda::ProbabilityAbove(Excess(topic, term));
}

}  // namespace topicwall::lda
