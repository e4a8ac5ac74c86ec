#include "model/lda/denoise/first_topics.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/topics/initial_topics.h"

namespace topicwall::lda {
namespace {

// In place of the first rows of `topics`, K×V; the others have less of the anchors then.
void BeginWithAnchors(const DrawnTopicsParams& params, std::vector<double>& topics) {
  const absl::Span<const double> p = params.term_probabilities;
  for (size_t k = 0; k < params.anchors.size(); ++k) {
    for (size_t v = 0; v < p.size(); ++v) topics[k * p.size() + v] = (1 - kAnchorMass) * p[v];
  }
  std::set<uint32_t> anchored;
  for (const auto& terms : params.anchors) anchored.insert(terms.begin(), terms.end());
  for (size_t row = 0; row < topics.size(); row += p.size()) {
    for (const uint32_t term : anchored) topics[row + term] *= kAnchorElsewhere;
  }
  for (size_t k = 0; k < params.anchors.size(); ++k) {
    // After all rows gave theirs away: what a topic has of its own anchors is set, not shrunk.
    double sum = 0;
    for (const uint32_t term : params.anchors[k]) sum += p[term];
    for (const uint32_t term : params.anchors[k]) {
      topics[k * p.size() + term] = kAnchorMass * p[term] / sum;
    }
  }
}

}  // namespace

absl::Status CheckAnchors(absl::Span<const std::vector<uint32_t>> anchors, int num_topics,
                          int vocabulary_size) {
  if (anchors.size() > static_cast<size_t>(num_topics)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there must be at most ", num_topics, " anchors, one a topic; got ", anchors.size(), "."));
  }
  for (const std::vector<uint32_t>& anchor : anchors) {
    if (!anchor.empty() &&
        *std::max_element(anchor.begin(), anchor.end()) < static_cast<uint32_t>(vocabulary_size)) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("an anchor must have terms, all of them below ", vocabulary_size, "."));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<float>> DrawnTopics(const DrawnTopicsParams& params) {
  const size_t terms = params.term_probabilities.size();
  TW_RETURN_IF_ERROR(CheckAnchors(params.anchors, params.num_topics, static_cast<int>(terms)));
  TW_ASSIGN_OR_RETURN(
      std::vector<float> draws,
      RandomTopics(params.num_topics, static_cast<int>(terms), params.seed, params.gamma_shape));
  std::vector<double> topics(draws.begin(), draws.end());
  for (size_t i = 0; i < topics.size(); ++i) topics[i] *= params.term_probabilities[i % terms];
  if (!params.anchors.empty()) BeginWithAnchors(params, topics);
  for (size_t i = 0; i < topics.size(); ++i) {
    // λ must be above 0, and a product may underflow in float32.
    draws[i] = std::max(static_cast<float>(topics[i]), std::numeric_limits<float>::min());
  }
  return draws;
}

}  // namespace topicwall::lda
