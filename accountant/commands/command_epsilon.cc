// `epsilon` and `delta`: what a schedule costs, alone or row by row from a file.
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/commands/batch.h"
#include "accountant/commands/command.h"
#include "accountant/commands/input_file.h"
#include "accountant/commands/plan_flags.h"
#include "accountant/commands/report.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

struct EpsilonFlags {
  PlanFlags plan;
  AccountantFlags accountant;
  FlagText epsilon;
  FlagText delta;
  FlagText batch;
};

absl::StatusOr<std::unique_ptr<PrivacyAccountant>> Composed(const std::string& name,
                                                            const EpsilonFlags& flags,
                                                            const DpEvent& plan) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<PrivacyAccountant> accountant,
                      MakeAccountant(name, OptionsOf(flags.accountant)));
  TW_RETURN_IF_ERROR(accountant->Compose(plan));
  return accountant;
}

Row FirstFields(const std::string& name, const DpEvent& plan) {
  Row row = {Text("accountant", name)};
  for (Field& field : PlanFields(plan)) row.push_back(std::move(field));
  return row;
}

// One row is one object; several ("all") are one object {"results": [...]}.
std::string Report(const std::vector<Row>& rows, bool json) {
  if (!json) return TableText(rows);
  if (rows.size() == 1) return JsonText(rows.front()) + "\n";
  return absl::StrCat("{\"results\":", JsonArray(rows), "}\n");
}

absl::StatusOr<std::string> Batch(const EpsilonFlags& flags, bool json) {
  TW_ASSIGN_OR_RETURN(const CsvTable table, ReadCsvFile(*flags.batch));
  ProgressLine line;
  TW_ASSIGN_OR_RETURN(const std::vector<EpsilonBracket> prices,
                      PriceRows(table, OptionsOf(flags.accountant),
                                [&](int64_t done, int64_t total) { line.Show(done, total); }));
  return json ? BatchJson(table, prices) : BatchCsv(table, prices);
}

absl::StatusOr<std::string> Epsilon(const EpsilonFlags& flags, bool json) {
  if (flags.batch.has_value()) return Batch(flags, json);
  TW_ASSIGN_OR_RETURN(const DpEvent plan, PlanOf(flags.plan));
  TW_ASSIGN_OR_RETURN(const double delta, DeltaOf(flags.delta));
  std::vector<Row> rows;
  for (const std::string& name : NamesOf(flags.accountant)) {
    TW_ASSIGN_OR_RETURN(const auto accountant, Composed(name, flags, plan));
    TW_ASSIGN_OR_RETURN(const EpsilonBracket epsilon, accountant->Epsilon(delta));
    Row& row = rows.emplace_back(FirstFields(name, plan));
    row.push_back(AtMost("delta", delta));
    AddBracket("epsilon", epsilon.lower, epsilon.upper, row);
  }
  return Report(rows, json);
}

absl::StatusOr<std::string> Delta(const EpsilonFlags& flags, bool json) {
  TW_ASSIGN_OR_RETURN(const DpEvent plan, PlanOf(flags.plan));
  TW_ASSIGN_OR_RETURN(const double epsilon, EpsilonOf(flags.epsilon));
  std::vector<Row> rows;
  for (const std::string& name : NamesOf(flags.accountant)) {
    TW_ASSIGN_OR_RETURN(const auto accountant, Composed(name, flags, plan));
    TW_ASSIGN_OR_RETURN(const DeltaBracket delta, accountant->Delta(epsilon));
    Row& row = rows.emplace_back(FirstFields(name, plan));
    row.push_back(AtMost("epsilon", epsilon));
    AddBracket("delta", delta.lower, delta.upper, row);
  }
  return Report(rows, json);
}

}  // namespace

void AddEpsilon(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<EpsilonFlags>();
  base::Command command = AddCommand(
      app, invocation,
      {.name = "epsilon",
       .description = "ε of a schedule at a given δ, or of every row of a CSV file",
       .example = "topicwall-accountant epsilon --noise-multiplier 1.24 --sampling-rate 0.05 "
                  "--steps 20 --delta 1e-4 --accountant all\n"
                  "  topicwall-accountant epsilon --batch plans.csv > priced.csv\n"
                  "plans.csv begins with the line sigma,nu,steps,delta,accountant"});
  AddPlanFlags(command, flags->plan);
  command.Add("--delta", flags->delta, "probability δ in (0, 1)");
  AddAccountantFlags(command, flags->accountant, All::kOffered);
  const base::Option batch = command.Add(
      "--batch", flags->batch,
      "CSV with the columns sigma, nu, steps, delta, accountant (- for standard input): prints it "
      "with epsilon_lower, epsilon_upper added");
  // Every row has its own.
  for (const char* flag : {"--noise-multiplier", "--histogram-noise-multiplier", "--sampling-rate",
                           "--steps", "--delta", "--accountant"}) {
    batch.Excludes(command.Find(flag));
  }
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation] { return Epsilon(*flags, invocation.json); };
  });
}

void AddDelta(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<EpsilonFlags>();
  base::Command command = AddCommand(
      app, invocation,
      {.name = "delta",
       .description = "δ of a schedule at a given ε",
       .example = "topicwall-accountant delta --noise-multiplier 1.24 --sampling-rate 0.05 "
                  "--steps 20 --epsilon 1 --json"});
  AddPlanFlags(command, flags->plan);
  command.Add("--epsilon", flags->epsilon, "ε, nats, > 0");
  AddAccountantFlags(command, flags->accountant, All::kOffered);
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation] { return Delta(*flags, invocation.json); };
  });
}

}  // namespace topicwall::accountant
