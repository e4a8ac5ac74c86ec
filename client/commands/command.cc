#include "client/commands/command.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/status_macros.h"
#include "client/profile.h"
#include "client/wall_client.h"

namespace topicwall::client {

CLI::App* AddCommand(CLI::App& app, Invocation& invocation, const CommandText& text) {
  CLI::App* command = app.add_subcommand(text.name, text.description);
  command->footer("Example:\n  " + text.example);
  command->add_flag("--json", invocation.json, "Print the result as one JSON object");
  return command;
}

CLI::App* AddWallCommand(CLI::App& app, Invocation& invocation, const CommandText& text) {
  CLI::App* command = AddCommand(app, invocation, text);
  command->add_option("--profile", invocation.profile,
                      "Name or file of a profile that `topicwall login` wrote (otherwise "
                      "$TOPICWALL_PROFILE, otherwise \"default\")");
  return command;
}

CLI::Validator Positive() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0;
        const bool positive = CLI::detail::lexical_cast(text, value) && value > 0;
        return positive ? std::string() : absl::StrCat("must be positive; got ", text);
      },
      "> 0");
}

absl::StatusOr<std::unique_ptr<WallPort>> ConnectByProfile(const Invocation& invocation,
                                                           Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::string path, ProfilePath(invocation.profile));
  TW_ASSIGN_OR_RETURN(const v1::Profile profile, ReadProfile(path));
  TW_ASSIGN_OR_RETURN(Credentials credentials, LoadCredentials(profile));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<WallClient> wall,
                      WallClient::Connect({.server = profile.server(),
                                           .credentials = std::move(credentials),
                                           .on_wait = [&terminal](const absl::Status& error) {
                                             terminal.ShowProgress(absl::StrCat(
                                                 "waiting for the wall: ", error.message()));
                                           }}));
  return std::unique_ptr<WallPort>(std::move(wall));
}

}  // namespace topicwall::client
