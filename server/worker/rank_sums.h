// What one rank of a job has and does: the corpora of its host's files, and the sum of its shard.
//
//   TW_ASSIGN_OR_RETURN(auto sums, RankSums::Open(config, {.shard = ranks.rank(), …}));
//   TW_RETURN_IF_ERROR(sums->Prepare(order));
//   TW_ASSIGN_OR_RETURN(RankSums::Part part, sums->Sum(begin));
//
// A shard is a range of blocks of the sealed corpus, and a unit is in one block: no unit is in two
// shards. Each rank reads its own of a file that all hosts have, shared or copied, and has the
// custodian's key file. The ledger it never sees.
//
// Privacy: PRIVATE. Threads: one.
#ifndef TOPICWALL_SERVER_WORKER_RANK_SUMS_H_
#define TOPICWALL_SERVER_WORKER_RANK_SUMS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "proto/cluster.pb.h"
#include "proto/wall_config.pb.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/decoded_blocks.h"
#include "server/executor/thread_executor.h"

namespace topicwall::worker {

class RankSums {
 public:
  struct Params {
    int shard;       // 0 … num_shards - 1, of every release
    int num_shards;  // >= 1
    int num_threads;
  };
  // Reads the key, opens every corpus of the configuration that is there, and unseals its part of
  // it: the other ranks, which have the same version or are refused, do the rest. Errors as those
  // of the parts; NOT_FOUND if no corpus is there.
  static absl::StatusOr<std::unique_ptr<RankSums>> Open(const v1::WallConfig& config,
                                                        const Params& params);

  int num_threads() const { return params_.num_threads; }

  // Binds the model and takes all memory; what was prepared before is given back.
  // FAILED_PRECONDITION if the plan's version of the corpus is not here; UNAVAILABLE for want of
  // memory.
  absl::Status Prepare(const v1::PrepareSum& order);

  struct Part {
    std::string bytes;  // mechanism::PartialSum::Serialise, of one shard
    bool unreadable;
  };
  // Of what was prepared, once. FAILED_PRECONDITION before Prepare.
  absl::StatusOr<Part> Sum(const v1::BeginSum& order);

 private:
  // In the order in which they use each other.
  struct Prepared {
    const corpus::CorpusStore* store;
    int64_t max_documents_per_unit;
    double direction_noise;
    std::unique_ptr<model::Inference> inference;
    corpus::DecodedBlocks decoded;  // none
    std::optional<executor::ThreadExecutor> executor;
  };

  explicit RankSums(const Params& params) : params_(params) {}
  absl::Status UnsealPart(const corpus::CorpusStore& store) const;
  absl::StatusOr<std::unique_ptr<Prepared>> TryToPrepare(const v1::PrepareSum& order) const;
  absl::StatusOr<const corpus::CorpusStore*> StoreOf(const v1::ReleaseSpec& plan) const;

  const Params params_;
  std::vector<std::unique_ptr<corpus::CorpusStore>> stores_;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace topicwall::worker

#endif  // TOPICWALL_SERVER_WORKER_RANK_SUMS_H_
