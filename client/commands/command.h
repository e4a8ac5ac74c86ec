// What every subcommand of `topicwall` has in common.
//
//   void AddDescribe(base::Command app, Invocation& invocation) {
//     auto [command, corpus] = AddWallCommand(app, invocation, {.name = "describe"}, ShowCorpus);
//     command.Add("corpus", *corpus, "…").Required();
//   }
//
// Parsing only chooses the action; main.cc runs it and turns its status into the exit code, so
// that a command is a function that returns absl::Status and can be read without CLI11.
#ifndef TOPICWALL_CLIENT_COMMANDS_COMMAND_H_
#define TOPICWALL_CLIENT_COMMANDS_COMMAND_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/command_line.h"
#include "base/json.h"
#include "client/evaluate/document_reader.h"
#include "client/fit/receipted_folder.h"
#include "client/terminal.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// What the command line said.
struct Invocation {
  std::string profile;  // name or path; empty: TOPICWALL_PROFILE, else "default"
  bool json = false;
  bool explain = false;  // what decides nothing, too
  std::function<absl::Status(Terminal&)> action;
};

struct CommandText {
  std::string name;
  std::string description;
  std::string example;  // a whole command line
};

// What runs a command once it is chosen, with what its options were parsed into.
template <typename Flags>
using Action = absl::Status (*)(const Flags&, const Invocation&, Terminal&);

// A subcommand with --json, and its example at the end of its --help.
base::Command AddNamed(base::Command app, Invocation& invocation, const CommandText& text);
// --profile NAME.
void AddProfile(base::Command command, Invocation& invocation);

// A subcommand that runs `run`, and the flags that are to be parsed for it.
template <typename Flags>
std::pair<base::Command, std::shared_ptr<Flags>> AddCommand(base::Command app,
                                                            Invocation& invocation,
                                                            const CommandText& text,
                                                            Action<Flags> run) {
  base::Command command = AddNamed(app, invocation, text);
  auto flags = std::make_shared<Flags>();
  command.OnParsed([flags, run, &invocation] {
    invocation.action = [flags, run, &invocation](Terminal& terminal) {
      return run(*flags, invocation, terminal);
    };
  });
  return {command, flags};
}
// The same, with --profile, for those that talk to a wall.
template <typename Flags>
auto AddWallCommand(base::Command app, Invocation& invocation, const CommandText& text,
                    Action<Flags> run) {
  const auto added = AddCommand(app, invocation, text, run);
  AddProfile(added.first, invocation);
  return added;
}

// The custodian's key that the profile pins, 32 bytes; empty if it pins none. `hex`, if not empty,
// is what the command line gives instead. INVALID_ARGUMENT.
absl::StatusOr<std::string> PinnedKey(const Invocation& invocation, const std::string& hex);
// --custodian-key HEX, for commands that check signatures.
void AddCustodianKey(base::Command command, std::string* hex);
// --explain: with what is for information and decides nothing.
void AddExplain(base::Command command, Invocation& invocation);
// --format NAME, of documents of one's own; `name` holds the default.
void AddFormat(base::Command command, std::string* name);
DocumentFormat FormatOf(const std::string& name);

// The wall of the invocation's profile, watched (watched_wall.h): nothing is asked of one whose
// ledger was put back. `terminal` hears of retries and new budgets and must outlive it.
// `should_stop`: asked while it is waited for; CANCELLED then.
absl::StatusOr<std::unique_ptr<WallPort>> ConnectByProfile(const Invocation& invocation,
                                                           Terminal& terminal,
                                                           std::function<bool()> should_stop = {});

// The same with a model's folder, or a measurement's, where what is paid for is kept, and the key
// that the custodian is to have, as for PinnedKey.
struct PaidFolderFlags {
  const std::string& folder;
  const std::string& custodian_key;
};
absl::StatusOr<std::unique_ptr<ReceiptedFolder>> OpenPaidFolder(const Invocation& invocation,
                                                                Terminal& terminal,
                                                                const PaidFolderFlags& flags,
                                                                std::function<bool()> should_stop);

// Tells `terminal`, which must outlive it, that the wall is waited for.
std::function<void(const absl::Status&)> WaitShown(Terminal& terminal);

// The model of a folder, finished or as far as its fit has come (client/fit/fit_outcome.h), of
// which `terminal` then hears, as it does that a model is a mock's.
absl::StatusOr<v1::ModelFile> ReadModelShown(const std::string& folder, Terminal& terminal);
void RemarkIfMock(const v1::ModelFile& model, Terminal& terminal);
// How far a fit has come, as "unfinished", where it is not finished; "mock" of a mock's.
void SetStanding(const v1::ModelFile& model, base::JsonObject& object);

// The subcommands; the options each takes are in its own file.
void AddLogin(base::Command app, Invocation& invocation);
void AddCorpora(base::Command app, Invocation& invocation);
void AddDescribe(base::Command app, Invocation& invocation);
void AddVocabulary(base::Command app, Invocation& invocation);
void AddPlan(base::Command app, Invocation& invocation);
void AddPrice(base::Command app, Invocation& invocation);
void AddFit(base::Command app, Invocation& invocation);
void AddTopics(base::Command app, Invocation& invocation);
void AddLabel(base::Command app, Invocation& invocation);
void AddTree(base::Command app, Invocation& invocation);
void AddMerge(base::Command app, Invocation& invocation);
void AddFind(base::Command app, Invocation& invocation);
void AddMatch(base::Command app, Invocation& invocation);
void AddExport(base::Command app, Invocation& invocation);
void AddTransform(base::Command app, Invocation& invocation);
void AddCount(base::Command app, Invocation& invocation);
void AddPerplexity(base::Command app, Invocation& invocation);
void AddPrevalence(base::Command app, Invocation& invocation);
void AddLengths(base::Command app, Invocation& invocation);
// `version`: of this program, which stands in the page.
void AddReport(base::Command app, Invocation& invocation, const std::string& version);
void AddLearnPrior(base::Command app, Invocation& invocation);
void AddBudget(base::Command app, Invocation& invocation);
void AddLedger(base::Command app, Invocation& invocation);
void AddStatement(base::Command app, Invocation& invocation);
void AddWatch(base::Command app, Invocation& invocation);
void AddPlans(base::Command app, Invocation& invocation);
void AddCancel(base::Command app, Invocation& invocation);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_COMMAND_H_
