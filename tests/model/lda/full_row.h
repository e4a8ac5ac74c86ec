// A row of x with an entry for every topic, as tests like to compare it.
#ifndef TOPICWALL_TESTS_MODEL_LDA_FULL_ROW_H_
#define TOPICWALL_TESTS_MODEL_LDA_FULL_ROW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace topicwall::lda::testing {

// `listed`: an EStep::Workspace or what reads like one. K floats, 0 for topics that are not listed.
template <typename Listed>
std::vector<float> FullRow(const Listed& listed, size_t row) {
  std::vector<float> full(static_cast<size_t>(listed.num_topics()), 0.0f);
  const absl::Span<const uint32_t> topics = listed.topics();
  for (size_t a = 0; a < topics.size(); ++a) full[topics[a]] = listed.row(row)[a];
  return full;
}

}  // namespace topicwall::lda::testing

#endif  // TOPICWALL_TESTS_MODEL_LDA_FULL_ROW_H_
