#include "server/vault/wall_queries.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/accountants.h"
#include "accountant/events/dp_event.h"
#include "accountant/filters/admission_policy.h"
#include "accountant/filters/attack_bounds.h"
#include "accountant/ledger/plan_admission.h"
#include "accountant/ledger/price_record.h"
#include "base/status_macros.h"
#include "server/corpus/attribute_record.h"
#include "server/corpus/corpus_description.h"
#include "server/mechanism/grid_scale.h"
#include "server/vault/guarantee.h"
#include "server/vault/lines/answer_in_turn.h"
#include "server/vault/request_validator.h"
#include "server/wall_config.h"

namespace topicwall::server {
namespace {

absl::Status Validate(const Wall& wall, const ServedCorpus& corpus, const v1::ReleaseSpec& plan) {
  return ValidatePlan(plan, {.corpus = corpus.store->description(),
                             .limits = corpus.config.limits(),
                             .max_matrix_bytes = wall.config().max_matrix_bytes()});
}

// Whether every ε of the budget is a composition: under vouchers.
bool Composes(const ledger::CorpusStatus& corpus_status) {
  return corpus_status.policy.has_value() && corpus_status.policy->inventory() != nullptr;
}

// ε of the plan alone under the other accountants. One that cannot price it is left out.
// Under a key of its own, without the chain's head: it depends on the plan's noise alone, and is
// still true when somebody else has spent something.
absl::Status AddInformation(Wall& wall, const v1::ReleaseSpec& plan, double delta,
                            const Cancelled& cancelled, v1::PlanPrice* price) {
  const absl::StatusOr<accountant::DpEvent> event = accountant::ledger::AskedEvent(plan);
  if (!event.ok()) return absl::OkStatus();
  const std::string key = AnswerKey("information")
                              .Add(event->release.noise_multiplier())
                              .Add(event->release.sampling_rate())
                              .Add(plan.iterations())
                              .Add(delta)
                              .Finish();
  v1::PlanPrice information;
  if (const auto known = wall.answers().Find(key); known.has_value()) {
    information.ParseFromString(known->front());
    price->MergeFrom(information);
    return absl::OkStatus();
  }
  for (const std::string& name : accountant::AccountantNames()) {
    TW_RETURN_IF_ERROR(StillWanted(cancelled));
    auto accountant = accountant::MakeAccountant(name);
    if (!accountant.ok()) continue;
    if (!(*accountant)->Compose(*event).ok()) continue;
    const auto epsilon = (*accountant)->Epsilon(delta);
    if (!epsilon.ok()) continue;
    v1::AccountantEpsilon* shown = information.add_information();
    shown->set_accountant(name);
    shown->set_epsilon_lower(epsilon->lower);
    shown->set_epsilon_upper(epsilon->upper);
  }
  wall.answers().Keep(key, {information.SerializeAsString()});
  price->MergeFrom(information);
  return absl::OkStatus();
}

int64_t OwnReleasesLeft(const ledger::Purse& purse, const ledger::CorpusStatus& corpus_status) {
  if (!purse.own_max_releases.has_value()) return 0;  // no analyst
  const auto own = corpus_status.releases_by_analyst.find(purse.principal);
  const int64_t reserved = own == corpus_status.releases_by_analyst.end() ? 0 : own->second;
  return std::max<int64_t>(0, *purse.own_max_releases - reserved);
}

std::map<std::string, double> EpsilonCaps(const v1::WallConfig& config,
                                          const ServedCorpus& corpus) {
  std::map<std::string, double> caps;
  for (const v1::Principal& principal : config.principals()) {
    for (const v1::CorpusAccess& access : principal.access()) {
      if (access.corpus() != corpus.config.name() || !access.has_epsilon_cap()) continue;
      caps[principal.name()] = access.epsilon_cap();
    }
  }
  return caps;
}

}  // namespace

absl::StatusOr<v1::CorpusDescription> DescribeCorpus(Wall& wall, const CorpusGrant& grant,
                                                     const ServedCorpus& corpus) {
  const corpus::CorpusDescription& stored = corpus.store->description();
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus_status,
                      wall.ledger().StatusOfCorpus(corpus.version));
  v1::CorpusDescription description;
  description.set_corpus(corpus.config.name());
  description.set_corpus_version(corpus.version);
  description.set_custodian_id(wall.config().custodian_id());
  description.set_privacy_unit(stored.privacy_unit);
  description.set_tokenizer(stored.tokenizer);
  description.set_vocabulary_size(static_cast<int64_t>(stored.vocabulary->size()));
  description.set_vocabulary_sha256(
      std::string(stored.vocabulary_sha256.begin(), stored.vocabulary_sha256.end()));
  // As the custodian typed it. How many there are is told to nobody.
  if (corpus.config.has_nominal_size()) {
    description.set_nominal_size(corpus.config.nominal_size());
  }
  const ledger::Purse purse = wall.PurseOf(grant, corpus);
  v1::Limits& limits = *description.mutable_limits();
  limits = corpus.config.limits();
  // As they are enforced, with the defaults of what the configuration leaves open.
  limits.set_max_open_plans(purse.max_open_plans);
  limits.set_reservation_days(purse.reservation_days);
  const v1::Protection protection = wall.ProtectionOf(corpus);
  description.set_release_interval_ms(protection.release_interval_ms());
  description.set_timing_protection(corpus.config.timing_protection());
  description.set_free_processors(protection.free_processors());
  description.set_duplicates(stored.duplicates);
  description.set_unjoinable(stored.unjoinable);
  *description.mutable_attributes() = corpus::RecordsOf(stored.attributes);
  if (stored.vectors.has_value()) {
    *description.mutable_vectors() = corpus::RecordOf(*stored.vectors);
  }
  description.set_state(corpus_status.state);
  if (corpus_status.state == v1::CORPUS_STATE_NO_BUDGET) return description;
  const accountant::PrivacyParams& budget = corpus_status.policy->budget();
  description.set_epsilon(budget.epsilon);
  description.set_delta(budget.delta);
  description.set_guarantee(GuaranteeOf(stored.privacy_unit, corpus_status));
  *description.mutable_sum() = corpus_status.sum;
  description.set_overruns(corpus_status.overruns);
  description.set_restarts(corpus_status.restarts);
  description.set_voided(corpus_status.voided);
  const auto& worst = corpus_status.worst_protection;
  if (worst.has_value()) *description.mutable_worst_protection() = *worst;
  description.set_signing_key(corpus_status.signing_key);
  const int64_t left =
      std::max<int64_t>(0, limits.max_releases() - corpus_status.releases_reserved);
  description.set_releases_left(left);
  description.set_own_releases_left(std::min(left, OwnReleasesLeft(purse, corpus_status)));
  return description;
}

namespace {

// A price, with the turn of the gate: everything that composes.
absl::StatusOr<v1::PlanPrice> WorkOutPrice(Wall& wall, const ledger::Purse& purse,
                                           const v1::ReleaseSpec& plan,
                                           const accountant::AdmissionPolicy& policy,
                                           const v1::BudgetSum& sum, const Cancelled& cancelled) {
  TW_ASSIGN_OR_RETURN(v1::PlanPrice price, wall.ledger().Price(purse, plan, [&cancelled] {
    return StillWanted(cancelled);
  }));
  // For a clip norm of 1: C comes with each request, after the plan is priced.
  price.set_noise_standard_deviation(
      mechanism::NoiseStandardDeviation(1, plan.gaussian().noise_multiplier()));
  TW_RETURN_IF_ERROR(AddInformation(wall, plan, price.delta(), cancelled, &price));
  TW_RETURN_IF_ERROR(StillWanted(cancelled));
  TW_ASSIGN_OR_RETURN(const accountant::AttackBounds bounds, wall.attack_bounds().Of(policy));
  TW_RETURN_IF_ERROR(accountant::ledger::TellPromise(policy.budget(), bounds, &price));
  TW_RETURN_IF_ERROR(accountant::ledger::TellSum(sum, &price));
  return price;
}

}  // namespace

// The key has the head of before the turn; the price may be of a later one. That is no harm: under
// the older head nobody will ask again.
absl::StatusOr<v1::PlanPrice> PricePlan(Wall& wall, const CorpusGrant& grant,
                                        const ServedCorpus& corpus, const v1::ReleaseSpec& plan,
                                        const Cancelled& cancelled) {
  TW_RETURN_IF_ERROR(Validate(wall, corpus, plan));
  TW_RETURN_IF_ERROR(wall.CancelExpired());
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus_status,
                      wall.ledger().StatusOfCorpus(corpus.version));
  const ledger::Purse purse = wall.PurseOf(grant, corpus);
  // Without a budget there is nothing to work out, and the ledger says so, unless another server
  // has opened one meanwhile.
  if (!corpus_status.policy.has_value()) {
    TW_RETURN_IF_ERROR(wall.ledger().Price(purse, plan).status());
    return absl::UnavailableError("a budget was opened just now; ask again");
  }
  return FromMemoryOrInTurn<v1::PlanPrice>(
      wall.answers(), wall.pricing(), purse.principal,
      KeyOf("price", corpus_status, purse, false, plan.SerializeAsString()), cancelled, [&] {
        return WorkOutPrice(wall, purse, plan, *corpus_status.policy, corpus_status.sum, cancelled);
      });
}

absl::StatusOr<v1::PlanState> ReservePlan(Wall& wall, const CorpusGrant& grant,
                                          const ServedCorpus& corpus,
                                          const v1::ReservePlanRequest& request,
                                          const Cancelled& cancelled) {
  // Told only of a plan that is new: what may be asked can have changed since it was reserved, and
  // whoever lost the answer would be told that it never was.
  absl::Status validity = Validate(wall, corpus, request.plan());
  TW_RETURN_IF_ERROR(wall.CancelExpired());
  const ledger::Purse purse = wall.PurseOf(grant, corpus);
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus_status,
                      wall.ledger().StatusOfCorpus(corpus.version));
  std::optional<PricingGate::Turn> turn;  // a cap and a refusal under vouchers compose
  // Before any lock of the ledger's: whoever waits for a turn holds up no act.
  if (validity.ok() && Composes(corpus_status)) {
    TW_ASSIGN_OR_RETURN(PricingGate::Turn given, wall.pricing().Enter(purse.principal, cancelled));
    turn.emplace(std::move(given));
  }
  return wall.ledger().Reserve({.purse = purse,
                                .request_id = request.request_id(),
                                .plan = request.plan(),
                                .now_ms = wall.clock().NowMs(),
                                .still_wanted = [&cancelled] { return StillWanted(cancelled); },
                                .validity = std::move(validity)});
}

absl::StatusOr<v1::BudgetStatus> GetBudget(Wall& wall, const CorpusGrant& grant,
                                           const ServedCorpus& corpus,
                                           const v1::GetBudgetRequest& request,
                                           const Cancelled& cancelled) {
  ledger::BudgetQuery query{
      .corpus_version = corpus.version,
      .reader = {.principal = grant.caller.principal, .is_auditor = grant.caller.is_auditor},
      .purse = wall.PurseOf(grant, corpus),
      .reference_plan = std::nullopt};
  if (request.has_reference_plan()) {
    TW_RETURN_IF_ERROR(Validate(wall, corpus, request.reference_plan()));
    query.reference_plan = request.reference_plan();
  }
  if (grant.caller.is_auditor) query.epsilon_caps = EpsilonCaps(wall.config(), corpus);
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus_status,
                      wall.ledger().StatusOfCorpus(corpus.version));
  // Under a filter nothing is composed, and no turn is taken for it.
  if (!Composes(corpus_status)) return wall.ledger().Budget(query);
  query.still_wanted = [&cancelled] { return StillWanted(cancelled); };
  return FromMemoryOrInTurn<v1::BudgetStatus>(
      wall.answers(), wall.pricing(), query.purse.principal,
      KeyOf("budget", corpus_status, query.purse, query.reader.is_auditor,
            request.has_reference_plan() ? request.reference_plan().SerializeAsString() : ""),
      cancelled, [&] { return wall.ledger().Budget(query); });
}

}  // namespace topicwall::server
