// One document on its way to its responsibilities (responsibilities.h). Plain data alone, because
// files that are compiled for a newer processor include it (model/lda/kernel/e_step_kernel.h says
// why).
#ifndef TOPICWALL_MODEL_MIXTURE_RESPONSIBILITY_TASK_H_
#define TOPICWALL_MODEL_MIXTURE_RESPONSIBILITY_TASK_H_

#include <cstddef>
#include <cstdint>

namespace topicwall::mixture {

// Below this component's share of a document nothing is listed: 2^-12/K.
inline constexpr float kSmallestShare = 0x1p-12f;

struct ResponsibilityTask {
  const float* const* rows;  // of each term of the document: P log weights, <= 0
  const float* counts;       // of each term: of its words, or any number
  size_t num_terms;          // at least 1
  size_t num_components;     // K
  size_t padded_components;  // P: K rounded up to 16; the weights beyond K are of no effect
  float* scores;             // scratch: P, aligned to 64 bytes
  uint32_t* components;      // out: K at most, ascending
  float* shares;             // out: r of each of these
  size_t num_listed;         // out
};

using FillResponsibilities = void (*)(ResponsibilityTask& task);

}  // namespace topicwall::mixture

#endif  // TOPICWALL_MODEL_MIXTURE_RESPONSIBILITY_TASK_H_
