// `topicwall plans` and `topicwall cancel`. A cancellation cannot be undone, and its receipt is the
// only proof of what was given back. So before it is asked for, the folder is locked (the fit that
// the plan is of must not be under way in it), the book of receipts is open, and the wall's key is
// the book's.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/audit/budget_sum.h"
#include "client/audit/takings.h"
#include "client/commands/command.h"
#include "client/fit/model_directory.h"
#include "client/wall/profile.h"
#include "client/wall/receipt_book.h"
#include "client/wall/receipted_wall.h"
#include "client/wall/topics_asked.h"
#include "proto/receipt.h"

namespace topicwall::client {
namespace {

// Every iteration is charged: there is nothing left to give back.
bool IsDone(const v1::PlanState& plan) {
  // Also one that a restore paused, with all the budget's plans.
  return plan.state() != v1::PlanState::CANCELLED &&
         // At least 1: an answer without a plan in it must not pass for a plan that is done.
         plan.iterations_size() >= std::max(1, plan.plan().iterations());
}

std::string StateName(const v1::PlanState& plan) {
  // Its state is CANCELLED: who cancelled it makes the difference.
  if (plan.expired()) return "expired";
  if (IsDone(plan)) return "done";
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

// Charged, and it never had a release, or a restore lost it: the wall does not say which.
std::string ChargedText(const v1::PlanState& plan) {
  const auto voided =
      std::count_if(plan.iterations().begin(), plan.iterations().end(),
                    [](const v1::IterationState& iteration) { return iteration.voided(); });
  return absl::StrCat(plan.iterations_size(), "/", plan.plan().iterations(),
                      voided > 0 ? absl::StrCat(", ", voided, " without a release") : "");
}

std::string TopicsText(const v1::ReleaseSpec& plan) {
  const bool is_evaluation =
      plan.model() == kDocumentCompletion || plan.model() == kGaussianLikelihood;
  const char* const how = is_evaluation                 ? " evaluated"
                          : plan.model() == kPrevalence ? " by group"
                                                        : "";
  const int topics = NumTopics(plan);
  return topics > 0 ? absl::StrCat(topics, how) : plan.model();
}

// Not a number of a mechanism that this program does not know, as a newer wall may have it.
double NoiseOf(const v1::ReleaseSpec& plan) {
  return plan.has_gaussian() ? plan.gaussian().noise_multiplier()
                             : std::numeric_limits<double>::quiet_NaN();
}

// By plan id: what each took of its budget.
using TakenByPlan = std::map<std::string, PlanTaking>;

// What a cancellation gave back of a plan.
struct Returned {
  int32_t iterations = 0;
  int32_t never_charged = 0;
};

// What is told of each budget with it, in words: one line a corpus.
struct PlanList {
  std::vector<v1::PlanState> plans;
  TakenByPlan taken;
  std::map<std::string, v1::BudgetSum> sums;  // by corpus, of those that share people
  // Of the one plan that was cancelled just now, as the custodian signed it.
  std::optional<Returned> returned;
};

absl::StatusOr<PlanList> ListOf(WallPort& wall, std::vector<v1::PlanState> plans) {
  PlanList list = {.plans = std::move(plans), .taken = {}, .sums = {}, .returned = {}};
  std::set<std::string> corpora;
  for (const v1::PlanState& plan : list.plans) corpora.insert(plan.plan().corpus());
  for (const std::string& corpus : corpora) {
    absl::StatusOr<v1::BudgetStatus> budget = wall.GetBudget(corpus);
    // Of one that is not served any more, or was replaced and has no budget yet, the plans are
    // listed all the same: what they took is not known.
    if (absl::IsPermissionDenied(budget.status()) || absl::IsNotFound(budget.status())) continue;
    TW_RETURN_IF_ERROR(budget.status());
    budget->set_corpus(corpus);
    TW_ASSIGN_OR_RETURN(const Takings takings, TakingsOf(wall, *budget));
    for (const PlanTaking& taking : takings.plans) list.taken[taking.plan_id] = taking;
    if (IsShared(budget->sum())) list.sums[corpus] = budget->sum();
  }
  return list;
}

std::string JsonTextOf(const PlanList& list) {
  std::vector<base::JsonObject> plans;
  for (const v1::PlanState& plan : list.plans) {
    base::JsonObject object;
    object.SetString("plan_id", plan.plan_id())
        .SetString("corpus", plan.plan().corpus())
        .SetString("state", StateName(plan))
        .SetString("model", plan.plan().model())
        .SetInteger("topics", NumTopics(plan.plan()))
        .SetInteger("iterations", plan.plan().iterations())
        .SetInteger("charged", plan.iterations_size())
        .SetNumber("noise_multiplier", NoiseOf(plan.plan()))
        .SetNumber("sampling_rate", plan.plan().sampling_rate())
        .SetInteger("reserved_at_ms", plan.reserved_at_ms());
    const auto taken = list.taken.find(plan.plan_id());
    if (taken != list.taken.end()) object.SetNumber("taken", taken->second.taken.exact);
    const auto sum = list.sums.find(plan.plan().corpus());
    object.SetRaw("sum", sum == list.sums.end() ? "null" : SumJson(sum->second));
    if (list.returned.has_value()) object.SetInteger("returned", list.returned->iterations);
    plans.push_back(object);
  }
  return base::JsonObject().SetObjects("plans", plans).Text();
}

std::string ReturnedText(const Returned& returned) {
  const std::string text =
      absl::StrCat("given back: ", returned.iterations, " of the ", returned.never_charged,
                   " iterations that were never charged");
  if (returned.iterations >= returned.never_charged) return text;
  return text + "; the others stay spent, as everything does that was reserved before a restore";
}

std::string TextOf(const PlanList& list) {
  if (list.plans.empty()) return "no plans";
  base::Table table;
  table.AddRow(
      {"plan", "corpus", "state", "took", "charged", "topics", "noise", "rate", "reserved (UTC)"});
  for (const v1::PlanState& plan : list.plans) {
    const auto taken = list.taken.find(plan.plan_id());
    table.AddRow(
        {plan.plan_id(), plan.plan().corpus(), StateName(plan),
         // Not known of a budget that is not told (ListOf), nor where a wall fell silent after a
         // cancellation (RunCancel); "?" is no 0.
         taken == list.taken.end() ? "?" : absl::StrFormat("%.4f", taken->second.taken.told),
         ChargedText(plan), TopicsText(plan.plan()),
         plan.plan().has_gaussian() ? absl::StrFormat("%g", NoiseOf(plan.plan())) : "?",
         absl::StrFormat("%g", plan.plan().sampling_rate()),
         absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::FromUnixMillis(plan.reserved_at_ms()),
                          absl::UTCTimeZone())});
  }
  std::string text = table.Text();
  for (const auto& [corpus, sum] : list.sums) {
    absl::StrAppend(&text, "\ntogether with others the budget of ", corpus, ": ", SumText(sum));
  }
  if (list.returned.has_value()) absl::StrAppend(&text, "\n", ReturnedText(*list.returned));
  return text;
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

// Nothing of a plan that the wall calls something else than cancelled: there is no receipt then.
absl::StatusOr<std::optional<Returned>> ReturnedOf(const v1::PlanState& cancelled,
                                                   absl::string_view key) {
  if (cancelled.state() != v1::PlanState::CANCELLED) return std::nullopt;
  TW_ASSIGN_OR_RETURN(const proto::OpenedReceipt receipt,
                      proto::OpenReceipt(cancelled.cancellation_receipt(), key));
  return Returned{.iterations = receipt.event.plan_cancelled().iterations_returned(),
                  .never_charged = std::max(
                      0, receipt.receipt.plan().spec().iterations() - cancelled.iterations_size())};
}

absl::Status RunCancel(const CancelFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(const std::string folder, ReceiptsFolder(flags, invocation));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> lock, ModelDirectory::Open(folder));
  TW_ASSIGN_OR_RETURN(const std::string key, PinnedKey(invocation, flags.custodian_key));
  TW_ASSIGN_OR_RETURN(ReceiptBook book, ReceiptBook::Open(ReceiptsPath(folder), key, [&lock] {
                        return lock->CheckInPlace();
                      }));
  // A wall with another key is refused while the plan can still go on.
  TW_ASSIGN_OR_RETURN(const v1::PlanState before, wall->GetPlan(flags.plan_id));
  TW_RETURN_IF_ERROR(book.Meet(before.reservation_receipt().public_key()));
  if (IsDone(before)) {
    return absl::FailedPreconditionError(
        absl::StrCat("plan ", flags.plan_id, " is done: all its ", before.plan().iterations(),
                     " releases are charged, nothing can be given back, and it cannot be "
                     "cancelled."));
  }
  ReceiptedWall receipted(*wall, book);
  // Through the book: what is printed below is printed only if its receipt holds and is kept.
  TW_ASSIGN_OR_RETURN(const v1::PlanState plan, receipted.CancelPlan(flags.plan_id));
  TW_ASSIGN_OR_RETURN(const std::optional<Returned> returned, ReturnedOf(plan, book.signing_key()));
  terminal.Remark(absl::StrCat("The receipt is kept in ", ReceiptsPath(folder), "."));
  // The plan is cancelled, whether or not the wall still answers.
  absl::StatusOr<PlanList> list = ListOf(receipted, {plan});
  if (!list.ok()) list = PlanList{.plans = {plan}, .taken = {}, .sums = {}, .returned = {}};
  list->returned = returned;
  terminal.Print(invocation.json ? JsonTextOf(*list) : TextOf(*list));
  return absl::OkStatus();
}

absl::Status ShowPlans(const std::string& corpus, const Invocation& invocation,
                       Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<WallPort> wall, ConnectByProfile(invocation, terminal));
  TW_ASSIGN_OR_RETURN(std::vector<v1::PlanState> plans, wall->ListPlans(corpus));
  TW_ASSIGN_OR_RETURN(const PlanList list, ListOf(*wall, std::move(plans)));
  terminal.Print(invocation.json ? JsonTextOf(list) : TextOf(list));
  return absl::OkStatus();
}

}  // namespace

void AddPlans(base::Command app, Invocation& invocation) {
  auto [command, corpus] = AddWallCommand(app, invocation,
                                          {.name = "plans",
                                           .description = "Your own plans, oldest first",
                                           .example = "topicwall plans notes"},
                                          ShowPlans);
  command.Add("corpus", *corpus, "Name of the corpus (otherwise all)");
}

void AddCancel(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "cancel",
       .description =
           "End a plan and give back what it never charged, or nothing after a restore: it says "
           "how much. The plan cannot go on afterwards",
       .example = "topicwall cancel 3f1c0de2a9b84c6d8f7e5a4b3c2d1e0f"},
      RunCancel);
  command.Add("plan", flags->plan_id, "The plan, as `topicwall plans` shows it").Required();
  command.Add("--model", flags->model,
              "Folder of a model, to keep the receipt with its others (otherwise beside "
              "the profile)");
  AddCustodianKey(command, &flags->custodian_key);
}

}  // namespace topicwall::client
