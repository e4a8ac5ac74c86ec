#include "model/prevalence/prevalence_estimate.h"

#include <cstddef>
#include <limits>

#include "model/lda/math/normal_tail.h"
#include "model/prevalence/simplex.h"

namespace topicwall::prevalence {
namespace {

std::vector<TopicPrevalence> OfNone(int num_topics) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const TopicPrevalence unknown{.share = kNan,
                                .unprojected = kNan,
                                .standard_error = kNan,
                                .interval = {.low = 0, .high = 1},
                                .simultaneous = {.low = 0, .high = 1}};
  return std::vector<TopicPrevalence>(static_cast<size_t>(num_topics), unknown);
}

std::vector<TopicPrevalence> OfTopics(const std::vector<NoisyShare>& shares, double all_together) {
  std::vector<TopicPrevalence> topics;
  std::vector<double> unprojected;
  for (const NoisyShare& share : shares) {
    unprojected.push_back(share.Share());
    topics.push_back({.share = 0,
                      .unprojected = share.Share(),
                      .standard_error = share.StandardError(),
                      .interval = share.Within(lda::UsualPoint()),
                      // Of the share as it was found, as all errors are; the projection comes last
                      // and moves only `share`.
                      .simultaneous = share.Within(all_together)});
  }
  const std::vector<double> nearest = NearestShares(unprojected);
  for (size_t k = 0; k < topics.size(); ++k) topics[k].share = nearest[k];
  return topics;
}

}  // namespace

std::vector<GroupPrevalence> EstimatePrevalence(const PrevalenceSums& sums) {
  const double num_intervals =
      static_cast<double>(sums.num_topics) * static_cast<double>(sums.num_groups());
  const double all_together = lda::TwoSidedPoint(lda::SidakTail(lda::kMissed, num_intervals));
  std::vector<GroupPrevalence> groups;
  groups.reserve(sums.cells.size());
  for (int64_t g = 0; g < sums.num_groups(); ++g) {
    const NoisyCount count = ConsistentCount(sums, g);
    const bool none = count.MayBeNone(lda::UsualPoint());
    groups.push_back({.documents = count.documents,
                      .documents_error = count.StandardError(),
                      .documents_interval = count.Within(lda::UsualPoint()),
                      .none = none,
                      .topics = none ? OfNone(sums.num_topics)
                                     : OfTopics(ConsistentShares(sums, g), all_together)});
  }
  return groups;
}

}  // namespace topicwall::prevalence
