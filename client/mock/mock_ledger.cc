#include "client/mock/mock_ledger.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/charge_acts.h"
#include "accountant/ledger/custodian_acts.h"
#include "accountant/ledger/plan_acts.h"
#include "accountant/ledger/policy_record.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/wall/admission.h"
#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "proto/release_header.h"
#include "proto/signed_head.h"

namespace topicwall::client {
namespace {

namespace fold = accountant::ledger;

constexpr char kPrincipal[] = "mock";
// Long ago, so that nobody takes a mock's times for those of a wall.
constexpr int64_t kBeginningMs = 946684800000;  // 2000-01-01T00:00:00Z

// Two mocks of one corpus are two budgets: receipts of one are none of the other's.
std::string DrawBudgetId() {
  std::random_device device;
  std::string bytes;
  for (int i = 0; i < 16; ++i) bytes.push_back(static_cast<char>(device() & 0xff));
  return base::Hex(bytes);
}

std::string Hash(absl::string_view what, absl::string_view of, uint64_t number) {
  base::Sha256 hash;
  hash.UpdateString(what);
  hash.UpdateString(of);
  hash.UpdateInteger(number);
  return base::DigestBytes(std::move(hash).Finish());
}

}  // namespace

absl::StatusOr<MockLedger> MockLedger::Open(const v1::CorpusDescription& description,
                                            const v1::BudgetStatus& budget) {
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, fold::PolicyOf(budget));
  // The same corpus has the same key in every mock, so that a key pinned in one process is good in
  // the next.
  const std::string seed = Hash("topicwall mock key", description.corpus_version(), 0);
  TW_ASSIGN_OR_RETURN(
      base::SigningKey key,
      base::SigningKey::Create({reinterpret_cast<const uint8_t*>(seed.data()), seed.size()}));
  MockLedger ledger(description, std::move(key));
  // A cap that binds stays one: a plan that only a mock lets in would be refused by the wall.
  if (budget.own().epsilon_cap() > 0 && budget.own().epsilon_cap() < budget.epsilon_total()) {
    ledger.cap_ = budget.own().epsilon_cap();
  }
  ledger.now_ms_ = kBeginningMs;
  TW_ASSIGN_OR_RETURN(
      const fold::Events events,
      fold::Decide(ledger.state_, fold::OpenAct{{.custodian_id = description.custodian_id(),
                                                 .policy = policy.spec(),
                                                 .privacy_unit = description.privacy_unit(),
                                                 .corpus = description.corpus(),
                                                 .corpus_version = description.corpus_version(),
                                                 .now_ms = ledger.now_ms_},
                                                DrawBudgetId(),
                                                ledger.signing_key(),
                                                /*after_restore=*/false}));
  TW_RETURN_IF_ERROR(ledger.Append(events));
  return ledger;
}

absl::Status MockLedger::Append(const fold::Events& events) {
  for (const v1::LedgerEvent& event : events) {
    // Not secret, as nothing here is: what is drawn by chance would make two runs differ.
    const std::string salt =
        Hash("topicwall mock salt", event.budget_id(), static_cast<uint64_t>(event.sequence()))
            .substr(0, proto::kEventSaltSize);
    const std::string head = entries_.empty() ? proto::GenesisHead() : entries_.back().head();
    v1::LedgerEntry entry = fold::EntryOf(event, salt, head);
    // The fold that the wall decides by refuses here what it would refuse there.
    TW_RETURN_IF_ERROR(state_.Apply(event.budget_id(), entry));
    entries_.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

fold::Purse MockLedger::Purse() const {
  const v1::Limits& limits = description_.limits();
  fold::Purse purse = {
      .principal = kPrincipal, .epsilon_cap = cap_, .max_releases = limits.max_releases()};
  if (limits.has_max_open_plans()) purse.max_open_plans = limits.max_open_plans();
  if (limits.has_reservation_days()) purse.reservation_days = limits.reservation_days();
  return purse;
}

int64_t MockLedger::releases_reserved() const {
  return fold::AccountsOf(budget(), kPrincipal).releases_reserved;
}

absl::StatusOr<v1::PlanPrice> MockLedger::Quote(const v1::ReleaseSpec& plan) const {
  TW_RETURN_IF_ERROR(fold::BudgetFor(state_, plan).status());
  return fold::QuotePlan(
      {.plan = plan, .purse = Purse(), .accounts = fold::AccountsOf(budget(), kPrincipal)});
}

v1::SignedHead MockLedger::SignedHead() const {
  v1::HeadStatement statement;
  statement.set_custodian_id(description_.custodian_id());
  statement.set_budget_id(budget().budget_id());
  statement.set_sequence(budget().length());
  statement.set_head(budget().head());
  return proto::SignHead(key_, statement).value();
}

v1::BudgetStatus MockLedger::Status() const {
  const fold::BudgetState& state = budget();
  const accountant::AdmissionPolicy& policy = state.policy();
  v1::BudgetStatus status;
  status.set_corpus(description_.corpus());
  if (state.opening().has_filter()) *status.mutable_filter() = state.opening().filter();
  if (state.opening().has_inventory()) *status.mutable_inventory() = state.opening().inventory();
  status.set_epsilon_total(policy.budget().epsilon);
  status.set_epsilon_spent(policy.EpsilonUpperBound(state.spent()));
  status.set_epsilon_left(std::max(0.0, status.epsilon_total() - status.epsilon_spent()));
  status.set_delta(policy.budget().delta);
  status.set_odometer_epsilon(policy.OdometerUpperBound(state.spent()));
  status.mutable_spent()->Assign(state.spent().begin(), state.spent().end());
  v1::PrincipalBudget& own = *status.mutable_own();
  own.set_principal(kPrincipal);
  own.set_epsilon_cap(cap_.value_or(status.epsilon_total()));
  // There is one analyst, who has spent what was spent.
  own.set_epsilon_spent(status.epsilon_spent());
  status.set_events(state.length());
  status.set_chain_head(state.head());
  status.set_state(v1::CORPUS_STATE_OPEN);
  *status.mutable_signed_head() = SignedHead();
  *status.mutable_sum() = state.sum();
  return status;
}

std::vector<v1::LedgerEntry> MockLedger::Entries(int64_t first_sequence) const {
  const auto first = std::clamp<int64_t>(first_sequence - 1, 0, budget().length());
  std::vector<v1::LedgerEntry> entries(entries_.begin() + first, entries_.end());
  if (!entries.empty()) *entries.back().mutable_signed_head() = SignedHead();
  return entries;
}

v1::SignedReceipt MockLedger::ReceiptOf(const fold::Plan& plan, int64_t sequence) const {
  const accountant::AdmissionPolicy& policy = budget().policy();
  const accountant::CostVector& spent = budget().SpentAfter(sequence);
  const auto place = static_cast<size_t>(sequence - 1);  // not the first: that is the opening
  v1::Receipt receipt;
  receipt.set_custodian_id(description_.custodian_id());
  *receipt.mutable_entry() = entries_[place];
  receipt.set_previous_head(entries_[place - 1].head());
  *receipt.mutable_plan() = plan.terms;
  receipt.set_epsilon(policy.budget().epsilon);
  receipt.set_delta(policy.budget().delta);
  receipt.mutable_spent()->Assign(spent.begin(), spent.end());
  receipt.set_odometer_epsilon(policy.OdometerUpperBound(spent));
  return proto::SignReceipt(key_, receipt).value();
}

absl::StatusOr<std::string> MockLedger::Reserve(const v1::ReleaseSpec& plan) {
  const std::string id =
      Hash("topicwall mock plan", budget().budget_id(), static_cast<uint64_t>(budget().length()));
  const fold::Purse purse = Purse();
  fold::ReserveAct act = {.purse = purse,
                          .plan = plan,
                          .plan_id = base::Hex(absl::string_view(id).substr(0, 16)),
                          .now_ms = now_ms_};
  const fold::Accounts accounts = fold::AccountsOf(budget(), kPrincipal);
  const fold::PlanRequest request = {.plan = plan, .purse = purse, .accounts = accounts};
  TW_ASSIGN_OR_RETURN(fold::ReserveDecision decision, fold::Decide(state_, act));
  if (decision.refused_by == fold::Limit::kCapNotWeighed) {
    TW_ASSIGN_OR_RETURN(act.weighed, fold::WeighCap(request));
    TW_ASSIGN_OR_RETURN(decision, fold::Decide(state_, act));
  }
  // In the words of the wall's own refusal, with what would still fit.
  if (decision.refused_by != fold::Limit::kNone) {
    return fold::RefusalOf(request, decision.refused_by);
  }
  TW_RETURN_IF_ERROR(Append(decision.events));
  return act.plan_id;
}

absl::Status MockLedger::Cancel(const std::string& plan_id) {
  TW_ASSIGN_OR_RETURN(const fold::Events events,
                      fold::Decide(state_, fold::CancelAct{.plan_id = plan_id,
                                                           .now_ms = now_ms_,
                                                           .principal = std::string(kPrincipal)}));
  return Append(events);
}

absl::StatusOr<v1::PlanState> MockLedger::Show(const std::string& plan_id) const {
  const fold::Plan* const plan = budget().FindPlan(plan_id);
  if (plan == nullptr) {
    return NotAdmitted(
        "list", absl::PermissionDeniedError(absl::StrCat(
                    "this mock has no plan ", plan_id,
                    ": a mock forgets when its process ends. Give another folder, and buy again "
                    "what that plan was for: of a mock it costs nothing.")));
  }
  v1::PlanState shown;
  shown.set_plan_id(plan_id);
  shown.set_principal(plan->principal);
  shown.set_state(plan->state);
  shown.set_reserved_at_ms(plan->reserved_at_ms);
  for (const auto& [number, charge] : plan->charges) {
    v1::IterationState& iteration = *shown.add_iterations();
    iteration.set_iteration(number);
    iteration.set_charged_at_ms(charge.charged_at_ms);
    iteration.set_request_digest(charge.terms.request_digest());
    if (!charge.published.has_value()) continue;
    iteration.set_readable(true);
    iteration.set_readable_at_ms(charge.readable_at_ms);
    iteration.set_release_sha256(charge.published->release_sha256());
  }
  *shown.mutable_reservation_receipt() = ReceiptOf(*plan, plan->sequence);
  if (plan->state == v1::PlanState::CANCELLED) {
    *shown.mutable_cancellation_receipt() = ReceiptOf(*plan, plan->cancelled_sequence);
  }
  return shown;
}

absl::Status MockLedger::Charge(const v1::RunReleaseHeader& request,
                                const std::string& kernel_name) {
  v1::ComputedWith computed_with;
  computed_with.set_kernel_name(kernel_name);
  computed_with.set_max_documents_per_unit(description_.limits().max_documents_per_unit());
  v1::Protection protection;
  protection.set_release_interval_ms(description_.release_interval_ms());
  protection.set_free_processors(description_.free_processors());
  TW_ASSIGN_OR_RETURN(
      const fold::ChargeDecision decision,
      fold::Decide(state_, fold::ChargeAct{.principal = kPrincipal,
                                           .plan_id = request.plan_id(),
                                           .iteration = request.iteration(),
                                           .request_digest = request.request_digest(),
                                           .now_ms = now_ms_,
                                           .protection = protection,
                                           .computed_with = computed_with,
                                           // A mock keeps no key; its chain has what a wall's has.
                                           .release_key_sha256 = base::DigestBytes(
                                               base::Sha256Of(request.request_digest())),
                                           .open = {}}));
  return Append(decision.events);
}

absl::Status MockLedger::Publish(v1::ReleaseHeader* release) {
  const int64_t interval_ms = description_.release_interval_ms();
  // Time passes by releases alone: nobody waits for a mock, and its times are the same in every
  // run.
  now_ms_ += std::max<int64_t>(interval_ms, 1);
  TW_ASSIGN_OR_RETURN(
      const fold::Events events,
      fold::Decide(state_, fold::PublishAct{{.plan_id = release->plan_id(),
                                             .iteration = release->iteration(),
                                             .readable_at_ms = now_ms_,
                                             .intervals_waited = interval_ms > 0 ? 1 : 0},
                                            {.kept = fold::OpenCharge::Kept::kRelease},
                                            release->statistics_sha256(),
                                            base::DigestBytes(base::Sha256Of(
                                                proto::StoredOf(*release).SerializeAsString()))}));
  TW_RETURN_IF_ERROR(Append(events));
  const fold::Plan& plan = *budget().FindPlan(release->plan_id());
  const fold::Charge& charge = plan.charges.at(release->iteration());
  release->set_charged_at_ms(charge.charged_at_ms);
  release->set_readable_at_ms(charge.readable_at_ms);
  *release->mutable_charge_receipt() = ReceiptOf(plan, charge.sequence);
  *release->mutable_release_receipt() = ReceiptOf(plan, charge.published_sequence);
  return absl::OkStatus();
}

}  // namespace topicwall::client
