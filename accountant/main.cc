// topicwall-accountant: what fixed schedules of releases cost and mean, from the command line.
#include <topicwall_version.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/commands/command.h"

namespace topicwall::accountant {
namespace {

constexpr int kDone = 0;
constexpr int kError = 1;
constexpr int kUsage = 2;

void AddCommands(CLI::App& app, Invocation& invocation) {
  app.require_subcommand(1);
  app.footer(
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
  CLI::App app("What releases of a Poisson-subsampled Gaussian cost in (ε, δ).",
               "topicwall-accountant");
  app.set_version_flag("--version", std::string("topicwall-accountant ") + kVersion);
  Invocation invocation;
  AddCommands(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Prints help, or what is wrong; --help is not an error.
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  const absl::StatusOr<std::string> text = invocation.action();
  if (!text.ok()) {
    std::cerr << "topicwall-accountant: " << text.status().message() << "\n";
    return absl::IsInvalidArgument(text.status()) ? kUsage : kError;
  }
  std::cout << *text << std::flush;
  return std::cout ? kDone : kError;
}

}  // namespace
}  // namespace topicwall::accountant

int main(int argc, char** argv) { return topicwall::accountant::Run(argc, argv); }
