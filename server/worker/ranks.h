// The processes of one job, and what they do together.
//
//   Ranks::Start(&argc, &argv);
//   const Ranks ranks;                        // all of them
//   ranks.Broadcast(&bytes);                  // rank 0's, to all
//   TW_RETURN_IF_ERROR(ranks.Agree(status));  // OK if it is everybody's
//   ranks.AddUp(numbers);                     // the sum is rank 0's
//   Ranks::End();
//
// Every rank calls the same in the same order. One that dies ends the job: MPI's own rule, and all
// there is to failure here. So does a vault that hangs up, also while rank 0 waits for a host that
// answers no more. Who waits for long sleeps and does not spin: between releases nothing is
// computed, on hosts that may have other work.
//
// Privacy: what crosses is PRIVATE; the network is the custodian's own. Threads: the one that
// started. Cost: up to a millisecond beside the network's.
#ifndef TOPICWALL_SERVER_WORKER_RANKS_H_
#define TOPICWALL_SERVER_WORKER_RANKS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::worker {

class Ranks {
 public:
  static void Start(int* argc, char*** argv);
  static void End();

  Ranks();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }

  // Rank 0's, of this process: whenever it waits for others it ends the job once `vault`'s other
  // end is closed.
  static void EndWithout(int vault);

  // Replaces *bytes by rank 0's.
  void Broadcast(std::string* bytes) const;
  // The error of the lowest rank that has one.
  absl::Status Agree(const absl::Status& own) const;
  bool Any(bool own) const;
  double Largest(double own) const;
  bool AllEqual(absl::string_view own) const;
  // At rank 0, the sums over all ranks modulo 2^64; elsewhere what `numbers` are afterwards is
  // unspecified.
  void AddUp(absl::Span<uint64_t> numbers) const;

 private:
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace topicwall::worker

#endif  // TOPICWALL_SERVER_WORKER_RANKS_H_
