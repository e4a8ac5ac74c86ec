// topicwall: the analyst's and the auditor's program.
#include <signal.h>
#include <topicwall_version.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/command_line.h"
#include "base/programs/grpc_environment.h"
#include "base/standard_streams.h"
#include "client/commands/command.h"
#include "client/exit_code.h"
#include "client/terminal.h"
#include "model/kernel_option.h"

namespace topicwall::client {
namespace {

void AddCommands(base::Command app, Invocation& invocation) {
  app.RequireCommand();
  app.Footer(
      "Example:\n"
      "  topicwall login --server localhost:8443 --ca ca.pem --certificate alice.pem --key "
      "alice.key\n"
      "  topicwall fit notes --topics 50 --spend 90% --model notes.model\n"
      "  topicwall topics notes.model\n"
      "Exit codes: 0 done, 1 error, 2 wrong command line, 3 refused: privacy budget,\n"
      "            4 unavailable, try again");
  AddLogin(app, invocation);
  AddCorpora(app, invocation);
  AddDescribe(app, invocation);
  AddVocabulary(app, invocation);
  AddPlan(app, invocation);
  AddPrice(app, invocation);
  AddFit(app, invocation);
  AddTopics(app, invocation);
  AddLabel(app, invocation);
  AddTree(app, invocation);
  AddMerge(app, invocation);
  AddFind(app, invocation);
  AddMatch(app, invocation);
  AddExport(app, invocation);
  AddTransform(app, invocation);
  AddCount(app, invocation);
  AddPerplexity(app, invocation);
  AddPrevalence(app, invocation);
  AddLengths(app, invocation);
  AddReport(app, invocation, kVersion);
  AddLearnPrior(app, invocation);
  AddBudget(app, invocation);
  AddLedger(app, invocation);
  AddWatch(app, invocation);
  AddStatement(app, invocation);
  AddPlans(app, invocation);
  AddCancel(app, invocation);
}

// What to do first, for whoever types the program's name alone.
constexpr char kFirstSteps[] =
    "topicwall: which command? In the order in which they are needed:\n"
    "  topicwall login --server HOST:PORT --ca ca.pem --certificate you.pem --key you.key\n"
    "  topicwall describe CORPUS             what is public about it, and its budget's promise\n"
    "  topicwall plan CORPUS --spend 50%     what half of what is left buys; nothing is reserved\n"
    "  topicwall fit CORPUS --topics 50 --spend 50% --model DIR\n"
    "  topicwall topics DIR\n"
    "`topicwall --help` lists all commands, and each has --help with an example.";

// Before parsing, for an error of it.
bool AsksForJson(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return absl::string_view(word) == "--json"; });
}

// All errors have one shape, whoever finds them: "topicwall COMMAND: what, the rule; got the value.
// The next step.", or with --json an object.
void TellError(const std::string& command, const absl::Status& error, bool as_json,
               Terminal& terminal) {
  terminal.Remark(as_json ? ErrorJson(error)
                          : absl::StrCat("topicwall", command.empty() ? "" : " ", command, ": ",
                                         Explain(error)));
}

ExitCode Act(const Invocation& invocation, const std::string& command, bool as_json,
             Terminal& terminal) {
  absl::Status status;
  try {
    status = invocation.action(terminal);
  } catch (const std::bad_alloc&) {
    status = absl::FailedPreconditionError(
        "there is not enough memory. What was paid for is kept: the same command goes on with it, "
        "on a larger machine perhaps.");
  }
  terminal.ClearProgress();
  if (!status.ok()) TellError(command, status, as_json, terminal);
  return ExitCodeOf(status);
}

int Run(int argc, char** argv) {
  base::OccupyStandardStreams();
  base::RestrictGrpcEnvironment();
  base::SilenceGrpc();
  Terminal terminal;
  if (argc == 1) {
    terminal.Remark(kFirstSteps);
    return static_cast<int>(ExitCode::kUsage);
  }
  const bool as_json = AsksForJson(argc, argv);
  base::CommandLine line({.program = "topicwall",
                          .version = kVersion,
                          .description = "Private topic models across a wall: the analyst's side",
                          .on_error = [&](const std::string& command, const std::string& error) {
                            TellError(command, UsageError(error), as_json, terminal);
                          }});
  Invocation invocation;
  // Of the E-step that perplexity and transform run here.
  model::AddKernelOption(line.root(), "The arithmetic of perplexity and transform");
  AddCommands(line.root(), invocation);
  const std::optional<int> parsed = line.Parse(argc, argv);
  if (parsed.has_value()) return *parsed;
  const ExitCode code = Act(invocation, line.command(), as_json, terminal);
  const absl::Status printed = base::Printed();
  if (!printed.ok()) TellError(line.command(), printed, as_json, terminal);
  return static_cast<int>(printed.ok() || code != ExitCode::kDone ? code : ExitCode::kError);
}

}  // namespace
}  // namespace topicwall::client

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a full disk and no reason to die
  return topicwall::client::Run(argc, argv);
}
