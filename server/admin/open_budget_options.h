// The options of `topicwall-admin open-budget`, and what they mean together.
//
// As typed: FlagsOf reads vouchers and their file. PUBLIC.
#ifndef TOPICWALL_SERVER_ADMIN_OPEN_BUDGET_OPTIONS_H_
#define TOPICWALL_SERVER_ADMIN_OPEN_BUDGET_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/events/privacy_params.h"
#include "base/command_line.h"
#include "server/admin/commands/command_open_budget.h"

namespace topicwall::admin {

struct OpenBudgetOptions {
  OpenBudgetFlags flags{};             // config, corpus, join and yes
  accountant::PrivacyParams budget{};  // of its own, unless it is joined
  std::string policy = "adaptive";
  std::string planned;  // empty: full-batch
  std::vector<std::string> vouchers;
  std::string vouchers_file;
  std::vector<std::string> disjoint;
};

// Everything but --config. `options` must outlive the parsing, which refuses options that do not
// go together.
void AddOptions(base::Command command, OpenBudgetOptions& options);

// INVALID_ARGUMENT, repeating the text or naming the file's line, for a voucher or a declaration
// that is none, or for an inventory without vouchers; NOT_FOUND for their file.
absl::StatusOr<OpenBudgetFlags> FlagsOf(const OpenBudgetOptions& options);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_OPEN_BUDGET_OPTIONS_H_
