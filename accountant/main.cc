// topicwall-accountant: what fixed schedules of releases cost and mean, from the command line.
#include <topicwall_version.h>

#include <iostream>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/commands/command.h"
#include "base/command_line.h"
#include "base/standard_streams.h"

namespace topicwall::accountant {
namespace {

constexpr int kDone = 0;
constexpr int kError = 1;

void AddCommands(base::Command app, Invocation& invocation) {
  app.RequireCommand();
  app.Footer(
      "Example:\n"
      "  topicwall-accountant epsilon --noise-multiplier 1.24 --sampling-rate 0.05 --steps 20 "
      "--delta 1e-4\n"
      "Exit codes: 0 done, 1 error, 2 wrong command line or input");
  AddEpsilon(app, invocation);
  AddDelta(app, invocation);
  AddCalibrate(app, invocation);
  AddExplain(app, invocation);
  AddPaperGrid(app, invocation);
  AddLedger(app, invocation);
}

int Run(int argc, char** argv) {
  base::OccupyStandardStreams();
  base::CommandLine line(
      {.program = "topicwall-accountant",
       .version = kVersion,
       .description = "What releases of a Poisson-subsampled Gaussian cost in (ε, δ)."});
  Invocation invocation;
  AddCommands(line.root(), invocation);
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  const absl::StatusOr<std::string> text = invocation.action();
  if (!text.ok()) {
    std::cerr << "topicwall-accountant: " << text.status().message() << "\n";
    // A number out of its domain is found after parsing, and is as wrong a command line as a bad
    // flag.
    return absl::IsInvalidArgument(text.status()) ? base::CommandLine::kUsage : kError;
  }
  base::Print(*text);
  return base::CodeAfterPrinting("topicwall-accountant", kDone);
}

}  // namespace
}  // namespace topicwall::accountant

int main(int argc, char** argv) { return topicwall::accountant::Run(argc, argv); }
