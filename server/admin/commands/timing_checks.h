// check-config's second half: whether the schedule of a corpus holds what this machine, or the job
// on several hosts, takes.
//
//   const ReleaseTimer timer(config, job_start, &outcome);  // starts the job, if there is one
//   TW_RETURN_IF_ERROR(timer.Check(corpus, description, &findings));
//
// Whether memory holds what a server may take, too: how much is left where it does not depends on
// the documents. release_interval_ms has to hold the worst case of a release; where a job sums, the
// start of another job and the sum twice: what one death of a rank costs. Times are the slowest of
// several runs, and doubled: a machine is not always as idle as it is now.
//
// Privacy: PUBLIC (release_timing.h). Threads: one.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_TIMING_CHECKS_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_TIMING_CHECKS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/wall_config.pb.h"
#include "server/admin/outcome.h"
#include "server/admin/release_timing.h"
#include "server/corpus/corpus_description.h"

namespace topicwall::admin {

// What is found out about one corpus, a line of it at a time.
struct CorpusFindings {
  std::string text;
  base::JsonObject json;
  std::vector<std::string> warnings;
  absl::Status served;  // as of OpenToServe
};

// Of this process: a server in the same control group, on the same processors, would be as it is.
void WarnOfAQuota(std::vector<std::string>* warnings);

class ReleaseTimer {
 public:
  // Says in *outcome what job there is. One that cannot be measured is a warning, also one that is
  // not ready after `job_start`.
  ReleaseTimer(const v1::WallConfig& config, absl::Duration job_start, Outcome* outcome);

  // Too short a time is a warning and no error: only these machines were measured, and only for
  // some seconds. UNAVAILABLE if the disk or the job fails.
  absl::Status Check(const v1::CorpusConfig& corpus, const corpus::CorpusDescription& description,
                     CorpusFindings* findings) const;

 private:
  absl::Status CompareWithInterval(const v1::CorpusConfig& corpus, const ReleaseShape& shape,
                                   CorpusFindings* findings) const;
  absl::StatusOr<ReleaseTiming> TimeOnce(const ReleaseShape& shape) const;
  absl::StatusOr<ReleaseTiming> TimeSlowest(const ReleaseShape& shape) const;

  const v1::WallConfig& config_;
  std::unique_ptr<TimedJob> job_;  // none: threads sum, or it could not be started
};

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_TIMING_CHECKS_H_
