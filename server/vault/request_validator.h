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

#include "absl/status/status.h"
#include "proto/topicwall.pb.h"
#include "server/corpus/corpus_description.h"

namespace topicwall::server {

// Symmetric Dirichlet prior α of a document's topics that a plan may name.
inline constexpr double kMinDocumentTopicPrior = 1e-6;
inline constexpr double kMaxDocumentTopicPrior = 1e3;

struct PlanBounds {
  const corpus::CorpusDescription& corpus;
  const v1::Limits& limits;
  int64_t max_matrix_bytes;
};

// FAILED_PRECONDITION if the plan was made for another version of the corpus, or the corpus is one
// that nothing may be charged for (RequireWholeUnits in server/corpus/corpus_description.h).
absl::Status ValidatePlan(const v1::PlanSpec& plan, const PlanBounds& bounds);

// `plan` is the reserved plan that the header names.
absl::Status ValidateEStepHeader(const v1::EStepHeader& header, const v1::PlanSpec& plan,
                                 const v1::Limits& limits);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_REQUEST_VALIDATOR_H_
