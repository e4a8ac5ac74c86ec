// `topicwall plans` and `topicwall cancel`. A cancellation cannot be undone, and its receipt is the
// only proof of what was given back. So before it is asked for, the folder is locked (the fit that
// the plan is of must not be under way in it), the book of receipts is open, and the wall's key is
// the book's.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/fit/model_directory.h"
#include "client/json.h"
#include "client/wall/profile.h"
#include "client/wall/receipt_book.h"
#include "client/wall/receipted_wall.h"
#include "client/wall/topics_asked.h"

namespace topicwall::client {
namespace {

std::string StateName(const v1::PlanState& plan) {
  // Its state is CANCELLED: who cancelled it makes the difference.
  if (plan.expired()) return "expired";
  switch (plan.state()) {
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

// A voided iteration is charged, and never had a release.
std::string ChargedText(const v1::PlanState& plan) {
  const auto voided =
      std::count_if(plan.iterations().begin(), plan.iterations().end(),
                    [](const v1::IterationState& iteration) { return iteration.voided(); });
  return absl::StrCat(plan.iterations_size(), "/", plan.plan().iterations(),
                      voided > 0 ? absl::StrCat(", ", voided, " voided") : "");
}

std::string TopicsText(const v1::ReleaseSpec& plan) {
  const char* const how = plan.model() == kDocumentCompletion ? " evaluated"
                          : plan.model() == kPrevalence       ? " by group"
                                                              : "";
  return absl::StrCat(NumTopics(plan), how);
}

std::string TextOf(const std::vector<v1::PlanState>& plans) {
  if (plans.empty()) return "no plans";
  base::Table table;
  table.AddRow({"plan", "corpus", "state", "charged", "topics", "noise", "rate", "reserved (UTC)"});
  for (const v1::PlanState& plan : plans) {
    table.AddRow({plan.plan_id(), plan.plan().corpus(), StateName(plan), ChargedText(plan),
                  TopicsText(plan.plan()),
                  absl::StrFormat("%g", plan.plan().gaussian().noise_multiplier()),
                  absl::StrFormat("%g", plan.plan().sampling_rate()),
                  absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::FromUnixMillis(plan.reserved_at_ms()),
                                   absl::UTCTimeZone())});
  }
  return table.Text();
}

struct CancelFlags {
  std::string plan_id;
  std::string model;
  std::string custodian_key;  // 64 hexadecimal digits, or empty
};

// Beside the profile, for plans that no model on this machine is made of.
absl::StatusOr<std::string> ReceiptsFolder(const CancelFlags& flags, const Invocation& invocation) {
  // With the fit's other receipts, where there is a fit; a plan may have been reserved elsewhere.
  if (!flags.model.empty()) return flags.model;
  TW_ASSIGN_OR_RETURN(const std::string profile, ProfilePath(invocation.profile));
  return absl::StrCat(absl::StripSuffix(profile, ".textproto"), ".receipts");
}

absl::Status RunCancel(const CancelFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const std::string folder, ReceiptsFolder(flags, invocation));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> lock, ModelDirectory::Open(folder));
  TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey(invocation, flags.custodian_key));
  TW_ASSIGN_OR_RETURN(ReceiptBook book, ReceiptBook::Open(ReceiptsPath(folder), key));
  // A wall with another key is refused while the plan can still go on.
  TW_ASSIGN_OR_RETURN(const v1::PlanState before, wall->GetPlan(flags.plan_id));
  TW_RETURN_IF_ERROR(book.Meet(before.reservation_receipt().public_key()));
  ReceiptedWall receipted(*wall, book);
  // Through the book: what is printed below is printed only if its receipt holds and is kept.
  TW_ASSIGN_OR_RETURN(const v1::PlanState plan, receipted.CancelPlan(flags.plan_id));
  terminal.Remark(absl::StrCat("The receipt is kept in ", ReceiptsPath(folder), "."));
  terminal.Print(invocation.json ? JsonOf(plan) : TextOf({plan}));
  return absl::OkStatus();
}

}  // namespace

void AddPlans(base::Command app, Invocation& invocation) {
  auto corpus = std::make_shared<std::string>();
  base::Command command = AddWallCommand(app, invocation,
                                         {.name = "plans",
                                          .description = "Your own plans, oldest first",
                                          .example = "topicwall plans notes"});
  command.Add("corpus", *corpus, "Name of the corpus (otherwise all)");
  command.OnParsed([corpus, &invocation] {
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

void AddCancel(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<CancelFlags>();
  base::Command command = AddWallCommand(
      app, invocation,
      {.name = "cancel",
       .description = "End a plan and give back what it never charged. It cannot go on afterwards",
       .example = "topicwall cancel 3f1c0de2a9b84c6d8f7e5a4b3c2d1e0f"});
  command.Add("plan", flags->plan_id, "The plan, as `topicwall plans` shows it").Required();
  command.Add("--model", flags->model,
              "Folder of a model, to keep the receipt with its others (otherwise beside "
              "the profile)");
  AddCustodianKey(command, &flags->custodian_key);
  command.OnParsed([flags, &invocation] {
    invocation.action = [flags, &invocation](Terminal& terminal) {
      return RunCancel(*flags, invocation, terminal);
    };
  });
}

}  // namespace topicwall::client
