#include "server/ledger/ledger_thaw.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_picture.h"
#include "server/ledger/budget_sums.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/ledger_verification.h"
#include "server/ledger/lost_history.h"
#include "server/ledger/plan_table.h"
#include "server/ledger/thaw_evidence.h"
#include "server/random/secure_random.h"

namespace topicwall::ledger {
namespace {

// Records what was taken for the newest head, and tells the sums again.
absl::Status Unfreeze(SqliteConnection& connection, const BudgetRow& budget,
                      const v1::BudgetThawed& act, int64_t now_ms) {
  v1::LedgerEvent event;
  event.set_time_ms(now_ms);
  *event.mutable_budget_thawed() = act;
  TW_RETURN_IF_ERROR(AppendEvent(connection, budget.budget_id, std::move(event)));
  TW_ASSIGN_OR_RETURN(const BudgetRow thawed, FindBudget(connection, budget.budget_id));
  TW_RETURN_IF_ERROR(InsertThaw(connection, budget.budget_id, thawed.events));
  TW_RETURN_IF_ERROR(SetRestoredAt(connection, budget.budget_id, 0));
  return TellSums(connection, budget.budget_id, now_ms);
}

absl::Status RequireFrozen(const BudgetRow& budget) {
  if (budget.frozen()) return absl::OkStatus();
  return absl::FailedPreconditionError("the budget is not frozen: there is nothing to thaw.");
}

absl::Status Forfeit(SqliteConnection& connection, const BudgetRow& budget) {
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, budget.Policy());
  return SetSpent(connection, budget.budget_id, policy.EverythingSpent());
}

// What the event said of the plan. The full text is lost; the plan never runs again.
v1::PlanSpec SpecOf(const v1::PlanReserved& act) {
  v1::PlanSpec spec;
  spec.set_corpus(act.corpus());
  spec.set_corpus_version(act.corpus_version());
  spec.set_sampling_rate(act.sampling_rate());
  spec.set_noise_multiplier(act.noise_multiplier());
  if (act.has_histogram_noise_multiplier()) {
    spec.set_histogram_noise_multiplier(act.histogram_noise_multiplier());
  }
  spec.set_iterations(act.iterations());
  spec.set_max_words(act.max_words());
  spec.set_held_out_share(act.held_out_share());
  if (act.document_completion()) {
    spec.mutable_document_completion()->set_num_topics(act.num_topics());
  } else {
    spec.mutable_lda()->set_num_topics(act.num_topics());
  }
  return spec;
}

absl::Status TakeOverPlan(SqliteConnection& connection, const std::string& budget_id,
                          v1::LedgerEvent event) {
  v1::PlanReserved& act = *event.mutable_plan_reserved();
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection, budget_id));
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, budget.Policy());
  const accountant::CostVector cost{act.cost().begin(), act.cost().end()};
  if (cost.size() != budget.spent.size() || act.iterations() < 1 || event.principal().empty()) {
    return ImpossibleEvent();
  }
  // The client's own id of the request did not get into the chain.
  TW_ASSIGN_OR_RETURN(const auto request_id, random::Random128());
  const PlanRow row{.plan_id = act.plan_id(),
                    .corpus_version = act.corpus_version(),
                    .principal = event.principal(),
                    .request_id = std::string(request_id.begin(), request_id.end()),
                    .spec = BytesOfPlan(SpecOf(act)),
                    .cost = cost,
                    .reserved_at_ms = event.time_ms(),
                    .state = v1::PlanState::PAUSED,
                    .iterations = act.iterations(),
                    .reserved_iterations = act.iterations(),
                    .refundable = false};
  TW_RETURN_IF_ERROR(InsertPlan(connection, row));
  TW_RETURN_IF_ERROR(
      SetSpent(connection, budget_id, policy.SpentAfter(budget.spent, row.SetAside())));
  TW_ASSIGN_OR_RETURN(const accountant::CostVector own,
                      AnalystSpent(connection, budget, row.principal));
  TW_RETURN_IF_ERROR(SetAnalystSpent(connection, budget_id, row.principal,
                                     policy.SpentAfter(own, row.SetAside())));
  act.set_plan_sha256(base::DigestBytes(base::Sha256Of(row.spec)));
  return AppendEvent(connection, budget_id, std::move(event));
}

absl::Status TakeOverCharge(SqliteConnection& connection, const std::string& budget_id,
                            v1::LedgerEvent event) {
  const v1::IterationCharged& act = event.iteration_charged();
  TW_ASSIGN_OR_RETURN(const std::optional<PlanRow> plan, FindPlan(connection, act.plan_id()));
  if (!plan.has_value() || plan->principal != event.principal() || act.iteration() < 1 ||
      act.iteration() > plan->iterations) {
    return ImpossibleEvent();
  }
  TW_RETURN_IF_ERROR(InsertCharge(connection, {.charge_id = 0,
                                               .plan_id = act.plan_id(),
                                               .iteration = act.iteration(),
                                               .request_digest = act.request_digest(),
                                               .charged_at_ms = event.time_ms(),
                                               .state = ChargeState::kLost,
                                               .recomputations = 0,
                                               .sealed_release_key = "",
                                               .header_sha256 = "",
                                               .release_sha256 = "",
                                               .readable_at_ms = 0,
                                               .intervals_waited = 0,
                                               .release_interval_ms = IntervalOf(act),
                                               .kernel_name = act.kernel_name(),
                                               .free_processors = act.free_processors()})
                         .status());
  return AppendEvent(connection, budget_id, std::move(event));
}

absl::Status TakeOverCorpus(SqliteConnection& connection, const std::string& budget_id,
                            v1::LedgerEvent event) {
  const v1::CorpusJoined& act = event.corpus_joined();
  TW_RETURN_IF_ERROR(InsertCorpus(connection, {.corpus_version = act.corpus_version(),
                                               .corpus = act.corpus(),
                                               .budget_id = budget_id,
                                               .overruns = 0,
                                               .acknowledged = 0}));
  return AppendEvent(connection, budget_id, std::move(event));
}

// What costs is taken over. Cancels, pauses and publications of the lost ledger give
// nothing back and make nothing readable here, so they are left out.
absl::Status TakeOver(SqliteConnection& connection, const BudgetRow& budget,
                      v1::LedgerEvent event) {
  switch (event.act_case()) {
    case v1::LedgerEvent::kPlanReserved:
      return TakeOverPlan(connection, budget.budget_id, std::move(event));
    case v1::LedgerEvent::kIterationCharged:
      return TakeOverCharge(connection, budget.budget_id, std::move(event));
    case v1::LedgerEvent::kCorpusJoined:
      return TakeOverCorpus(connection, budget.budget_id, std::move(event));
    case v1::LedgerEvent::kBudgetThawed:
      if (event.budget_thawed().ground() != v1::BudgetThawed::FORFEITED &&
          !event.budget_thawed().forfeited_unseen()) {
        return absl::OkStatus();
      }
      return absl::FailedPreconditionError(
          "the lost ledger had forfeited its budget: forfeit this one too.");
    default:
      return absl::OkStatus();
  }
}

// Settles whether everybody has shown what they hold; spends all that is left if not.
absl::Status ThawChain(SqliteConnection& connection, const BudgetRow& budget,
                       const ClaimedChain& chain, const ThawEvidence& evidence,
                       v1::BudgetThawed act, int64_t now_ms) {
  TW_ASSIGN_OR_RETURN(const bool all, AllHaveShown(budget, chain, evidence));
  if (!all) TW_RETURN_IF_ERROR(Forfeit(connection, budget));
  act.set_forfeited_unseen(!all);
  act.set_head_sequence(chain.length);
  TW_ASSIGN_OR_RETURN(*act.mutable_head(), chain.head_at(chain.length));
  return Unfreeze(connection, budget, act, now_ms);
}

std::set<std::string> PrincipalsOf(const BudgetPicture& picture) {
  std::set<std::string> principals;
  for (const auto& [id, plan] : picture.plans) principals.insert(plan.principal);
  return principals;
}

}  // namespace

absl::Status ThawWithHead(SqliteConnection& connection, absl::string_view head,
                          const ThawEvidence& evidence, int64_t now_ms) {
  TW_ASSIGN_OR_RETURN(const std::vector<BudgetRow> budgets, AllBudgets(connection));
  for (const BudgetRow& budget : budgets) {
    if (!budget.frozen()) continue;
    const auto head_at = [&](int64_t sequence) { return HeadAt(connection, budget, sequence); };
    const int64_t end = budget.restored_at - 1;
    TW_ASSIGN_OR_RETURN(const std::string backup_head, head_at(end));
    if (backup_head != head) continue;
    TW_ASSIGN_OR_RETURN(const BudgetPicture picture, PictureOfTables(connection, budget));
    v1::BudgetThawed act;
    act.set_ground(v1::BudgetThawed::HEAD_CONFIRMED);
    return ThawChain(connection, budget,
                     {.length = end, .head_at = head_at, .principals = PrincipalsOf(picture)},
                     evidence, act, now_ms);
  }
  return absl::FailedPreconditionError(
      "no frozen budget ends at this head: something was released after the backup, or the head "
      "is another ledger's. Thaw with an auditor's events, or forfeit.");
}

absl::Status ThawWithEvents(SqliteConnection& connection, const v1::LedgerExport& lost,
                            const ThawEvidence& evidence, int64_t now_ms) {
  v1::LedgerEvent first;
  if (lost.entries_size() == 0 || !first.ParseFromString(lost.entries(0).event())) {
    return absl::InvalidArgumentError("the export must begin with its first event.");
  }
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection, first.budget_id()));
  TW_RETURN_IF_ERROR(RequireFrozen(budget));
  TW_ASSIGN_OR_RETURN(LostHistory history, ReadLostHistory(connection, budget, lost));
  for (v1::LedgerEvent& event : history.beyond) {
    const absl::Status taken = TakeOver(connection, budget, std::move(event));
    if (absl::IsInternal(taken)) return ImpossibleEvent();  // a constraint of the tables
    TW_RETURN_IF_ERROR(taken);
  }
  const auto head_at = [&](int64_t sequence) -> absl::StatusOr<std::string> {
    if (sequence < 1 || sequence > lost.entries_size()) return ImpossibleEvent();
    return lost.entries(static_cast<int>(sequence - 1)).head();
  };
  v1::BudgetThawed act;
  act.set_ground(v1::BudgetThawed::EVENTS_APPENDED);
  TW_RETURN_IF_ERROR(ThawChain(connection, budget,
                               {.length = lost.entries_size(),
                                .head_at = head_at,
                                .principals = PrincipalsOf(history.picture)},
                               evidence, act, now_ms));
  // Whatever came in from outside, the ledger must open again.
  const absl::Status sound = VerifyBudgets(connection);
  return absl::IsDataLoss(sound) ? ImpossibleEvent() : sound;
}

absl::Status ThawWithNothing(SqliteConnection& connection, absl::string_view budget_id,
                             int64_t now_ms) {
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection, budget_id));
  TW_RETURN_IF_ERROR(RequireFrozen(budget));
  TW_RETURN_IF_ERROR(Forfeit(connection, budget));
  v1::BudgetThawed act;
  act.set_ground(v1::BudgetThawed::FORFEITED);
  act.set_head_sequence(budget.restored_at - 1);
  TW_ASSIGN_OR_RETURN(*act.mutable_head(), HeadAt(connection, budget, budget.restored_at - 1));
  return Unfreeze(connection, budget, act, now_ms);
}

}  // namespace topicwall::ledger
