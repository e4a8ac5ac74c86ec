#include <memory>

#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/commands/expectation_text.h"
#include "client/commands/plan_flags.h"
#include "client/json.h"

namespace topicwall::client {
namespace {

absl::Status Price(const PlanFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_RETURN_IF_ERROR(CheckTopicsGiven(flags));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const PlanOffer offer, MakeOffer(*wall, RequestOf(flags)));
  terminal.Print(invocation.json ? base::JsonObject()
                                       .SetRaw("plan", JsonOf(offer.plans.topics))
                                       .SetRaw("price", JsonOf(offer.price))
                                       .SetNumber("clip_norm", ClipNormOf(flags))
                                       .SetRaw("expected", ExpectationJson(offer.expected))
                                       .SetString("warning", WarningOf(offer))
                                       .Text()
                                 : OfferText(offer, ClipNormOf(flags)));
  if (!WarningOf(offer).empty()) terminal.Remark(WarningOf(offer));
  // A price was asked and answered: that the plan does not fit is an answer too.
  return absl::OkStatus();
}

}  // namespace

void AddPrice(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<PlanFlags>();
  base::Command command = AddWallCommand(
      app, invocation,
      {.name = "price",
       .description = "What a fit would cost and whether it fits, without reserving it",
       .example = "topicwall price notes --topics 50 --noise-multiplier 6.3 --iterations 10"});
  AddPlanFlags(command, *flags);
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation](Terminal& terminal) {
      return Price(*flags, invocation, terminal);
    };
  });
}

}  // namespace topicwall::client
