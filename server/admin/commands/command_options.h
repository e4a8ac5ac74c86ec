// The options of the commands that have many, as CLI11 takes them: main.cc has the rest.
//
// What is parsed goes into the flags, which must outlive the command. Threads: one.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_OPTIONS_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_OPTIONS_H_

#include "base/command_line.h"
#include "server/admin/commands/command_ingest.h"
#include "server/admin/commands/command_thaw.h"

namespace topicwall::admin {

// Everything of `ingest` but --config.
void AddOptions(base::Command command, IngestFlags& flags);

// Everything of `thaw` but --config.
void AddOptions(base::Command command, ThawFlags& flags);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_OPTIONS_H_
