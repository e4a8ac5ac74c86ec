#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/commands/command.h"
#include "client/json.h"

namespace topicwall::client {
namespace {

void AddPrincipal(const v1::PrincipalBudget& principal, base::Table& table) {
  table.AddRow(
      {principal.principal(), absl::StrFormat("epsilon %.4f of at most %.4f",
                                              principal.epsilon_spent(), principal.epsilon_cap())});
}

// More may count as drawn than there were, after a restore.
void AddVouchers(const v1::BudgetStatus& budget, base::Table& table) {
  const auto& kinds = budget.inventory().kinds();
  for (int i = 0; i < std::min(kinds.size(), budget.spent_size()); ++i) {
    const auto count = static_cast<uint64_t>(std::max<int64_t>(0, kinds[i].count()));
    table.AddRow({i == 0 ? "vouchers" : "",
                  absl::StrCat(count - std::min(count, uint64_t{budget.spent(i)}), " of ", count,
                               " left: noise multiplier at least ", kinds[i].noise_multiplier(),
                               ", sampling rate at most ", kinds[i].sampling_rate())});
  }
}

std::string TextOf(const v1::BudgetStatus& budget) {
  base::Table table;
  table.AddRow({"total", absl::StrFormat("epsilon %.4f at delta %g", budget.epsilon_total(),
                                         budget.delta())});
  AddSumRow(budget.sum(), table);
  table.AddRow({"spent", absl::StrFormat("%.4f (charged or reserved)", budget.epsilon_spent())});
  table.AddRow({"left", absl::StrFormat("%.4f", budget.epsilon_left())});
  AddVouchers(budget, table);
  table.AddRow({"odometer", absl::StrFormat("%.4f (holds at every moment at once)",
                                            budget.odometer_epsilon())});
  table.AddRow(
      {"ledger", absl::StrCat(budget.events(), " entries, head ", base::Hex(budget.chain_head()))});
  if (budget.has_own()) AddPrincipal(budget.own(), table);
  for (const v1::PrincipalBudget& principal : budget.principals()) AddPrincipal(principal, table);
  return table.Text();
}

}  // namespace

void AddBudget(base::Command app, Invocation& invocation) {
  auto corpus = std::make_shared<std::string>();
  base::Command command =
      AddWallCommand(app, invocation,
                     {.name = "budget",
                      .description = "What is spent and left, as the wall states it (`ledger` "
                                     "recomputes it)",
                      .example = "topicwall budget notes"});
  command.Add("corpus", *corpus, "Name of the corpus").Required();
  command.OnParsed([corpus, &invocation] {
    invocation.action = [corpus, &invocation](Terminal& terminal) -> absl::Status {
      TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall,
                          ConnectByProfile(invocation, terminal));
      v1::GetBudgetRequest request;
      request.set_corpus(*corpus);
      TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, wall->GetBudget(request));
      terminal.Print(invocation.json ? JsonOf(budget) : TextOf(budget));
      return absl::OkStatus();
    };
  });
}

}  // namespace topicwall::client
