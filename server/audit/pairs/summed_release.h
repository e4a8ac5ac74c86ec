// One corpus summed and released in this process: what lies between charge and reply, without a
// wall around it. SumUnits and AddNoise are the server's.
//
//   TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference, InferenceOf(asked));
//   TW_ASSIGN_OR_RETURN(const SummedRelease release,
//                       SumAndRelease(asked, *inference, *store, std::move(receipt), {}));
//
// Threads: pure but for the threads of the sum. Memory: some 40 bytes an entry of the release.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_SUMMED_RELEASE_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_SUMMED_RELEASE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "server/audit/pairs/lattice_reading.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/corpus/corpus_store.h"
#include "server/ledger/charge_receipt.h"

namespace topicwall::audit {

struct SummedRelease {
  LatticeReading sum;
  std::vector<float> statistics;  // D
  std::vector<float> histogram;

  friend bool operator==(const SummedRelease&, const SummedRelease&) = default;
};

// What must not matter.
struct SummedHow {
  int num_threads = 1;
  int64_t decoded_bytes = 0;  // of the corpus kept decoded
};

// INVALID_ARGUMENT for a pair outside the wall's limits.
absl::StatusOr<std::unique_ptr<model::Inference>> InferenceOf(const NeighbouringPair& asked);

// Of all that `asked` says but its documents: those are the store's. INVALID_ARGUMENT as above;
// INTERNAL if the store cannot be read.
absl::StatusOr<SummedRelease> SumAndRelease(const NeighbouringPair& asked,
                                            const model::Inference& inference,
                                            const corpus::CorpusStore& store,
                                            ledger::ChargeReceipt receipt, const SummedHow& how);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_SUMMED_RELEASE_H_
