// The executor whose threads are other processes, on this or other hosts: a job of
// topicwall-worker.
//
//   TW_ASSIGN_OR_RETURN(auto executor, JobExecutor::Reserve(job, inference, order));
//   … charge …
//   TW_ASSIGN_OR_RETURN(UnitSum units, executor.Sum(order));
//
// Every rank has one shard. The bits are those of ThreadExecutor: a unit's integers depend on that
// unit alone, all ranks compute with the same kernel, and integers add in any order.
//
// A job that is lost while it sums has lost nothing: the next one is asked for the same sum, at
// most kAttempts times, and gives the same bits. What is wrong then fails the release as any
// machine's failure does, at its last instant. A sum that is not of this release, attempt, clip and
// shape, or that has not every shard once, is refused: the former by PartialSum::Parse, the latter
// by AddNoise, before any noise is drawn.
//
// Privacy: the order has the release's coins and never its noise. Threads: one.
#ifndef TOPICWALL_SERVER_CLUSTER_JOB_EXECUTOR_H_
#define TOPICWALL_SERVER_CLUSTER_JOB_EXECUTOR_H_

#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "model/statistic_model.h"
#include "proto/cluster.pb.h"
#include "server/cluster/sum_job.h"
#include "server/executor/executor.h"
#include "server/mechanism/release_memory.h"

namespace topicwall::cluster {

class JobExecutor final : public executor::Executor {
 public:
  static constexpr int kAttempts = 3;
  // How long all ranks may take to be ready for a release: its parameters are passed on to each,
  // and memory is taken. Some times as long as the largest parameters take over 1 Gbit/s; all other
  // releases wait for it.
  static constexpr absl::Duration kPreparation = absl::Minutes(2);

  // `inference`: of the order's plan and parameters, for its shape and kernel. `job` must outlive
  // it. UNAVAILABLE if no job is there, for want of memory on any rank, or if they are not ready
  // within `preparation`: then the job is hung up on, which ends it. FAILED_PRECONDITION if a rank
  // computes with another kernel, or has not the plan's version of the corpus.
  static absl::StatusOr<JobExecutor> Reserve(SumJob& job, const model::Inference& inference,
                                             v1::PrepareSum order,
                                             absl::Duration preparation = kPreparation);

  int num_shards() const override { return num_shards_; }
  absl::StatusOr<executor::UnitSum> Sum(const executor::WorkOrder& order) override;

 private:
  JobExecutor(SumJob& job, std::shared_ptr<JobConnection> connection, v1::PrepareSum order,
              mechanism::ReleaseMemory memory)
      : job_(&job),
        connection_(std::move(connection)),
        num_shards_(connection_->num_ranks()),
        order_(std::move(order)),
        memory_(std::move(memory)) {}

  absl::StatusOr<JobConnection::Sum> SumOnce(const executor::WorkOrder& order, bool is_first);

  SumJob* job_;
  std::shared_ptr<JobConnection> connection_;
  int num_shards_;
  v1::PrepareSum order_;
  std::optional<mechanism::ReleaseMemory> memory_;  // none: used up
};

}  // namespace topicwall::cluster

#endif  // TOPICWALL_SERVER_CLUSTER_JOB_EXECUTOR_H_
