// What the files of a model's folder say that was paid, and that all budgets promise together,
// held against the ledger that was paid from.
//
// A quote is made before its plans are in any ledger; this is what shows afterwards that it was
// true. Of the model, and of evaluations, prevalences and lengths in its folder. Who sees all
// entries also finds plans that the ledger has not though it has their corpus, and what plans are
// said to have taken of the budget otherwise than they did: that depends on what others had spent,
// and on nothing else. PUBLIC to its
// reader. Errors: DATA_LOSS for a chain that does not verify; INVALID_ARGUMENT for files that are
// damaged.
#ifndef TOPICWALL_CLIENT_COMMANDS_AUDIT_NOTED_PRICES_H_
#define TOPICWALL_CLIENT_COMMANDS_AUDIT_NOTED_PRICES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

absl::StatusOr<std::vector<std::string>> PriceFindings(const std::string& folder,
                                                       absl::Span<const v1::LedgerEntry> chain);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_AUDIT_NOTED_PRICES_H_
