// How long the units of the largest release take on a job: every rank times its part of them, on
// made-up documents, all at once, and then they exchange what a release of that size exchanges.
//
//   TW_ASSIGN_OR_RETURN(*answer.mutable_measured(), MeasureOnAll(ranks, order, num_threads));
//
// PUBLIC. Threads: the one that started MPI; starts its own. Cost: as TimeWorstUnits
// (server/timing/unit_timing.h), and one exchange.
#ifndef TOPICWALL_SERVER_WORKER_MEASURED_UNITS_H_
#define TOPICWALL_SERVER_WORKER_MEASURED_UNITS_H_

#include "absl/status/statusor.h"
#include "proto/cluster.pb.h"
#include "server/worker/ranks.h"

namespace topicwall::worker {

// The same status on all ranks; what was measured is rank 0's to tell. INVALID_ARGUMENT for a shape
// that no release can have; UNAVAILABLE for want of memory.
absl::StatusOr<v1::MeasuredUnits> MeasureOnAll(const Ranks& ranks, const v1::MeasureUnits& order,
                                               int num_threads);

}  // namespace topicwall::worker

#endif  // TOPICWALL_SERVER_WORKER_MEASURED_UNITS_H_
