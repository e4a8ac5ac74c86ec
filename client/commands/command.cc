#include "client/commands/command.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/watched_wall.h"
#include "client/wall/profile.h"
#include "client/wall/receipt_book.h"
#include "client/wall/wall_client.h"

namespace topicwall::client {

base::Command AddCommand(base::Command app, Invocation& invocation, const CommandText& text) {
  base::Command command = app.AddCommand(text.name, text.description);
  command.Footer("Example:\n  " + text.example);
  // One flag for all commands, so that a script that knows one knows them.
  command.AddFlag("--json", invocation.json, "Print the result as one JSON object");
  return command;
}

base::Command AddWallCommand(base::Command app, Invocation& invocation, const CommandText& text) {
  base::Command command = AddCommand(app, invocation, text);
  command.Add("--profile", invocation.profile,
              "Name or file of a profile that `topicwall login` wrote (otherwise "
              "$TOPICWALL_PROFILE, otherwise \"default\")");
  return command;
}

absl::StatusOr<std::string> PinnedKey(const Invocation& invocation, const std::string& hex) {
  // What was typed for this call wins over what was typed at login. Both came from the custodian by
  // another way than the wall, or should have.
  if (!hex.empty()) return SigningKeyOfHex(hex);
  TW_ASSIGN_OR_RETURN(const std::string path, ProfilePath(invocation.profile));
  const absl::StatusOr<v1::Profile> profile = ReadProfile(path);
  // What needs no wall needs no profile either.
  if (absl::IsNotFound(profile.status())) return std::string();
  TW_RETURN_IF_ERROR(profile.status());
  return SigningKeyOfHex(profile->custodian_key());
}

void AddCustodianKey(base::Command command, std::string* hex) {
  command.Add("--custodian-key", *hex,
              "The custodian's signing key, 64 hexadecimal digits that the custodian gave "
              "you; no other is accepted (otherwise the profile's, otherwise the first "
              "that is met)");
}

void AddExplain(base::Command command, Invocation& invocation) {
  command.AddFlag("--explain", invocation.explain,
                  "Also what decides nothing: other accountants, the odometer");
}

void AddFormat(base::Command command, std::string* name) {
  command.Add("--format", *name, "jsonl (\"text\" of each line) or uci counts")
      .OneOf({"jsonl", "uci"})
      .ShowDefault();
}

DocumentFormat FormatOf(const std::string& name) {
  return name == "uci" ? DocumentFormat::kUci : DocumentFormat::kJsonl;
}

// Nothing is sent yet: a wall that is not there shows with the first call, and with its error.
absl::StatusOr<ProfiledWall> ConnectUnwatched(const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::string path, ProfilePath(invocation.profile));
  TW_ASSIGN_OR_RETURN(const v1::Profile profile, ReadProfile(path));
  TW_ASSIGN_OR_RETURN(std::string key, SigningKeyOfHex(profile.custodian_key()));
  TW_ASSIGN_OR_RETURN(Credentials credentials, LoadCredentials(profile));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<WallClient> wall,
                      WallClient::Connect({.server = profile.server(),
                                           .credentials = std::move(credentials),
                                           .on_wait = [&terminal](const absl::Status& error) {
                                             terminal.ShowProgress(absl::StrCat(
                                                 "waiting for the wall: ", error.message()));
                                           }}));
  return ProfiledWall{
      .wall = std::move(wall), .book = HeadBook(HeadBookPath(path)), .signing_key = std::move(key)};
}

// Every command but `watch` has its wall from here, so none of them can forget to look at the
// ledger.
absl::StatusOr<std::unique_ptr<WallPort>> ConnectByProfile(const Invocation& invocation,
                                                           Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(ProfiledWall profiled, ConnectUnwatched(invocation, terminal));
  return std::unique_ptr<WallPort>(std::make_unique<WatchedWall>(
      std::move(profiled.wall), std::move(profiled.book),
      WatchedWall::Options{.signing_key = std::move(profiled.signing_key),
                           .on_new_budget = [&terminal](const ChainSight& sight) {
                             terminal.Remark(DescribeNewBudget(sight));
                           }}));
}

std::string DescribeNewBudget(const ChainSight& sight) {
  return absl::StrCat("note: ", sight.head.corpus(), " is a new version with a new budget, ",
                      sight.head.budget_id(),
                      ", which is noted from now on. Noted before: ", DescribeNote(*sight.replaced),
                      ", budget ", sight.replaced->budget_id(),
                      ". If nobody told you of a new version, ask the custodian.");
}

}  // namespace topicwall::client
