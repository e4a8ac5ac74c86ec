// What every subcommand of `topicwall` has in common.
//
//   void AddDescribe(CLI::App& app, Invocation& invocation) {
//     auto corpus = std::make_shared<std::string>();
//     CLI::App* command = AddCommand(app, invocation, {.name = "describe", …});
//     command->add_option("corpus", *corpus, "…")->required();
//     command->callback([corpus, &invocation] {
//       invocation.action = [corpus, &invocation](Terminal& terminal) { … };
//     });
//   }
//
// Parsing only chooses the action; main.cc runs it and turns its status into the exit code, so
// that a command is a function that returns absl::Status and can be read without CLI11.
#ifndef TOPICWALL_CLIENT_COMMANDS_COMMAND_H_
#define TOPICWALL_CLIENT_COMMANDS_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/audit/chain_watch.h"
#include "client/evaluate/document_reader.h"
#include "client/terminal.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

// What the command line said.
struct Invocation {
  std::string profile;  // name or path; empty: TOPICWALL_PROFILE, else "default"
  bool json = false;
  std::function<absl::Status(Terminal&)> action;
};

struct CommandText {
  std::string name;
  std::string description;
  std::string example;  // a whole command line
};

// A subcommand with --json, and its example at the end of its --help.
CLI::App* AddCommand(CLI::App& app, Invocation& invocation, const CommandText& text);
// The same, with --profile, for those that talk to a wall.
CLI::App* AddWallCommand(CLI::App& app, Invocation& invocation, const CommandText& text);

// Refuses zero and less with a sentence that can be read.
CLI::Validator Positive();

// The custodian's key that the profile pins, 32 bytes; empty if it pins none. `hex`, if not empty,
// is what the command line gives instead. INVALID_ARGUMENT.
absl::StatusOr<std::string> PinnedKey(const Invocation& invocation, const std::string& hex);
// --custodian-key HEX, for commands that check signatures.
void AddCustodianKey(CLI::App* command, std::string* hex);
// --format NAME, of documents of one's own; `name` holds the default.
void AddFormat(CLI::App* command, std::string* name);
DocumentFormat FormatOf(const std::string& name);

// The wall of the invocation's profile, watched (watched_wall.h): nothing is asked of one whose
// ledger was put back. `terminal` hears of retries and new budgets and must outlive it.
absl::StatusOr<std::unique_ptr<WallPort>> ConnectByProfile(const Invocation& invocation,
                                                           Terminal& terminal);

// The same in its parts, for the one command that looks at chains itself.
struct ProfiledWall {
  std::unique_ptr<WallPort> wall;
  HeadBook book;
  std::string signing_key;  // that the profile pins, or empty
};
absl::StatusOr<ProfiledWall> ConnectUnwatched(const Invocation& invocation, Terminal& terminal);

// Of a sight that replaced another: what to tell, once.
std::string DescribeNewBudget(const ChainSight& sight);

// The subcommands; the options each takes are in its own file.
void AddLogin(CLI::App& app, Invocation& invocation);
void AddDescribe(CLI::App& app, Invocation& invocation);
void AddPlan(CLI::App& app, Invocation& invocation);
void AddPrice(CLI::App& app, Invocation& invocation);
void AddFit(CLI::App& app, Invocation& invocation);
void AddTopics(CLI::App& app, Invocation& invocation);
void AddPerplexity(CLI::App& app, Invocation& invocation);
void AddLearnPrior(CLI::App& app, Invocation& invocation);
void AddBudget(CLI::App& app, Invocation& invocation);
void AddLedger(CLI::App& app, Invocation& invocation);
void AddStatement(CLI::App& app, Invocation& invocation);
void AddWatch(CLI::App& app, Invocation& invocation);
void AddPlans(CLI::App& app, Invocation& invocation);
void AddCancel(CLI::App& app, Invocation& invocation);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_COMMAND_H_
