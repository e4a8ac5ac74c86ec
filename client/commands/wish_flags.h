// The flags of a planner's wishes, the same for `plan` and `fit --plan auto`.
#ifndef TOPICWALL_CLIENT_COMMANDS_WISH_FLAGS_H_
#define TOPICWALL_CLIENT_COMMANDS_WISH_FLAGS_H_

#include <optional>

#include "base/command_line.h"
#include "client/commands/plan_flags.h"
#include "client/fit/fit_planner.h"

namespace topicwall::client {

struct WishFlags {
  std::optional<double> hours;
  std::optional<double> seconds_per_release;
};

// Adds --hours and --seconds-per-release. `flags` must outlive the parsing.
void AddWishFlags(base::Command app, WishFlags& flags);

// With what `plan` says of ε, K, J and the corpus; it must have an ε.
FitWishes WishesOf(const PlanFlags& plan, const WishFlags& flags);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_WISH_FLAGS_H_
