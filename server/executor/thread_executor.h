// Sums on the threads of this process.
//
//   TW_ASSIGN_OR_RETURN(ThreadExecutor executor,
//                       ThreadExecutor::Reserve(inference, {.corpus = store, …}));  // uncharged
//   … charge, coins …
//   TW_ASSIGN_OR_RETURN(UnitSum units, executor.Sum(order));
//
// Shard after shard, threads take its blocks one by one from a feed that reads ahead
// (server/corpus/block_feed.h); every unit is read, cut to its public caps, run through the model
// (model/statistic_model.h), clipped and added as integers, all into one sum: nothing is merged.
//
// Threads: one at a time.
// Cost: one pass over the blocks, whatever the sampling rate: units that were not drawn cost
// their reading and one coin, some 5 % of a short document's E-step. Threads wait for each other at
// the end of a shard. Memory: one decoded block and one workspace a thread and the blocks read
// ahead, however large the corpus, and the sum: all of it had by Reserve.
#ifndef TOPICWALL_SERVER_EXECUTOR_THREAD_EXECUTOR_H_
#define TOPICWALL_SERVER_EXECUTOR_THREAD_EXECUTOR_H_

#include <atomic>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/decoded_blocks.h"
#include "server/executor/executor.h"
#include "server/executor/unit_cut.h"
#include "server/executor/unit_memory.h"
#include "server/mechanism/release_memory.h"

namespace topicwall::executor {

class ThreadExecutor final : public Executor {
 public:
  struct Params {
    const corpus::CorpusStore& corpus;
    const corpus::DecodedBlocks& decoded;  // of the corpus; may be none
    UnitBounds bounds;                     // with the number of threads
    bool has_directions = false;           // the request asks for noise along them
  };

  // Takes and touches all the memory of a sum, from public numbers alone. All that is given must
  // outlive it. UNAVAILABLE for want of memory; INVALID_ARGUMENT for a shape that cannot be summed,
  // or directions that the model has not.
  static absl::StatusOr<ThreadExecutor> Reserve(const model::Inference& inference,
                                                const Params& params);

  // One process sums the whole corpus: there is nothing to part it for.
  int num_shards() const override { return 1; }
  absl::StatusOr<UnitSum> Sum(const WorkOrder& order) override;

 private:
  ThreadExecutor(const Params& params, mechanism::ReleaseMemory sum_memory, UnitMemory unit_memory)
      : params_(params), sum_memory_(std::move(sum_memory)), unit_memory_(std::move(unit_memory)) {}

  absl::Status AddShard(const WorkOrder& order, const UnitCut& cut, int shard,
                        mechanism::PartialSum* sum, std::atomic<bool>* unreadable);

  Params params_;
  std::optional<mechanism::ReleaseMemory> sum_memory_;  // none: used up
  UnitMemory unit_memory_;
};

}  // namespace topicwall::executor

#endif  // TOPICWALL_SERVER_EXECUTOR_THREAD_EXECUTOR_H_
