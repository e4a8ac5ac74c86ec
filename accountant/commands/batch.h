// Prices of many schedules from a CSV file, one row each, and of all of them as one ledger.
//
// Columns by name, in any order: sigma, nu, steps, and for a batch delta and accountant; others are
// kept as they are. Every row is checked before the first is priced; an error names file, line,
// column, field, rule and value. PUBLIC.
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_BATCH_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_BATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "accountant/accountants.h"
#include "accountant/accountants/privacy_accountant.h"
#include "accountant/commands/csv_table.h"
#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

// How far a long computation is: `done` of `total` rows.
using Progress = absl::FunctionRef<void(int64_t done, int64_t total)>;

// The plan in every row. INVALID_ARGUMENT for the first cell that is none.
absl::StatusOr<std::vector<DpEvent>> PlansOf(const CsvTable& table);

// ε of every row under its own accountant at its own δ, in the order of the rows.
absl::StatusOr<std::vector<EpsilonBracket>> PriceRows(const CsvTable& table,
                                                      const AccountantOptions& options,
                                                      Progress progress);

// The table with the columns epsilon_lower and epsilon_upper added: the rows as they were written,
// then two numbers that read back as the same doubles ("inf" without a bound). INVALID_ARGUMENT
// when the table has such a column already.
absl::StatusOr<std::string> BatchCsv(const CsvTable& table,
                                     const std::vector<EpsilonBracket>& prices);
// The same as a JSON array of one object a row: numbers where a column is known to hold them,
// strings elsewhere, null without a bound.
absl::StatusOr<std::string> BatchJson(const CsvTable& table,
                                      const std::vector<EpsilonBracket>& prices);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_COMMANDS_BATCH_H_
