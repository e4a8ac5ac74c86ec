// The vault's end of the job that sums for it: whichever is connected now.
//
//   SumJob job;
//   job.Connect(std::move(socket));                    // the supervisor's, again after every death
//   TW_ASSIGN_OR_RETURN(std::shared_ptr<JobConnection> ranks, job.Await(absl::Seconds(5)));
//   TW_RETURN_IF_ERROR(ranks->Prepare(order, absl::Minutes(2)));   // before the charge
//   TW_ASSIGN_OR_RETURN(JobConnection::Sum sum, ranks->Begin(order, most_bytes, &abandoned));
//
// A job is some ranks of topicwall-worker under mpirun or srun, one of which has connected. It ends
// as a whole with any of its ranks, and another one is started (server/supervisor): what it was
// computing is asked of that again.
//
// Errors: UNAVAILABLE if there is no job or it is lost meanwhile; the job's own.
// Privacy: PRIVATE. Threads: SumJob: any; a connection: one at a time.
#ifndef TOPICWALL_SERVER_CLUSTER_SUM_JOB_H_
#define TOPICWALL_SERVER_CLUSTER_SUM_JOB_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/file_descriptor.h"
#include "proto/cluster.pb.h"
#include "server/cluster/job_messages.h"

namespace topicwall::cluster {

class JobConnection {
 public:
  // Takes the job's hello: for 5 s, which is long for something that is sent at once.
  static absl::StatusOr<std::shared_ptr<JobConnection>> Greet(base::FileDescriptor socket);

  int num_ranks() const { return hello_.num_ranks(); }
  const std::string& kernel_name() const { return hello_.kernel_name(); }
  // FAILED_PRECONDITION if its ranks are of another build than this program.
  absl::Status RequireBuild() const;

  // Like Begin, and UNAVAILABLE after `at_most`: hung up on, too.
  absl::Status Prepare(const v1::PrepareSum& order, absl::Duration at_most,
                       const std::atomic<bool>* abandoned = nullptr);

  struct Sum {
    std::string bytes;  // mechanism::PartialSum::Serialise
    bool unreadable;
  };
  // CANCELLED once *abandoned is set: the job is then hung up on, which ends it.
  absl::StatusOr<Sum> Begin(v1::BeginSum order, int64_t most_bytes,
                            const std::atomic<bool>* abandoned);

  // For the custodian's program; touches no document.
  absl::StatusOr<v1::MeasuredUnits> Measure(const v1::MeasureUnits& order);

  // Whether the job has closed it, or it was hung up on.
  bool IsLost() const;

 private:
  JobConnection(base::FileDescriptor socket, v1::JobHello hello)
      : socket_(std::move(socket)), hello_(std::move(hello)) {}

  absl::StatusOr<v1::JobAnswer> Ask(const v1::JobOrder& order, const Patience& patience);
  void HangUp();

  const base::FileDescriptor socket_;
  const v1::JobHello hello_;
};

class SumJob {
 public:
  // Takes the place of the job before once it has said hello. Waits for nobody: whoever says none
  // within 5 s takes no place, and keeps its socket until another connects.
  void Connect(base::FileDescriptor socket) ABSL_LOCKS_EXCLUDED(mutex_);

  // The job that is connected, waiting for one until `at_most` is over or *abandoned is set.
  absl::StatusOr<std::shared_ptr<JobConnection>> Await(absl::Duration at_most,
                                                       const std::atomic<bool>* abandoned = nullptr)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The job that can be asked now; null if there is none, or a newer one is about to say hello.
  std::shared_ptr<JobConnection> Current() ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  base::FileDescriptor came_ ABSL_GUARDED_BY(mutex_){-1};           // has said nothing yet
  absl::Duration came_at_ ABSL_GUARDED_BY(mutex_);                  // by SteadyNow
  std::shared_ptr<JobConnection> current_ ABSL_GUARDED_BY(mutex_);  // none: there was none yet
};

}  // namespace topicwall::cluster

#endif  // TOPICWALL_SERVER_CLUSTER_SUM_JOB_H_
