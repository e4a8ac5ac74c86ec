// topicwall: the analyst's and the auditor's program.
#include <topicwall_version.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/exit_code.h"
#include "client/terminal.h"
#include "model/lda/kernel/e_step_kernel.h"

namespace topicwall::client {
namespace {

void AddCommands(CLI::App& app, Invocation& invocation) {
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  topicwall login --server localhost:7443 --ca ca.pem --certificate alice.pem --key "
      "alice.key\n"
      "  topicwall fit notes --topics 50 --epsilon 2.44 --model notes.model\n"
      "  topicwall topics notes.model\n"
      "Exit codes: 0 done, 1 error, 2 wrong command line, 3 refused: privacy budget,\n"
      "            4 unavailable, try again");
  AddLogin(app, invocation);
  AddDescribe(app, invocation);
  AddPlan(app, invocation);
  AddPrice(app, invocation);
  AddFit(app, invocation);
  AddTopics(app, invocation);
  AddPerplexity(app, invocation);
  AddLearnPrior(app, invocation);
  AddBudget(app, invocation);
  AddLedger(app, invocation);
  AddWatch(app, invocation);
  AddStatement(app, invocation);
  AddPlans(app, invocation);
  AddCancel(app, invocation);
}

// Of the E-step that perplexity runs here.
void AddKernelOption(CLI::App& app) {
  app.add_option_function<std::string>(
         "--kernel",
         [](const std::string& name) {
           const absl::Status status = lda::ChooseKernel(name);
           if (!status.ok()) throw CLI::ValidationError("--kernel", std::string(status.message()));
         },
         "The arithmetic of perplexity, by name; the fastest if not given")
      ->envname("TOPICWALL_KERNEL");
}

int Run(int argc, char** argv) {
  // gRPC's own log says in its words what our errors say in ours; GRPC_VERBOSITY brings it back.
  ::setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  CLI::App app("Private topic models across a wall: the analyst's side", "topicwall");
  app.set_version_flag("--version", absl::StrCat("topicwall ", kVersion));
  Invocation invocation;
  AddKernelOption(app);
  AddCommands(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Prints help, or what is wrong; --help is not an error.
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  Terminal terminal;
  const absl::Status status = invocation.action(terminal);
  terminal.ClearProgress();
  if (!status.ok()) terminal.Remark(absl::StrCat("topicwall: ", Explain(status)));
  return static_cast<int>(ExitCodeOf(status));
}

}  // namespace
}  // namespace topicwall::client

int main(int argc, char** argv) { return topicwall::client::Run(argc, argv); }
