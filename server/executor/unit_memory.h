// Everything that summing the units of a release works in, had and touched before the release is
// charged: for every thread what the largest unit needs that the public limits allow.
//
//   TW_ASSIGN_OR_RETURN(UnitMemory memory, UnitMemory::Reserve(
//       inference, {.unit = {.max_words = 500, .max_documents = 5, …}, …}));
//   … charge … a thread executor sums in it (thread_executor.h)
//
// Nothing of it grows with a unit, so no document can make a paid release fail for want of memory,
// or show in how much the server takes. How large the worst unit's statistic is, the model says.
//
// Errors: UNAVAILABLE if the memory cannot be had; nothing is charged yet.
// Privacy: the sizes are PUBLIC; what it holds is PRIVATE while a sum uses it, and afterwards.
// Threads: a part is one thread's.
// Cost: one pass over the memory: 12 bytes an entry of the worst statistic and thread, 8 more if
// columns have weights, and what the model works in.
#ifndef TOPICWALL_SERVER_EXECUTOR_UNIT_MEMORY_H_
#define TOPICWALL_SERVER_EXECUTOR_UNIT_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/unit.h"
#include "model/sparse_statistic.h"
#include "model/statistic_model.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/read_memory.h"
#include "server/executor/unit_cut.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/unit_clipper.h"
#include "server/random/unit_id.h"

namespace topicwall::executor {

// What decides about the sizes, beside the model. PUBLIC.
struct UnitBounds {
  model::UnitLimits unit;                 // M is 1 where a unit is a document
  bool has_weights;                       // columns have weights
  int num_threads;                        // >= 1
  std::vector<int> attribute_sizes = {};  // this and the next the corpus's: CorpusShape
  int vector_dimension = 0;
};

// What a plan that cuts documents to `max_words` has of a corpus, and of its limits. A document
// that is its own unit is one document, whatever the limit for owners says.
struct UnitCaps {
  int64_t max_words;
  int64_t max_documents_per_owner;
  bool has_weights;
};
UnitBounds BoundsOf(const corpus::CorpusDescription& corpus, const UnitCaps& caps, int num_threads);

// One thread's.
struct UnitBuffers {
  std::vector<random::UnitId> ids;
  std::vector<mechanism::SampledUnit> sampled;
  // A unit that is read and cut to its caps.
  std::vector<int> chosen;
  UnitCut::Workspace cut;
  std::vector<lda::TermCount> cut_words;  // of documents that were cut, one behind the other
  std::vector<model::UnitDocument> documents;
  // What is made of it.
  std::unique_ptr<model::UnitInference> inference;
  model::SparseStatistic statistic;
  mechanism::ClippedUnit clipped;
};

class UnitMemory {
 public:
  // `inference` must outlive it.
  static absl::StatusOr<UnitMemory> Reserve(const model::Inference& inference,
                                            const UnitBounds& bounds);
  // What Reserve takes, in bytes, at most, for a model of which `worst` is the worst unit.
  static int64_t BytesReserved(const model::WorstUnit& worst, const UnitBounds& bounds);

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

// All that a release takes at once, in bytes, at most: the model with its parameters, the sum and
// the noisy sum, and UnitMemory. What `check-config` shows beside the longest time.
int64_t WorstReleaseBytes(const model::StatisticModel& model, const UnitBounds& bounds);

}  // namespace topicwall::executor

#endif  // TOPICWALL_SERVER_EXECUTOR_UNIT_MEMORY_H_
