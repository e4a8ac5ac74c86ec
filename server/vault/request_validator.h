// Checks what an analyst asks against public bounds, before anything is charged.
//
// Every rule depends on the request, the configuration and the public description of
// the corpus alone. Errors are INVALID_ARGUMENT with the field, the rule and the value.
// Comparisons are written so that NaN fails them.
//
// Privacy: PUBLIC in, PUBLIC out. Threads: free functions without state.
#ifndef TOPICWALL_SERVER_VAULT_REQUEST_VALIDATOR_H_
#define TOPICWALL_SERVER_VAULT_REQUEST_VALIDATOR_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "proto/wall.pb.h"
#include "server/corpus/corpus_description.h"

namespace topicwall::server {

struct PlanBounds {
  const corpus::CorpusDescription& corpus;
  const v1::Limits& limits;
  int64_t max_matrix_bytes;
};

// FAILED_PRECONDITION if the plan was made for another version of the corpus, or the corpus is one
// that nothing may be charged for (RequireWholeUnits in server/corpus/corpus_description.h).
absl::Status ValidatePlan(const v1::ReleaseSpec& plan, const PlanBounds& bounds);

// The model that a plan names, with its options, however large. INVALID_ARGUMENT if there is none
// of that name, it refuses its options, or the mechanism takes no such statistic.
absl::StatusOr<std::unique_ptr<model::StatisticModel>> ModelOf(
    const v1::ReleaseSpec& plan, const corpus::CorpusDescription& corpus);

// What one release of the plan takes of memory and time, `model` being the plan's: of all limits
// those by which the custodian chose T and the machine.
absl::Status ValidateEffort(const v1::ReleaseSpec& plan, const model::StatisticModel& model,
                            const PlanBounds& bounds);

// `plan` is the reserved plan that the header names, `limits` those of its corpus. Whether the
// plan's model has directions is asked of the model (executor::ReserveSum).
absl::Status ValidateReleaseHeader(const v1::RunReleaseHeader& header, const v1::ReleaseSpec& plan,
                                   const v1::Limits& limits);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_REQUEST_VALIDATOR_H_
