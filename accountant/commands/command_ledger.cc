// `ledger`: what all the plans of a file cost together.
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "accountant/commands/batch.h"
#include "accountant/commands/command.h"
#include "accountant/commands/input_file.h"
#include "accountant/commands/plan_flags.h"
#include "accountant/commands/report.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

struct LedgerFlags {
  std::string file;
  FlagText delta;
  AccountantFlags accountant;
};

absl::StatusOr<std::string> Ledger(const LedgerFlags& flags, bool json) {
  TW_ASSIGN_OR_RETURN(const double delta, DeltaOf(flags.delta));
  TW_ASSIGN_OR_RETURN(const CsvTable table, ReadCsvFile(flags.file));
  // All rows before the first is composed: a mistake in the last one is told at once.
  TW_ASSIGN_OR_RETURN(const std::vector<DpEvent> plans, PlansOf(table));
  TW_ASSIGN_OR_RETURN(const auto accountant,
                      MakeAccountant(flags.accountant.accountant, OptionsOf(flags.accountant)));
  // What a ledger costs to price depends on its kinds, so they are shown beside the plans.
  std::set<std::pair<double, double>> kinds;
  // A double: plans of up to 2^40 releases each may add up to more than an int64_t holds.
  double releases = 0;
  ProgressLine line;
  for (size_t i = 0; i < plans.size(); ++i) {
    line.Show(static_cast<int64_t>(i), static_cast<int64_t>(plans.size()));
    TW_RETURN_IF_ERROR(accountant->Compose(plans[i]));
    kinds.insert({plans[i].release.noise_multiplier(), plans[i].release.sampling_rate()});
    releases += static_cast<double>(plans[i].count);
  }
  TW_ASSIGN_OR_RETURN(const EpsilonBracket epsilon, accountant->Epsilon(delta));
  Row row = {Text("accountant", flags.accountant.accountant),
             Count("plans", static_cast<int64_t>(plans.size())),
             Count("kinds", static_cast<int64_t>(kinds.size())), Number("releases", releases),
             AtMost("delta", delta)};
  AddBracket("epsilon", epsilon.lower, epsilon.upper, row);
  return json ? JsonText(row) + "\n" : ListText(row);
}

}  // namespace

void AddLedger(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<LedgerFlags>();
  base::Command command =
      AddCommand(app, invocation,
                 {.name = "ledger",
                  .description = "ε of all the plans of a CSV file together, at one δ",
                  .example = "topicwall-accountant ledger plans.csv --delta 1e-6\n"
                             "plans.csv begins with the line sigma,nu,steps"});
  command.Add("file", flags->file, "CSV with the columns sigma, nu, steps (- for standard input)")
      .Required();
  command.Add("--delta", flags->delta, "probability δ in (0, 1)");
  AddAccountantFlags(command, flags->accountant, All::kNotOffered);
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation] { return Ledger(*flags, invocation.json); };
  });
}

}  // namespace topicwall::accountant
