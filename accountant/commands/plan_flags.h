// The flags that describe a schedule, and those that choose an accountant.
//
// A number stays text until it is asked for, so that every error names the field, its rule and what
// was written, whether it came from a flag or a file. Missing flags are INVALID_ARGUMENT too.
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_PLAN_FLAGS_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_PLAN_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/accountants.h"
#include "accountant/commands/report.h"
#include "accountant/events/dp_event.h"
#include "base/command_line.h"

namespace topicwall::accountant {

using FlagText = std::optional<std::string>;

// --noise-multiplier, --histogram-noise-multiplier, --sampling-rate, --steps.
struct PlanFlags {
  FlagText noise_multiplier;
  FlagText histogram_noise_multiplier;
  FlagText sampling_rate;
  FlagText steps;
};
void AddPlanFlags(base::Command command, PlanFlags& flags);

// INVALID_ARGUMENT for what is missing, no number, or out of its domain.
absl::StatusOr<DpEvent> PlanOf(const PlanFlags& flags);
// The plan's fields as a report shows them.
Row PlanFields(const DpEvent& plan);

// --accountant, --max-order, --paper-cap, --strong.
struct AccountantFlags {
  std::string accountant;  // a name or, where it is offered, "all"
  int max_order = 256;
  bool paper_cap = false;
  std::string strong = "analytic-best";
};
enum class All { kOffered, kNotOffered };
void AddAccountantFlags(base::Command command, AccountantFlags& flags, All all);

AccountantOptions OptionsOf(const AccountantFlags& flags);
// One name, or all of them for "all".
std::vector<std::string> NamesOf(const AccountantFlags& flags);

// The number in --epsilon or --delta, in its domain.
absl::StatusOr<double> EpsilonOf(const FlagText& flag);
absl::StatusOr<double> DeltaOf(const FlagText& flag);

// INVALID_ARGUMENT naming the flag (without its dashes, '_' for '-') when it was not given.
absl::StatusOr<std::string> Given(absl::string_view field, const FlagText& flag);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_COMMANDS_PLAN_FLAGS_H_
