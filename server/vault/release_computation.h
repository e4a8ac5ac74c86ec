// Everything about one release whose duration or failure depends on the documents, apart from who
// waits for it: coins, statistics of units, clip, sum and noise.
//
//   TW_ASSIGN_OR_RETURN(auto computation, ReleaseComputation::Prepare(wall, request));
//   … charge: all before it is free …
//   computation->Run(std::move(receipt), abandoned);    // on the computing thread
//   … at a public time …
//   computation->release()
//
// Prepare takes and touches all the memory that Run needs, from public numbers alone. Run lets
// nothing out: whatever goes wrong in it is a status that somebody looks at later. The release
// stays in memory until then.
//
// Privacy: PRIVATE after Run. Threads: one at a time; who reads has waited for who ran.
#ifndef TOPICWALL_SERVER_VAULT_RELEASE_COMPUTATION_H_
#define TOPICWALL_SERVER_VAULT_RELEASE_COMPUTATION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "proto/ledger.pb.h"
#include "server/executor/executor.h"
#include "server/executor/unit_memory.h"
#include "server/ledger/charge_receipt.h"
#include "server/mechanism/noise_mechanism.h"
#include "server/vault/release_request.h"
#include "server/vault/wall.h"

namespace topicwall::server {

class ReleaseComputation {
 public:
  // UNAVAILABLE for want of memory; INVALID_ARGUMENT for a shape that cannot be computed.
  static absl::StatusOr<std::shared_ptr<ReleaseComputation>> Prepare(Wall& wall,
                                                                     const ReleaseRequest& request);
  ReleaseComputation(const ReleaseComputation&) = delete;
  ReleaseComputation& operator=(const ReleaseComputation&) = delete;

  // Of any receipt it is given: what is charged for this is computed with nothing else.
  const v1::ComputedWith& computed_with() const { return computed_with_; }
  int64_t bytes() const { return bytes_; }  // of the statistics

  // Once.
  void Run(ledger::ChargeReceipt receipt, const std::atomic<bool>& abandoned);

  // After Run: the release, to be taken out, or why there is none.
  absl::StatusOr<mechanism::NoisyStatistics>& release() { return *release_; }
  // Some documents could not be read: the release must not be used.
  bool unreadable() const { return unreadable_; }

 private:
  ReleaseComputation(Wall& wall, const ReleaseRequest& request,
                     std::unique_ptr<model::Inference> inference);
  absl::Status Reserve(const ReleaseRequest& request);
  absl::StatusOr<mechanism::NoisyStatistics> Compute(ledger::ChargeReceipt receipt,
                                                     const std::atomic<bool>& abandoned);

  const ServedCorpus& corpus_;
  cluster::SumJob* const job_;  // null: this process sums
  const int num_threads_;
  const double clip_norm_;
  const double direction_noise_;
  const std::unique_ptr<const model::Inference> inference_;
  const v1::ComputedWith computed_with_;
  int64_t bytes_ = 0;
  std::unique_ptr<executor::Executor> executor_;
  bool unreadable_ = false;
  std::optional<absl::StatusOr<mechanism::NoisyStatistics>> release_;
};

// What `corpus` must have in memory for a release of `plan`. PUBLIC.
executor::UnitBounds BoundsOf(const ServedCorpus& corpus, const v1::ReleaseSpec& plan,
                              int num_threads);

// What a charge under these limits is to be computed with by this program.
v1::ComputedWith ComputedWithOf(const v1::Limits& limits, absl::string_view kernel_name);

// What the ledger keeps beside the statistics.
v1::StoredRelease HeaderOf(const mechanism::NoisyStatistics& noisy, absl::string_view kernel_name);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_RELEASE_COMPUTATION_H_
