#include "server/wall_queries.h"

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "accountant/accountants.h"
#include "accountant/admission_policy.h"
#include "accountant/attack_bounds.h"
#include "accountant/dp_event.h"
#include "accountant/status_macros.h"
#include "server/ledger/plan_admission.h"
#include "server/mechanism/lattice_scale.h"
#include "server/request_validator.h"

namespace topicwall::server {
namespace {

v1::PrivacyUnit UnitOf(const corpus::CorpusDescription& description) {
  return description.privacy_unit == corpus::PrivacyUnit::kOwner ? v1::PRIVACY_UNIT_OWNER
                                                                 : v1::PRIVACY_UNIT_DOCUMENT;
}

absl::Status Validate(const Wall& wall, const ServedCorpus& corpus, const v1::PlanSpec& plan) {
  return ValidatePlan(plan, {.corpus = corpus.store->description(),
                             .limits = corpus.config.limits(),
                             .max_matrix_bytes = wall.config().max_matrix_bytes()});
}

// ε of the plan alone under the other accountants. One that cannot price it is left out.
void AddInformation(const v1::PlanSpec& plan, double delta, v1::PlanPrice* price) {
  const absl::StatusOr<accountant::SubsampledGaussian> release = ledger::ReleaseOf(plan);
  if (!release.ok()) return;
  for (const std::string& name : accountant::AccountantNames()) {
    auto accountant = accountant::MakeAccountant(name);
    if (!accountant.ok()) continue;
    if (!(*accountant)->Compose({.release = *release, .count = plan.iterations()}).ok()) continue;
    const auto epsilon = (*accountant)->Epsilon(delta);
    if (!epsilon.ok()) continue;
    v1::AccountantEpsilon* information = price->add_information();
    information->set_accountant(name);
    information->set_epsilon_lower(epsilon->lower);
    information->set_epsilon_upper(epsilon->upper);
  }
}

void AddAttackBounds(const accountant::AttackBounds& bounds, v1::PlanPrice* price) {
  v1::AttackBounds* shown = price->mutable_attack_bounds();
  shown->set_best_posterior_at_even_odds(bounds.guess_at_even_odds);
  shown->set_true_positive_rate_at_fpr_0_1_percent(bounds.true_positives_at_fpr_0_1_percent);
  shown->set_true_positive_rate_at_fpr_1_percent(bounds.true_positives_at_fpr_1_percent);
  shown->set_true_positive_rate_at_fpr_10_percent(bounds.true_positives_at_fpr_10_percent);
}

// The budget's promise in other units of protection.
absl::Status AddOtherUnits(const accountant::PrivacyParams& budget, v1::PlanPrice* price) {
  TW_ASSIGN_OR_RETURN(const accountant::PrivacyParams replaced, accountant::ReplaceOne(budget));
  price->set_replace_one_epsilon(replaced.epsilon);
  price->set_replace_one_delta(replaced.delta);
  for (const int units : {2, 5, 10}) {
    TW_ASSIGN_OR_RETURN(const accountant::PrivacyParams group, accountant::GroupOf(budget, units));
    v1::GroupGuarantee* shown = price->add_groups();
    shown->set_units(units);
    shown->set_epsilon(group.epsilon);
    shown->set_delta(group.delta);
  }
  return absl::OkStatus();
}

}  // namespace

std::string GuaranteeSentence(v1::PrivacyUnit unit, double epsilon, double delta) {
  return absl::StrCat(
      "Whatever all analysts together learn from this budget is (", epsilon, ", ", delta,
      ")-differentially private under adding or removing ",
      unit == v1::PRIVACY_UNIT_OWNER ? "all documents of one owner" : "one document",
      ", against computationally bounded analysts.");
}

absl::StatusOr<v1::CorpusDescription> DescribeCorpus(Wall& wall, const ServedCorpus& corpus) {
  const corpus::CorpusDescription& stored = corpus.store->description();
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding standing,
                      wall.ledger().Standing(corpus.version));
  v1::CorpusDescription description;
  description.set_corpus(corpus.config.name());
  description.set_corpus_version(corpus.version);
  description.set_custodian_id(wall.config().custodian_id());
  description.set_privacy_unit(UnitOf(stored));
  description.set_tokenizer(stored.tokenizer);
  description.set_vocabulary_size(static_cast<int64_t>(stored.vocabulary->size()));
  description.set_vocabulary_sha256(
      std::string(stored.vocabulary_sha256.begin(), stored.vocabulary_sha256.end()));
  if (corpus.config.has_nominal_size()) {
    description.set_nominal_size(corpus.config.nominal_size());
  }
  *description.mutable_limits() = corpus.config.limits();
  description.set_release_interval_ms(corpus.schedule.interval_ms());
  description.set_timing_protection(corpus.config.timing_protection());
  description.set_free_processors(wall.FreeProcessors(corpus));
  description.set_state(standing.state);
  if (standing.state == v1::CORPUS_STATE_NO_BUDGET) return description;
  const accountant::PrivacyParams& budget = standing.policy->budget();
  description.set_epsilon(budget.epsilon);
  description.set_delta(budget.delta);
  description.set_guarantee(GuaranteeSentence(UnitOf(stored), budget.epsilon, budget.delta));
  description.set_overruns(standing.overruns);
  description.set_restarts(standing.restarts);
  description.set_voided(standing.voided);
  description.set_signing_key(standing.signing_key);
  description.set_releases_left(
      std::max<int64_t>(0, corpus.config.limits().max_releases() - standing.releases_reserved));
  return description;
}

absl::StatusOr<v1::PlanPrice> PricePlan(Wall& wall, const CorpusGrant& grant,
                                        const ServedCorpus& corpus, const v1::PlanSpec& plan) {
  TW_RETURN_IF_ERROR(Validate(wall, corpus, plan));
  absl::MutexLock one_at_a_time(&wall.pricing());
  TW_ASSIGN_OR_RETURN(const ledger::PlanQuote quote,
                      wall.ledger().Price(wall.PurseOf(grant, corpus), plan));
  TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding standing,
                      wall.ledger().Standing(corpus.version));
  v1::PlanPrice price;
  price.set_fits(quote.fits);
  price.set_epsilon_alone(quote.epsilon_alone);
  price.set_epsilon_with_plan(quote.epsilon_with_plan);
  price.set_epsilon_total(quote.epsilon_total);
  price.set_delta(quote.delta);
  price.set_most_iterations(quote.most_iterations);
  price.set_effective_noise_multiplier(quote.effective_noise_multiplier);
  price.set_noise_standard_deviation(mechanism::NoiseStandardDeviation(1, plan.noise_multiplier()));
  AddInformation(plan, quote.delta, &price);
  // The budget was there when the ledger priced the plan, and budgets never go.
  TW_ASSIGN_OR_RETURN(const accountant::AttackBounds bounds,
                      wall.attack_bounds().Of(*standing.policy));
  AddAttackBounds(bounds, &price);
  TW_RETURN_IF_ERROR(AddOtherUnits(standing.policy->budget(), &price));
  return price;
}

absl::StatusOr<v1::PlanState> ReservePlan(Wall& wall, const CorpusGrant& grant,
                                          const ServedCorpus& corpus,
                                          const v1::ReservePlanRequest& request) {
  TW_RETURN_IF_ERROR(Validate(wall, corpus, request.plan()));
  return wall.ledger().Reserve({.purse = wall.PurseOf(grant, corpus),
                                .request_id = request.request_id(),
                                .plan = request.plan(),
                                .now_ms = wall.clock().NowMs()});
}

absl::StatusOr<v1::BudgetStatus> GetBudget(Wall& wall, const CorpusGrant& grant,
                                           const ServedCorpus& corpus,
                                           const v1::GetBudgetRequest& request) {
  ledger::BudgetQuery query{
      .corpus_version = corpus.version,
      .reader = {.principal = grant.caller.principal, .is_auditor = grant.caller.is_auditor},
      .purse = wall.PurseOf(grant, corpus),
      .reference_plan = std::nullopt};
  if (request.has_reference_plan()) {
    TW_RETURN_IF_ERROR(Validate(wall, corpus, request.reference_plan()));
    query.reference_plan = request.reference_plan();
  }
  return wall.ledger().Budget(query);
}

}  // namespace topicwall::server
