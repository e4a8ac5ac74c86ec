// How long a release of a corpus can take at most, measured without a look at the corpus: the
// schedule's interval has to be longer.
//
//   TW_ASSIGN_OR_RETURN(const ReleaseTiming timing, TimeWorstRelease(shape));   // on this machine
//   TW_ASSIGN_OR_RETURN(auto job, TimedJob::Start(config, at_most));            // on all hosts
//   TW_ASSIGN_OR_RETURN(const double seconds, job->TimeWorstRelease(shape));
//
// The units (server/timing/unit_timing.h) and the noise, each timed on a sample. Not in it: reading
// blocks, which pass beside the arithmetic, storing the release (some 10 ms a megabyte of it), and
// other load.
//
// PUBLIC: every input is configuration, and the vocabulary's size; only how long a job takes to
// start depends on the corpora, which it unseals, and is told rounded up to a power of two.
#ifndef TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_
#define TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/wall_config.pb.h"
#include "server/cluster/sum_job.h"
#include "server/supervisor/child_process.h"
#include "server/timing/unit_timing.h"

namespace topicwall::admin {

using timing::ReleaseShape;
using ReleaseTiming = timing::UnitTiming;  // its seconds those of the whole release

// On the threads of this process. Errors as of TimeWorstUnits.
absl::StatusOr<ReleaseTiming> TimeWorstRelease(const ReleaseShape& shape);

// The job of the configuration (executor), started as the server would start it, and ended with the
// object. It takes orders as a vault's job does, and is given none that touches a document.
class TimedJob {
 public:
  // UNAVAILABLE if a server runs with this configuration, beside whose job no other is started, and
  // if the job ends before it says hello, or has said none after `at_most`; FAILED_PRECONDITION if
  // its ranks are of another build than this program. Forks: there must be no other thread.
  static absl::StatusOr<std::unique_ptr<TimedJob>> Start(const v1::WallConfig& config,
                                                         absl::Duration at_most);
  ~TimedJob();
  TimedJob(const TimedJob&) = delete;
  TimedJob& operator=(const TimedJob&) = delete;

  int num_ranks() const { return connection_->num_ranks(); }
  const std::string& kernel_name() const { return connection_->kernel_name(); }
  // From its command to its hello, rounded up to 1, 2, 4, …
  double start_seconds() const { return start_seconds_; }

  // Of the rank that takes longest, each with its own threads, and what they exchange; the noise on
  // threads of this process, as the vault draws it.
  absl::StatusOr<ReleaseTiming> TimeWorstRelease(const ReleaseShape& shape);

 private:
  explicit TimedJob(supervisor::ChildProcess process) : process_(std::move(process)) {}

  supervisor::ChildProcess process_;
  std::shared_ptr<cluster::JobConnection> connection_;
  double start_seconds_ = 0;
};

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_RELEASE_TIMING_H_
