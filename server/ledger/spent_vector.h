// Cost vectors at rest: what a policy counts in (accountant/filters/admission_policy.h), as bytes
// of a table. PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_SERVER_LEDGER_SPENT_VECTOR_H_
#define TOPICWALL_SERVER_LEDGER_SPENT_VECTOR_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/filters/budget_filter.h"

namespace topicwall::ledger {

// Per entry eight little-endian bytes.
std::string BytesOfCost(const accountant::CostVector& cost);

// DATA_LOSS unless there are exactly `entries` of them.
absl::StatusOr<accountant::CostVector> CostOfBytes(absl::string_view bytes, std::size_t entries);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_SPENT_VECTOR_H_
