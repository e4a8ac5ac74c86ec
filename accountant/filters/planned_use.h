// What a custodian expects analysts to ask for, and the weights of a filter that serve it best.
//
//   full-batch  every unit takes part in every release. 0.9 of δ for the Gaussian witness, 0.09 for
//               the Rényi order at which 20 releases of ν = 0.05 (the paper's schedule) need the
//               least noise, 0.01 for all other orders together;
//   sampled     releases take units by coins. No Gaussian witness, 0.9 for that order, 0.1 for all
//               others together.
// Either admits every kind of release; what it was not planned for costs more: at (2.44, 1e-6) the
// paper's schedule needs 7 % more noise under full-batch, and full batches 29 % more under sampled.
// PUBLIC. Pure functions.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_PLANNED_USE_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_PLANNED_USE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/events/privacy_params.h"
#include "accountant/filters/filter_spec.h"

namespace topicwall::accountant {

enum class PlannedUse { kFullBatch, kSampled };

// "full-batch", "sampled"; and back, nullopt for anything else.
absl::string_view NameOf(PlannedUse use);
std::optional<PlannedUse> PlannedUseOfName(absl::string_view name);

// What recorded weights were chosen for: full-batch iff there is a Gaussian witness.
PlannedUse PlannedUseOf(const FilterSpec& spec);
PlannedUse Other(PlannedUse use);

// The spec of a new budget, orders 1.25 … 1024. INVALID_ARGUMENT as ValidateFilterBudget. Cost:
// some 10 ms.
absl::StatusOr<FilterSpec> SpecFor(PlannedUse use, const PrivacyParams& budget);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_PLANNED_USE_H_
