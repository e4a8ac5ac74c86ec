#include "accountant/commands/batch.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/commands/number_text.h"
#include "accountant/commands/report.h"
#include "accountant/events/privacy_params.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr absl::string_view kLower = "epsilon_lower";
constexpr absl::string_view kUpper = "epsilon_upper";

struct PlanColumns {
  size_t sigma;
  size_t nu;
  size_t steps;
};

absl::StatusOr<PlanColumns> PlanColumnsOf(const CsvTable& table) {
  PlanColumns columns;
  TW_ASSIGN_OR_RETURN(columns.sigma, table.ColumnNamed("sigma"));
  TW_ASSIGN_OR_RETURN(columns.nu, table.ColumnNamed("nu"));
  TW_ASSIGN_OR_RETURN(columns.steps, table.ColumnNamed("steps"));
  return columns;
}

absl::StatusOr<DpEvent> PlanOfRow(const CsvTable& table, const PlanColumns& columns,
                                  const CsvTable::TableRow& row) {
  const auto sigma = ParseNumber("noise_multiplier", row.cells[columns.sigma]);
  if (!sigma.ok()) return table.At(row, "sigma", sigma.status());
  const auto nu = ParseNumber("sampling_rate", row.cells[columns.nu]);
  if (!nu.ok()) return table.At(row, "nu", nu.status());
  const auto steps = ParseSteps("steps", row.cells[columns.steps]);
  if (!steps.ok()) return table.At(row, "steps", steps.status());
  const auto release =
      SubsampledGaussian::Create({.sampling_rate = *nu, .noise_multipliers = {*sigma}});
  // The release's own words, at the cell that is to blame.
  if (!release.ok()) {
    // Create looks at the rate first: with a good one it is σ that it refused.
    const bool rate_is_bad = !(*nu > 0 && *nu <= 1);
    return table.At(row, rate_is_bad ? "nu" : "sigma", release.status());
  }
  return DpEvent{.release = *release, .count = *steps};
}

// Every row is read and its accountant made before the first is priced: a mistake in the last line
// is told at once, not after an hour of prices.
struct Question {
  DpEvent plan;
  double delta;
  std::unique_ptr<PrivacyAccountant> accountant;
};

absl::StatusOr<std::vector<Question>> QuestionsOf(const CsvTable& table,
                                                  const AccountantOptions& options) {
  TW_ASSIGN_OR_RETURN(const std::vector<DpEvent> plans, PlansOf(table));
  TW_ASSIGN_OR_RETURN(const size_t delta_column, table.ColumnNamed("delta"));
  TW_ASSIGN_OR_RETURN(const size_t accountant_column, table.ColumnNamed("accountant"));
  std::vector<Question> questions;
  for (size_t i = 0; i < plans.size(); ++i) {
    const CsvTable::TableRow& row = table.rows()[i];
    const auto delta = ParseNumber("delta", row.cells[delta_column]);
    const absl::Status in_domain = delta.ok() ? ValidateDelta(*delta) : delta.status();
    if (!in_domain.ok()) return table.At(row, "delta", in_domain);
    auto accountant = MakeAccountant(row.cells[accountant_column], options);
    if (!accountant.ok()) return table.At(row, "accountant", accountant.status());
    questions.push_back({.plan = plans[i], .delta = *delta, .accountant = *std::move(accountant)});
  }
  return questions;
}

absl::Status CheckNewColumns(const CsvTable& table) {
  for (const absl::string_view column : {kLower, kUpper}) {
    if (!table.ColumnNamed(column).ok()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(table.name(), ": column ", column, " is there already. Take it out first."));
  }
  return absl::OkStatus();
}

// Only columns that were parsed as numbers become numbers in JSON: an unknown one may hold
// identifiers such as 007.
bool HoldsNumbers(absl::string_view column) {
  return column == "sigma" || column == "nu" || column == "delta";
}

Field FieldOfCell(absl::string_view column, const std::string& cell) {
  if (HoldsNumbers(column)) {
    const auto number = ParseNumber(column, cell);
    if (number.ok()) return Number(column, *number);
  }
  if (column == "steps") {
    const auto steps = ParseSteps(column, cell);
    if (steps.ok()) return Count(column, *steps);
  }
  return Text(column, cell);
}

}  // namespace

absl::StatusOr<std::vector<DpEvent>> PlansOf(const CsvTable& table) {
  TW_ASSIGN_OR_RETURN(const PlanColumns columns, PlanColumnsOf(table));
  std::vector<DpEvent> plans;
  for (const CsvTable::TableRow& row : table.rows()) {
    TW_ASSIGN_OR_RETURN(const DpEvent plan, PlanOfRow(table, columns, row));
    plans.push_back(plan);
  }
  return plans;
}

absl::StatusOr<std::vector<EpsilonBracket>> PriceRows(const CsvTable& table,
                                                      const AccountantOptions& options,
                                                      Progress progress) {
  TW_RETURN_IF_ERROR(CheckNewColumns(table));
  TW_ASSIGN_OR_RETURN(std::vector<Question> questions, QuestionsOf(table, options));
  std::vector<EpsilonBracket> prices;
  for (Question& question : questions) {
    progress(static_cast<int64_t>(prices.size()), static_cast<int64_t>(questions.size()));
    TW_RETURN_IF_ERROR(question.accountant->Compose(question.plan));
    TW_ASSIGN_OR_RETURN(const EpsilonBracket price, question.accountant->Epsilon(question.delta));
    prices.push_back(price);
    question.accountant = nullptr;  // its tables are no longer needed
  }
  return prices;
}

// Rows come back as they were written, quotes, spaces and digits, with two cells more: what is
// joined by them later must find them unchanged.
absl::StatusOr<std::string> BatchCsv(const CsvTable& table,
                                     const std::vector<EpsilonBracket>& prices) {
  TW_RETURN_IF_ERROR(CheckNewColumns(table));
  std::string text = absl::StrCat(table.header_text(), ",", kLower, ",", kUpper, "\n");
  for (size_t i = 0; i < prices.size(); ++i) {
    absl::StrAppend(&text, table.rows()[i].text, ",", RoundTripText(prices[i].lower), ",",
                    RoundTripText(prices[i].upper), "\n");
  }
  return text;
}

absl::StatusOr<std::string> BatchJson(const CsvTable& table,
                                      const std::vector<EpsilonBracket>& prices) {
  TW_RETURN_IF_ERROR(CheckNewColumns(table));
  std::vector<Row> rows;
  for (size_t i = 0; i < prices.size(); ++i) {
    Row& row = rows.emplace_back();
    for (size_t column = 0; column < table.columns().size(); ++column) {
      row.push_back(FieldOfCell(table.columns()[column], table.rows()[i].cells[column]));
    }
    row.push_back(Number(kLower, prices[i].lower));
    row.push_back(Number(kUpper, prices[i].upper));
  }
  return JsonArray(rows) + "\n";
}

}  // namespace topicwall::accountant
