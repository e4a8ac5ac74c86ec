#include "client/commands/wish_flags.h"

#include "client/commands/command.h"

namespace topicwall::client {

void AddWishFlags(base::Command command, WishFlags& flags) {
  command
      .Add("--hours", flags.hours,
           "How long the fit may take: limits the iterations by the corpus' release interval")
      .Positive();
  command
      .Add("--seconds-per-release", flags.seconds_per_release,
           "What a release takes if that is more than the interval, or there is none")
      .Positive();
}

FitWishes WishesOf(const PlanFlags& plan, const WishFlags& flags) {
  return {.epsilon = plan.epsilon.value_or(0),
          .delta = {},
          .num_topics = plan.num_topics,
          .iterations = plan.iterations,
          .hours = flags.hours,
          .seconds_per_release = flags.seconds_per_release,
          .guess = plan.guess};
}

}  // namespace topicwall::client
