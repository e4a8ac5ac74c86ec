// Everything that summing the units of a release works in, had and touched before the release is
// charged: for every thread what the largest unit needs that the public limits allow.
//
//   TW_ASSIGN_OR_RETURN(UnitMemory memory, UnitMemory::Reserve(
//       {.e_step = e_step, .max_words = 500, .max_documents_per_unit = 5, ...}));
//   … charge … SumUnits(…, {.memory = memory, …})
//
// Nothing of it grows with a unit, so no document can make a paid release fail for want of memory,
// or show in how much the server takes. The worst unit has min(V, M·N) distinct terms, M documents
// of at most N words, and every topic.
//
// Errors: UNAVAILABLE if the memory cannot be had; nothing is charged yet.
// Privacy: the sizes are PUBLIC; what it holds is PRIVATE while a sum uses it, and afterwards.
// Threads: a part is one thread's.
// Cost: one pass over the memory; for a unit of many documents 28 bytes an entry and thread, 8 more
// if terms have weights.
#ifndef TOPICWALL_SERVER_VAULT_UNIT_MEMORY_H_
#define TOPICWALL_SERVER_VAULT_UNIT_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/sufficient_statistics.h"
#include "model/sparse_statistic.h"
#include "server/corpus/read_memory.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/token_halves.h"
#include "server/mechanism/unit_clipper.h"
#include "server/mechanism/unit_cut.h"
#include "server/random/unit_id.h"
#include "server/vault/completion_score.h"

namespace topicwall::server {

// What decides about the sizes. PUBLIC.
struct UnitBounds {
  int64_t vocabulary_size;         // V
  int num_topics;                  // K of the topics
  int64_t max_words;               // N
  int64_t max_documents_per_unit;  // M; 1 where a unit is a document
  bool has_weights;                // terms have weights
  bool is_evaluation;              // the statistic is two numbers
  int num_threads;                 // >= 1
};

// One thread's.
struct UnitBuffers {
  explicit UnitBuffers(const lda::EStep* e_step) : score(e_step) {}

  std::vector<random::UnitId> ids;
  std::vector<mechanism::SampledUnit> sampled;
  std::vector<int> chosen;  // documents
  mechanism::UnitCut::Workspace cut;
  mechanism::ClippedUnit clipped;
  lda::EStep::Workspace workspace;
  lda::UnitStatistic rows;
  model::SparseStatistic statistic;
  // Of an evaluation.
  mechanism::TokenHalves::Workspace halves;
  CompletionScore score;
};

class UnitMemory {
 public:
  // `e_step` must outlive it.
  static absl::StatusOr<UnitMemory> Reserve(const lda::EStep& e_step, const UnitBounds& bounds);
  // What Reserve takes, in bytes, at most.
  static int64_t BytesReserved(const UnitBounds& bounds);

  UnitMemory(UnitMemory&&) = default;
  UnitMemory& operator=(UnitMemory&&) = default;

  // 0 <= thread < num_threads.
  UnitBuffers& buffers(size_t thread) { return buffers_[thread]; }
  corpus::ReadMemory& reading() { return reading_; }

 private:
  explicit UnitMemory(corpus::ReadMemory reading) : reading_(std::move(reading)) {}

  std::vector<UnitBuffers> buffers_;
  corpus::ReadMemory reading_;
};

// All that a release of these bounds takes at once, in bytes, at most: the topics and their table,
// the sum and the noisy sum, and UnitMemory. What `check-config` shows beside the longest time.
int64_t WorstReleaseBytes(const UnitBounds& bounds);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_UNIT_MEMORY_H_
