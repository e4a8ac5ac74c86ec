// The tables that topicwall-accountant reads (accountant/commands/csv_table.h, batch.h) and the
// numbers in them (number_text.h beside). Nothing is priced here.
#include <cmath>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "accountant/commands/batch.h"
#include "accountant/commands/csv_table.h"
#include "accountant/commands/number_text.h"
#include "accountant/events/dp_event.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

using accountant::CsvTable;

void RequireStrictNumber(absl::string_view text) {
  static const RefusalRules& rules = *new RefusalRules();
  const absl::StatusOr<double> number = accountant::ParseNumber("field", text);
  if (!number.ok()) {
    Refuse(number.status(), rules);
  } else {
    Require(std::isfinite(*number), "a number is finite");
    const auto again = accountant::ParseNumber("field", accountant::RoundTripText(*number));
    Require(again.ok() && *again == *number, "a number reads back as the same double");
  }
  const absl::StatusOr<int64_t> steps = accountant::ParseSteps("field", text);
  if (!steps.ok()) {
    Refuse(steps.status(), rules);
  } else {
    Require(*steps >= 0 && *steps <= accountant::kMostReleases, "steps are in their range");
    Require(number.ok() && *number == static_cast<double>(*steps), "steps are the number read");
  }
}

absl::StatusOr<CsvTable> Read(const std::string& text) {
  std::istringstream stream(text);
  return CsvTable::Read(stream, "plans.csv");
}

// The table as the program prints it, with prices that are not the accountants'.
void RequirePrintedTableReadsBack(const CsvTable& table) {
  static const RefusalRules& rules = *new RefusalRules();
  const std::vector<accountant::EpsilonBracket> prices(table.rows().size(),
                                                       {.lower = 0.25, .upper = 1.0 / 3});
  const absl::StatusOr<std::string> csv = accountant::BatchCsv(table, prices);
  const absl::StatusOr<std::string> json = accountant::BatchJson(table, prices);
  Require(csv.ok() == json.ok(), "both forms of a table can be printed, or none");
  if (!csv.ok()) {
    Refuse(csv.status(), rules);
    return;
  }
  const absl::StatusOr<CsvTable> again = Read(*csv);
  Require(again.ok(), "a printed table can be read");
  Require(again->columns().size() == table.columns().size() + 2, "two columns are added");
  Require(again->rows().size() == table.rows().size(), "every row is printed");
  for (size_t i = 0; i < table.rows().size(); ++i) {
    std::vector<std::string> cells = table.rows()[i].cells;
    cells.insert(cells.end(), {"0.25", "0.333333333333333"});
    cells.back() = again->rows()[i].cells.back();
    Require(again->rows()[i].cells == cells, "cells are printed as they were");
    Require(*accountant::ParseNumber("upper", cells.back()) == 1.0 / 3, "a price is not rounded");
  }
}

Verdict Run(absl::string_view input) {
  static const RefusalRules& rules = *new RefusalRules();
  RequireStrictNumber(input);
  const absl::StatusOr<CsvTable> table = Read(std::string(input));
  if (!table.ok()) return Refuse(table.status(), rules);
  for (const CsvTable::TableRow& row : table->rows()) {
    Require(row.cells.size() == table->columns().size(), "rows are as long as the first line");
  }
  RequirePrintedTableReadsBack(*table);
  const auto plans = accountant::PlansOf(*table);
  if (!plans.ok()) return Refuse(plans.status(), rules);
  Require(plans->size() == table->rows().size(), "every row is a plan");
  for (const accountant::DpEvent& plan : *plans) {
    Require(plan.release.noise_multiplier() > 0 && plan.release.sampling_rate() > 0 &&
                plan.release.sampling_rate() <= 1 && plan.count >= 0,
            "a plan's numbers are in their ranges");
  }
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() {
  return {"sigma,nu,steps\n1.24,0.05,20\n",
          "\xEF\xBB\xBFsigma, nu ,steps,note\r\n# c\r\n2e0,1,1e3,\"a \"\"b\"\", c\"\r\n",
          "steps,nu,sigma,delta,accountant\n0,1,64,1e-6,pld\n20,0.5,.7,1e-5,renyi\n"};
}

[[maybe_unused]] const bool registered =
    Register({.name = "accountant_csv", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
