// One document as a kernel takes it and leaves it: plain pointers into the caller's buffers.
//
// Nothing but plain data is in here, because files that are compiled for a newer processor
// include it (e_step_kernel.h says why). Every array is aligned to kCacheLineBytes.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_KERNEL_TASK_H_
#define TOPICWALL_MODEL_LDA_KERNEL_KERNEL_TASK_H_

#include <cstddef>
#include <cstdint>

namespace topicwall::lda {

// Rows of b are padded with zeros to a multiple of this, and so are arrays over topics.
inline constexpr size_t kTopicPadding = 16;
// Arrays over words are padded to a multiple of this: counts with 0, rows with the first row.
inline constexpr size_t kWordPadding = 16;

struct KernelTask {
  // The document: num_words >= 1 distinct terms.
  size_t num_words;
  const float* const* rows;  // of b, one per term
  const float* counts;       // c_w
  const float* flat_ratios;  // c_w / Σ_k b_kw, padded with 0

  // Options, and what follows from them.
  size_t num_topics;        // K
  size_t padded_topics;     // K rounded up to kTopicPadding
  const float* prior;       // α_k: padded_topics, filled up with the smallest
  float smallest_prior;     // min_k α_k
  int max_iterations;       // >= 1
  float most_change;        // the threshold times K: Σ_k |Δγ_k| below it ends the loop
  size_t most_active;       // at most so many topics are compacted; 0: never
  float list_limit;         // d, in words: a topic with no more is not listed
  float drop_limit;         // g: a topic with γ_k <= g may be dropped
  float weight_of_dropped;  // exp(ψ(g))

  // Scratch.
  float* weight;          // e: padded_topics
  float* sum;             // padded_topics
  float* block_sum;       // padded_topics
  float* compensation;    // padded_topics
  float* ratios;          // c_w / Σ_j e_j b_jw: padded words
  float* largest_ratios;  // the largest of each since topics were first dropped: padded words
  float* gamma_before;    // two earlier γ of the topics at work: padded_topics
  float* gamma_between;   // likewise
  float* active_prior;    // α of the active topics: padded_topics
  float* active_gamma;    // likewise γ
  float* active_weight;   // likewise
  float* matrix;          // b of the active topics: padded words × (most_active + 4)
  float* packed;          // b where no topic may be dropped (dense_rows.h), until the statistic is
                          // written, which may be in the same place: padded words × padded_topics

  // Results.
  float* gamma;       // K, and the smallest α up to padded_topics
  uint32_t* topics;   // those listed, ascending: room for padded_topics
  size_t num_listed;  // how many of them
  float* statistic;   // num_words × num_listed: x, row = term; room for num_words × K + 3
  int iterations;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_KERNEL_TASK_H_
