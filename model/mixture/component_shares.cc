#include "model/mixture/component_shares.h"

#include <cstdint>
#include <numeric>

#include "absl/types/span.h"

namespace topicwall::mixture {

void ComponentShares::Reserve(size_t num_terms) {
  e_step_.Reserve(num_terms + 1, workspace_);
  counts_.resize(num_terms + 1);
}

size_t ComponentShares::BytesReserved(size_t num_terms, size_t num_components) {
  return Responsibilities::BytesReserved(num_terms + 1, num_components) +
         (num_terms + 1) * sizeof(lda::TermCount);
}

void ComponentShares::Fill(lda::DocumentView document, std::vector<double>* shares) {
  const int terms = e_step_.num_terms() - 1;
  // Of what has no known word nothing but itself is known: π is the answer.
  if (!WithItself(document, terms, &counts_)) {
    counts_.assign(1, {.term = static_cast<uint32_t>(terms), .count = 1});
  }
  e_step_.Infer(counts_, workspace_);
  const absl::Span<const float> relative = workspace_.relative_shares();
  shares->assign(relative.begin(), relative.end());
  const double sum = std::accumulate(shares->begin(), shares->end(), 0.0);
  for (double& share : *shares) share /= sum;
}

}  // namespace topicwall::mixture
