#include "server/ledger/ledger_thaw.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/ledger_chain.h"
#include "proto/sha256.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/ledger_requests.h"
#include "server/ledger/ledger_verification.h"
#include "server/ledger/plan_table.h"
#include "server/random/secure_random.h"

namespace topicwall::ledger {
namespace {

absl::StatusOr<std::string> HeadAt(SqliteConnection& connection, const BudgetRow& budget,
                                   int64_t sequence) {
  if (sequence == 0) return proto::GenesisHead();
  TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                      ReadEntries(connection, budget.budget_id, sequence, 1));
  if (entries.empty()) return absl::DataLossError("the ledger has lost events.");
  return entries.front().head();
}

absl::Status Unfreeze(SqliteConnection& connection, const BudgetRow& budget,
                      v1::BudgetThawed::Ground ground, int64_t now_ms) {
  v1::LedgerEvent event;
  event.set_time_ms(now_ms);
  event.mutable_budget_thawed()->set_ground(ground);
  TW_RETURN_IF_ERROR(AppendEvent(connection, budget.budget_id, std::move(event)));
  return SetRestoredAt(connection, budget.budget_id, 0);
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

absl::Status Impossible() {
  return absl::InvalidArgumentError(
      "the export holds an event that cannot have followed the ones before it.");
}

absl::Status TakeOverPlan(SqliteConnection& connection, const std::string& budget_id,
                          v1::LedgerEvent event) {
  v1::PlanReserved& act = *event.mutable_plan_reserved();
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection, budget_id));
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, budget.Policy());
  const accountant::CostVector cost{act.cost().begin(), act.cost().end()};
  if (cost.size() != budget.spent.size() || act.iterations() < 1 || event.principal().empty()) {
    return Impossible();
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
  act.set_plan_sha256(proto::DigestBytes(proto::Sha256Of(row.spec)));
  return AppendEvent(connection, budget_id, std::move(event));
}

absl::Status TakeOverCharge(SqliteConnection& connection, const std::string& budget_id,
                            v1::LedgerEvent event) {
  const v1::IterationCharged& act = event.iteration_charged();
  TW_ASSIGN_OR_RETURN(const std::optional<PlanRow> plan, FindPlan(connection, act.plan_id()));
  if (!plan.has_value() || plan->principal != event.principal() || act.iteration() < 1 ||
      act.iteration() > plan->iterations) {
    return Impossible();
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
      if (event.budget_thawed().ground() != v1::BudgetThawed::FORFEITED) return absl::OkStatus();
      return absl::FailedPreconditionError(
          "the lost ledger had forfeited its budget: forfeit this one too.");
    default:
      return absl::OkStatus();
  }
}

absl::Status NotTheContinuation(const BudgetRow& budget) {
  return absl::FailedPreconditionError(
      absl::StrCat("the export must continue the chain behind entry ", budget.restored_at - 1,
                   ", where the backup ends; it differs there or ends before."));
}

// Verifies the whole export and returns the events behind where the backup ends.
absl::StatusOr<std::vector<v1::LedgerEvent>> EventsBeyond(SqliteConnection& connection,
                                                          const BudgetRow& budget,
                                                          const v1::LedgerExport& lost) {
  const int64_t end = budget.restored_at - 1;
  TW_ASSIGN_OR_RETURN(const std::string backup_head, HeadAt(connection, budget, end));
  TW_ASSIGN_OR_RETURN(const std::string restored_head, HeadAt(connection, budget, end + 1));
  proto::ChainVerifier chain;
  std::vector<v1::LedgerEvent> beyond;
  for (const v1::LedgerEntry& entry : lost.entries()) {
    if (const absl::Status verified = chain.Add(entry); !verified.ok()) {
      return absl::InvalidArgumentError(verified.message());
    }
    if (chain.length() == end && chain.head() != backup_head) return NotTheContinuation(budget);
    if (chain.length() <= end) continue;
    if (chain.length() == end + 1 && chain.head() == restored_head) {
      return absl::FailedPreconditionError(
          "the export is of this restored ledger; one from before the loss is needed.");
    }
    if (entry.event().empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "entry ", entry.sequence(), " of the export is hidden: an auditor's export is needed."));
    }
    beyond.push_back(chain.event());
  }
  if (chain.length() < end) return NotTheContinuation(budget);
  return beyond;
}

}  // namespace

absl::Status ThawWithHead(SqliteConnection& connection, absl::string_view head, int64_t now_ms) {
  TW_ASSIGN_OR_RETURN(const std::vector<BudgetRow> budgets, AllBudgets(connection));
  for (const BudgetRow& budget : budgets) {
    if (!budget.frozen()) continue;
    TW_ASSIGN_OR_RETURN(const std::string backup_head,
                        HeadAt(connection, budget, budget.restored_at - 1));
    if (backup_head == head) {
      return Unfreeze(connection, budget, v1::BudgetThawed::HEAD_CONFIRMED, now_ms);
    }
  }
  return absl::FailedPreconditionError(
      "no frozen budget ends at this head: something was released after the backup, or the head "
      "is another ledger's. Thaw with an auditor's events, or forfeit.");
}

absl::Status ThawWithEvents(SqliteConnection& connection, const v1::LedgerExport& lost,
                            int64_t now_ms) {
  v1::LedgerEvent first;
  if (lost.entries_size() == 0 || !first.ParseFromString(lost.entries(0).event())) {
    return absl::InvalidArgumentError("the export must begin with its first event.");
  }
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection, first.budget_id()));
  TW_RETURN_IF_ERROR(RequireFrozen(budget));
  TW_ASSIGN_OR_RETURN(std::vector<v1::LedgerEvent> beyond, EventsBeyond(connection, budget, lost));
  for (v1::LedgerEvent& event : beyond) {
    const absl::Status taken = TakeOver(connection, budget, std::move(event));
    if (absl::IsInternal(taken)) return Impossible();  // a constraint of the tables
    TW_RETURN_IF_ERROR(taken);
  }
  TW_RETURN_IF_ERROR(Unfreeze(connection, budget, v1::BudgetThawed::EVENTS_APPENDED, now_ms));
  // Whatever came in from outside, the ledger must open again.
  const absl::Status sound = VerifyBudgets(connection);
  return absl::IsDataLoss(sound) ? Impossible() : sound;
}

absl::Status ThawWithNothing(SqliteConnection& connection, absl::string_view budget_id,
                             int64_t now_ms) {
  TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection, budget_id));
  TW_RETURN_IF_ERROR(RequireFrozen(budget));
  TW_RETURN_IF_ERROR(Forfeit(connection, budget));
  return Unfreeze(connection, budget, v1::BudgetThawed::FORFEITED, now_ms);
}

}  // namespace topicwall::ledger
