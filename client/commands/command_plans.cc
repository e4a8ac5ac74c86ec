#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "accountant/status_macros.h"
#include "client/commands/command.h"
#include "client/json.h"

namespace topicwall::client {
namespace {

std::string StateName(v1::PlanState::State state) {
  switch (state) {
    case v1::PlanState::ACTIVE:
      return "active";
    case v1::PlanState::CANCELLED:
      return "cancelled";
    case v1::PlanState::PAUSED:
      return "paused";
    default:
      return "unknown";
  }
}

std::string TextOf(const std::vector<v1::PlanState>& plans) {
  if (plans.empty()) return "no plans";
  Table table;
  table.AddRow({"plan", "corpus", "state", "charged", "topics", "noise", "rate", "reserved (UTC)"});
  for (const v1::PlanState& plan : plans) {
    table.AddRow({plan.plan_id(), plan.plan().corpus(), StateName(plan.state()),
                  absl::StrCat(plan.iterations_size(), "/", plan.plan().iterations()),
                  absl::StrCat(plan.plan().lda().num_topics()),
                  absl::StrFormat("%g", plan.plan().noise_multiplier()),
                  absl::StrFormat("%g", plan.plan().sampling_rate()),
                  absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::FromUnixMillis(plan.reserved_at_ms()),
                                   absl::UTCTimeZone())});
  }
  return table.Text();
}

}  // namespace

void AddPlans(CLI::App& app, Invocation& invocation) {
  auto corpus = std::make_shared<std::string>();
  CLI::App* command = AddWallCommand(app, invocation,
                                     {.name = "plans",
                                      .description = "Your own plans, oldest first",
                                      .example = "topicwall plans notes"});
  command->add_option("corpus", *corpus, "Name of the corpus (otherwise all)");
  command->callback([corpus, &invocation] {
    invocation.action = [corpus, &invocation](Terminal& terminal) -> absl::Status {
      TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall,
                          ConnectByProfile(invocation, terminal));
      TW_ASSIGN_OR_RETURN(const std::vector<v1::PlanState> plans, wall->ListPlans(*corpus));
      v1::ListPlansResponse response;
      for (const v1::PlanState& plan : plans) *response.add_plans() = plan;
      terminal.Print(invocation.json ? JsonOf(response) : TextOf(plans));
      return absl::OkStatus();
    };
  });
}

void AddCancel(CLI::App& app, Invocation& invocation) {
  auto plan_id = std::make_shared<std::string>();
  CLI::App* command = AddWallCommand(
      app, invocation,
      {.name = "cancel",
       .description = "End a plan and give back what it never charged. It cannot go on afterwards",
       .example = "topicwall cancel 3f1c0de2a9b84c6d8f7e5a4b3c2d1e0f"});
  command->add_option("plan", *plan_id, "The plan, as `topicwall plans` shows it")->required();
  command->callback([plan_id, &invocation] {
    invocation.action = [plan_id, &invocation](Terminal& terminal) -> absl::Status {
      TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall,
                          ConnectByProfile(invocation, terminal));
      TW_ASSIGN_OR_RETURN(const v1::PlanState plan, wall->CancelPlan(*plan_id));
      terminal.Print(invocation.json ? JsonOf(plan) : TextOf({plan}));
      return absl::OkStatus();
    };
  });
}

}  // namespace topicwall::client
