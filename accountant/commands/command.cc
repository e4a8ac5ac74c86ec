#include "accountant/commands/command.h"

namespace topicwall::accountant {

CLI::App* AddCommand(CLI::App& app, Invocation& invocation, const CommandText& text) {
  CLI::App* const command = app.add_subcommand(text.name, text.description);
  command->add_flag("--json", invocation.json, "print JSON");
  command->footer("Example:\n  " + text.example);
  return command;
}

}  // namespace topicwall::accountant
