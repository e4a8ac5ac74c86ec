// A job's life: rank 0 hears the vault, all ranks sum, rank 0 answers.
//
//   return ServeVault(ranks, *sums, socket);
//
// Privacy: PRIVATE. Threads: the one that started MPI.
#ifndef TOPICWALL_SERVER_WORKER_JOB_H_
#define TOPICWALL_SERVER_WORKER_JOB_H_

#include "absl/status/status.h"
#include "server/worker/rank_sums.h"
#include "server/worker/ranks.h"

namespace topicwall::worker {

// Until the vault hangs up, which is OK. `socket`: rank 0's connection with it; of no meaning
// elsewhere. INTERNAL if ranks have different kernels or are of different builds.
absl::Status ServeVault(const Ranks& ranks, RankSums& sums, int socket);

}  // namespace topicwall::worker

#endif  // TOPICWALL_SERVER_WORKER_JOB_H_
