// Cost vectors at rest, and how what is spent grows when it must, whether it fits or not.
//
// accountant::BudgetFilter decides what is admitted; a ledger also has to add what was
// spent already, for instance when it replays its events or takes over charges after a
// restore: SpentAfter never refuses and never wraps. PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_SERVER_LEDGER_SPENT_VECTOR_H_
#define TOPICWALL_SERVER_LEDGER_SPENT_VECTOR_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/budget_filter.h"

namespace topicwall::ledger {

// Per order eight little-endian bytes.
std::string BytesOfCost(const accountant::CostVector& cost);

// DATA_LOSS unless there are exactly `orders` entries.
absl::StatusOr<accountant::CostVector> CostOfBytes(absl::string_view bytes, std::size_t orders);

// spent(a) + count·cost(a) per order; an order whose sum would pass 2^62 is kDeadOrder for
// ever, as in the filter. Both vectors have the same length; count >= 0.
accountant::CostVector SpentAfter(const accountant::CostVector& spent,
                                  const accountant::CostVector& cost, int64_t count);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_SPENT_VECTOR_H_
