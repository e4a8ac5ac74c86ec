// The flags that describe a plan, the same for `price` and `fit`, and how its price is shown.
#ifndef TOPICWALL_CLIENT_COMMANDS_PLAN_FLAGS_H_
#define TOPICWALL_CLIENT_COMMANDS_PLAN_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "client/plan_offer.h"

namespace topicwall::client {

// The simple private default: everybody takes part, ten iterations, clip norm 4 words. Every
// default is shown by --help and by the price before anything is reserved.
struct PlanFlags {
  PlanRequest request = {.corpus = "",
                         .num_topics = 0,
                         .iterations = 10,
                         .sampling_rate = 1,
                         .epsilon = {},
                         .noise_multiplier = {},
                         .max_words = {}};
  double clip_norm = 4;  // C in words
};

// Adds CORPUS, --topics, --epsilon | --noise-multiplier, --sampling-rate, --iterations,
// --clip-norm and --max-words. `flags` must outlive the parsing.
void AddPlanFlags(CLI::App& command, PlanFlags& flags);

// What the plan is, costs and gives, in a few lines.
std::string OfferText(const PlanOffer& offer, double clip_norm);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_PLAN_FLAGS_H_
