// topicwall-accountant: what a fixed schedule of releases costs, from the command line.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "accountant/accountants.h"
#include "accountant/noise_calibration.h"
#include "accountant/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr int kDone = 0;
constexpr int kError = 1;
constexpr int kUsage = 2;

struct Flags {
  double noise_multiplier = 0;
  double sampling_rate = 0;
  int64_t steps = 0;
  double epsilon = 0;
  double delta = 0;
  std::string accountant = "renyi";
  int max_order = 256;
  bool paper_cap = false;
  std::string strong = "analytic-best";
  bool json = false;
};

std::vector<std::string> StrongVariants() {
  return {"analytic-best", "analytic-half", "classical-best", "classical-half"};
}

AccountantOptions OptionsOf(const Flags& flags) {
  const bool classical = flags.strong.rfind("classical", 0) == 0;
  const bool half = flags.strong.find("half") != std::string::npos;
  return {
      .moments = {.max_order = flags.max_order, .paper_cap = flags.paper_cap},
      .strong = {.split = half ? StrongComposition::Split::kHalf : StrongComposition::Split::kBest,
                 .gaussian = classical ? StrongComposition::Gaussian::kClassical
                                       : StrongComposition::Gaussian::kAnalytic}};
}

std::vector<std::string> NamesOf(const Flags& flags) {
  return flags.accountant == "all" ? AccountantNames() : std::vector<std::string>{flags.accountant};
}

// Shortest text that reads back as the same double; JSON has no infinity, so null stands for "no
// finite bound".
std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  std::string text = absl::StrFormat("%.15g", value);
  return std::stod(text) == value ? text : absl::StrFormat("%.17g", value);
}

// One answer: fields in order, already in JSON form, and the same as a line of a table.
struct Field {
  std::string name;
  std::string json;
  std::string text;
};
using Row = std::vector<Field>;

Field Number(const std::string& name, double value) {
  return {.name = name, .json = JsonNumber(value), .text = absl::StrFormat("%.10g", value)};
}
Field Count(const std::string& name, int64_t value) {
  return {.name = name, .json = absl::StrCat(value), .text = absl::StrCat(value)};
}
Field Text(const std::string& name, const std::string& value) {
  return {.name = name, .json = absl::StrCat("\"", value, "\""), .text = value};
}

std::string JsonObject(const Row& row) {
  return absl::StrCat("{",
                      absl::StrJoin(row, ", ",
                                    [](std::string* out, const Field& field) {
                                      absl::StrAppend(out, "\"", field.name, "\": ", field.json);
                                    }),
                      "}");
}

// One row is one object; several ("all") are one object {"results": [...]}.
void PrintJson(const std::vector<Row>& rows) {
  if (rows.size() == 1) {
    std::cout << JsonObject(rows.front()) << "\n";
    return;
  }
  std::cout << "{\"results\": [" << absl::StrJoin(rows, ", ", [](std::string* out, const Row& row) {
    absl::StrAppend(out, JsonObject(row));
  }) << "]}\n";
}

void PrintTable(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < rows.front().size(); ++i) {
    size_t width = rows.front()[i].name.size();
    for (const Row& row : rows) width = std::max(width, row[i].text.size());
    const bool last = i + 1 == rows.front().size();
    widths.push_back(last ? 0 : width + 2);  // no blanks at the end of a line
  }
  const auto print = [&](size_t i, const std::string& text) {
    std::cout << absl::StrFormat("%-*s", static_cast<int>(widths[i]), text);
  };
  for (size_t i = 0; i < widths.size(); ++i) print(i, rows.front()[i].name);
  std::cout << "\n";
  for (const Row& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) print(i, row[i].text);
    std::cout << "\n";
  }
}

absl::StatusOr<Row> Epsilon(const Flags& flags, const std::string& name) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<PrivacyAccountant> accountant,
                      MakeAccountant(name, OptionsOf(flags)));
  TW_ASSIGN_OR_RETURN(const SubsampledGaussian release,
                      SubsampledGaussian::Create({.sampling_rate = flags.sampling_rate,
                                                  .noise_multipliers = {flags.noise_multiplier}}));
  TW_RETURN_IF_ERROR(accountant->Compose({.release = release, .count = flags.steps}));
  TW_ASSIGN_OR_RETURN(const EpsilonBracket epsilon, accountant->Epsilon(flags.delta));
  return Row{Text("accountant", name),
             Number("noise_multiplier", flags.noise_multiplier),
             Number("sampling_rate", flags.sampling_rate),
             Count("steps", flags.steps),
             Number("delta", flags.delta),
             Number("epsilon_lower", epsilon.lower),
             Number("epsilon_upper", epsilon.upper)};
}

absl::StatusOr<Row> Calibrate(const Flags& flags, const std::string& name) {
  const PrivacyParams budget = {.epsilon = flags.epsilon, .delta = flags.delta};
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<PrivacyAccountant> accountant,
                      MakeAccountant(name, OptionsOf(flags)));
  Flags answer = flags;
  if (flags.steps > 0) {
    TW_ASSIGN_OR_RETURN(
        answer.noise_multiplier,
        SmallestNoiseMultiplier(
            {.budget = budget, .sampling_rate = flags.sampling_rate, .steps = flags.steps},
            *accountant));
  } else {
    TW_ASSIGN_OR_RETURN(
        const SubsampledGaussian release,
        SubsampledGaussian::Create(
            {.sampling_rate = flags.sampling_rate, .noise_multipliers = {flags.noise_multiplier}}));
    TW_ASSIGN_OR_RETURN(answer.steps,
                        MostSteps({.budget = budget, .release = release}, *accountant));
  }
  return Epsilon(answer, name);
}

int Report(const Flags& flags, absl::StatusOr<Row> (*answer)(const Flags&, const std::string&)) {
  std::vector<Row> rows;
  for (const std::string& name : NamesOf(flags)) {
    absl::StatusOr<Row> row = answer(flags, name);
    if (!row.ok()) {
      std::cerr << "topicwall-accountant: " << row.status().message() << "\n";
      return row.status().code() == absl::StatusCode::kInvalidArgument ? kUsage : kError;
    }
    rows.push_back(*std::move(row));
  }
  flags.json ? PrintJson(rows) : PrintTable(rows);
  return kDone;
}

void AddCommonFlags(CLI::App* command, Flags* flags) {
  std::vector<std::string> names = AccountantNames();
  names.push_back("all");
  command->add_option("--sampling-rate", flags->sampling_rate, "chance ν of each unit, in (0, 1]")
      ->required();
  command->add_option("--delta", flags->delta, "probability δ in (0, 1)")->required();
  command->add_option("--accountant", flags->accountant, "which accountant")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--max-order", flags->max_order, "moments: the largest λ")
      ->capture_default_str();
  command->add_flag("--paper-cap", flags->paper_cap, "moments: also λ ≤ σ² ln(1/(νσ))");
  command->add_option("--strong", flags->strong, "strong, basic: ε of one release, split of δ")
      ->check(CLI::IsMember(StrongVariants()))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "print one JSON object");
}

int Run(int argc, char** argv) {
  Flags flags;
  CLI::App app("What releases of a Poisson-subsampled Gaussian cost in (ε, δ).");
  app.require_subcommand(1);
  CLI::App* epsilon = app.add_subcommand("epsilon", "ε of a schedule at a given δ");
  epsilon->add_option("--noise-multiplier", flags.noise_multiplier, "σ: std ÷ L2 sensitivity, > 0")
      ->required();
  epsilon->add_option("--steps", flags.steps, "number of releases")->required();
  AddCommonFlags(epsilon, &flags);
  epsilon->footer(
      "Example:\n  topicwall-accountant epsilon --noise-multiplier 1.24 --sampling-rate 0.05 "
      "--steps 20 --delta 1e-4 --accountant all");
  CLI::App* calibrate = app.add_subcommand(
      "calibrate", "smallest σ for --steps, or most steps for --noise-multiplier");
  calibrate->add_option("--epsilon", flags.epsilon, "target ε, nats, > 0")->required();
  CLI::Option_group* given = calibrate->add_option_group("given", "exactly one of");
  given->add_option("--steps", flags.steps, "number of releases: finds the smallest σ")
      ->check(CLI::PositiveNumber);
  given->add_option("--noise-multiplier", flags.noise_multiplier, "σ: finds the most steps")
      ->check(CLI::PositiveNumber);
  given->require_option(1);
  AddCommonFlags(calibrate, &flags);
  calibrate->footer(
      "Example:\n  topicwall-accountant calibrate --epsilon 2.44 --delta 1e-6 --sampling-rate 1 "
      "--steps 10 --json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  return Report(flags, *epsilon ? Epsilon : Calibrate);
}

}  // namespace
}  // namespace topicwall::accountant

int main(int argc, char** argv) { return topicwall::accountant::Run(argc, argv); }
