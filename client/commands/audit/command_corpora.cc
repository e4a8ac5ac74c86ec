// `topicwall corpora`: which corpora this profile knows, and what is left of their budgets.
#include <memory>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "client/audit/head_book.h"
#include "client/commands/audit/known_corpora.h"
#include "client/commands/command.h"
#include "client/wall/profile.h"

namespace topicwall::client {
namespace {

absl::Status ShowCorpora(const std::vector<std::string>& named, const Invocation& invocation,
                         Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::string profile, ProfilePath(invocation.profile));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const v1::HeadBook notes, HeadBook(HeadBookPath(profile)).Read());
  TW_ASSIGN_OR_RETURN(const std::vector<KnownCorpus> corpora, KnownCorpora(*wall, notes, named));
  terminal.Print(invocation.json ? CorporaJson(corpora) : CorporaText(corpora));
  return absl::OkStatus();
}

}  // namespace

void AddCorpora(base::Command app, Invocation& invocation) {
  auto [command, named] = AddWallCommand(
      app, invocation,
      {.name = "corpora",
       .description = "The corpora that this profile has asked about or has plans in, and those "
                      "named: unit, nominal size, epsilon together with budgets that may concern "
                      "the same people, what is left of their own, state. A wall tells nobody "
                      "what else it holds",
       .example = "topicwall corpora notes"},
      ShowCorpora);
  command.Add("corpora", *named, "Names of corpora, also to be shown");
}

}  // namespace topicwall::client
