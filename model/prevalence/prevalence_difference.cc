#include "model/prevalence/prevalence_difference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/math/normal_tail.h"
#include "model/prevalence/noisy_share.h"

namespace topicwall::prevalence {
namespace {

absl::Status CheckPair(const GroupPair& pair, int64_t num_groups) {
  const auto is_group = [num_groups](int64_t g) { return g >= 0 && g < num_groups; };
  if (is_group(pair.from) && is_group(pair.to) && pair.from != pair.to) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a difference must be of two groups from 0 to ",
                                                 num_groups - 1, "; got ", pair.from, " and ",
                                                 pair.to, "."));
}

PrevalenceDifference Unknown(const GroupPair& pair, int topic) {
  return {.pair = pair,
          .topic = topic,
          .difference = 0,
          .standard_error = std::numeric_limits<double>::quiet_NaN(),
          .z = 0,
          .p_value = 1,
          .adjusted_p_value = 1};
}

double ErrorUnder(const NoisyShare& share, double r) {
  return std::sqrt(share.VarianceAt(r)) / share.count.documents;
}

PrevalenceDifference Difference(const GroupPair& pair, int topic, const NoisyShare& from,
                                const NoisyShare& to) {
  PrevalenceDifference found = Unknown(pair, topic);
  found.difference = to.Share() - from.Share();
  found.standard_error = std::hypot(to.StandardError(), from.StandardError());
  // Under the hypothesis that both groups have one share, the error is of that one.
  const double pooled =
      std::clamp((to.sum + from.sum) / (to.count.documents + from.count.documents), 0.0, 1.0);
  const double error = std::hypot(ErrorUnder(to, pooled), ErrorUnder(from, pooled));
  // The only topic has no error: its share is 1 in every group.
  found.z = error > 0 ? found.difference / error : 0;
  found.p_value = lda::TwoSidedTail(found.z);
  return found;
}

bool IsNone(const PrevalenceSums& sums, int64_t group) {
  return ConsistentCount(sums, group).MayBeNone(lda::UsualPoint());
}

}  // namespace

Direction PrevalenceDifference::direction() const {
  // So that NaN is unclear.
  if (!(adjusted_p_value <= lda::kMissed)) return Direction::kUnclear;
  return difference > 0 ? Direction::kRises : Direction::kFalls;
}

std::vector<double> HolmAdjusted(absl::Span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double before = 0;
  for (size_t j = 0; j < order.size(); ++j) {
    // m − j + 1 of Holm's, whose j counts from 1.
    const double tests_left = static_cast<double>(order.size() - j);
    // Never below a smaller p's: no test may stand where a clearer one does not.
    before = std::max(before, std::min(1.0, tests_left * p_values[order[j]]));
    adjusted[order[j]] = before;
  }
  return adjusted;
}

absl::StatusOr<std::vector<PrevalenceDifference>> PrevalenceDifferences(
    const PrevalenceSums& sums, absl::Span<const GroupPair> pairs) {
  std::vector<PrevalenceDifference> found;
  for (const GroupPair& pair : pairs) {
    TW_RETURN_IF_ERROR(CheckPair(pair, sums.num_groups()));
    // Kept in the family with p = 1: to leave it out would make the others' level depend on the
    // noise.
    const bool unknown = IsNone(sums, pair.from) || IsNone(sums, pair.to);
    const std::vector<NoisyShare> from = ConsistentShares(sums, pair.from);
    const std::vector<NoisyShare> to = ConsistentShares(sums, pair.to);
    for (int k = 0; k < sums.num_topics; ++k) {
      const auto topic = static_cast<size_t>(k);
      found.push_back(unknown ? Unknown(pair, k) : Difference(pair, k, from[topic], to[topic]));
    }
  }
  // Of all pairs and topics at once: whoever looks at the smallest has looked at all.
  std::vector<double> p_values;
  for (const PrevalenceDifference& one : found) p_values.push_back(one.p_value);
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (size_t i = 0; i < found.size(); ++i) found[i].adjusted_p_value = adjusted[i];
  return found;
}

}  // namespace topicwall::prevalence
