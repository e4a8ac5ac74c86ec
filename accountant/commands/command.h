// What every subcommand of `topicwall-accountant` has in common.
//
//   void AddEpsilon(base::Command app, Invocation& invocation) {
//     auto flags = std::make_shared<Flags>();
//     base::Command command = AddCommand(app, invocation, {.name = "epsilon", …});
//     command.Add(…);
//     command.OnParsed([flags, &invocation] {
//       invocation.action = [flags, &invocation] { return Epsilon(*flags, invocation.json); };
//     });
//   }
//
// Parsing only chooses the action. The action returns the whole text to be printed, so that an
// error prints nothing on standard output; main.cc prints it and turns a status into the exit code.
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_COMMAND_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_COMMAND_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "base/command_line.h"

namespace topicwall::accountant {

// What the command line said.
struct Invocation {
  bool json = false;
  std::function<absl::StatusOr<std::string>()> action;
};

struct CommandText {
  std::string name;
  std::string description;
  std::string example;  // whole command lines
};

// A subcommand with --json, and its example at the end of its --help.
base::Command AddCommand(base::Command app, Invocation& invocation, const CommandText& text);

// The subcommands; the options each takes are in its own file.
void AddEpsilon(base::Command app, Invocation& invocation);
void AddDelta(base::Command app, Invocation& invocation);
void AddCalibrate(base::Command app, Invocation& invocation);
void AddExplain(base::Command app, Invocation& invocation);
void AddPaperGrid(base::Command app, Invocation& invocation);
void AddLedger(base::Command app, Invocation& invocation);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_COMMANDS_COMMAND_H_
