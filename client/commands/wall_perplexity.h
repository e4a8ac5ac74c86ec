// `topicwall perplexity MODEL --behind-the-wall CORPUS`: an evaluation that is paid for, apart from
// the command for documents of one's own.
#ifndef TOPICWALL_CLIENT_COMMANDS_WALL_PERPLEXITY_H_
#define TOPICWALL_CLIENT_COMMANDS_WALL_PERPLEXITY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/command_line.h"
#include "client/audit/spend.h"
#include "client/commands/command.h"
#include "client/terminal.h"

namespace topicwall::client {

struct WallPerplexityFlags {
  std::string corpus;                    // empty: not behind the wall
  std::optional<double> held_out_share;  // the model's own if not given
  PlanNoise noise;
  int releases = 1;
  std::optional<double> words_per_unit;  // what the fit assumed if not given
  std::string words_folder;              // where it was measured, or empty
  std::optional<int64_t> max_words;
  std::string custodian_key;  // 64 hexadecimal digits, or empty
  bool yes = false;
};

// Adds --behind-the-wall and what belongs to it. `flags` must outlive the parsing.
void AddWallPerplexityFlags(base::Command command, WallPerplexityFlags& flags);

// Whether one of them was given that has no meaning without --behind-the-wall.
bool HasWallFlags(const WallPerplexityFlags& flags);

// Shows the quote and asks, unless it was begun before; then evaluates and prints.
absl::Status ShowWallPerplexity(const std::string& model, const WallPerplexityFlags& flags,
                                const Invocation& invocation, Terminal& terminal);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_WALL_PERPLEXITY_H_
