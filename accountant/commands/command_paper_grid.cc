// `paper-grid`: the paper's figure as a table.
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/commands/command.h"
#include "accountant/commands/paper_grid.h"
#include "accountant/commands/report.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

std::string Json(const std::vector<PaperPoint>& points) {
  std::vector<Row> rows;
  for (const PaperPoint& point : points) {
    std::vector<Row> prices;
    for (const NamedPrice& price : point.prices) {
      Row& row = prices.emplace_back(Row{Text("accountant", price.accountant)});
      AddBracket("epsilon", price.epsilon.lower, price.epsilon.upper, row);
    }
    rows.push_back({Number("noise_multiplier", point.plan.release.noise_multiplier()),
                    Count("batch_size", point.batch_size),
                    Number("sampling_rate", point.plan.release.sampling_rate()),
                    Count("steps", point.plan.count), Number("delta", point.delta),
                    Nested("prices", JsonArray(prices))});
  }
  return absl::StrCat("{\"points\":", JsonArray(rows), "}\n");
}

Field Short(const std::string& name, double value, Rounding rounding) {
  Field field = Number(name, value);
  field.text = FixedText(value, 4, rounding);
  return field;
}

std::string Table(const std::vector<PaperPoint>& points) {
  std::vector<Row> rows;
  for (const PaperPoint& point : points) {
    Row& row = rows.emplace_back();
    row = {Number("sigma", point.plan.release.noise_multiplier()), Count("S", point.batch_size),
           Number("nu", point.plan.release.sampling_rate()), Count("steps", point.plan.count)};
    for (const NamedPrice& price : point.prices) {
      if (price.accountant == "pld") {  // the one whose two ends differ
        row.push_back(Short(price.accountant + "-lower", price.epsilon.lower, Rounding::kDown));
      }
      row.push_back(Short(price.accountant, price.epsilon.upper, Rounding::kUp));
    }
  }
  return absl::StrCat("epsilon at delta = 1e-4, 400,000 documents, one epoch\n", TableText(rows),
                      "The paper prints 2.44 for sigma = 1.24, S = 20000 (moments-paper-cap).\n");
}

absl::StatusOr<std::string> Print(bool json) {
  TW_ASSIGN_OR_RETURN(const std::vector<PaperPoint> points, PaperGrid());
  return json ? Json(points) : Table(points);
}

}  // namespace

void AddPaperGrid(base::Command app, Invocation& invocation) {
  base::Command command =
      AddCommand(app, invocation,
                 {.name = "paper-grid",
                  .description = "ε of the paper's 15 settings under every accountant",
                  .example = "topicwall-accountant paper-grid --json"});
  command.OnParsed(
      [&invocation] { invocation.action = [&invocation] { return Print(invocation.json); }; });
}

}  // namespace topicwall::accountant
