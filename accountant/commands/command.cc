#include "accountant/commands/command.h"

namespace topicwall::accountant {

base::Command AddCommand(base::Command app, Invocation& invocation, const CommandText& text) {
  base::Command command = app.AddCommand(text.name, text.description);
  command.AddFlag("--json", invocation.json, "print JSON");
  command.Footer("Example:\n  " + text.example);
  return command;
}

}  // namespace topicwall::accountant
