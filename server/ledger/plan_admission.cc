#include "server/ledger/plan_admission.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "accountant/status_macros.h"
#include "proto/budget_refusal.h"
#include "server/ledger/privacy_ledger.h"
#include "server/ledger/spent_vector.h"

namespace topicwall::ledger {
namespace {

absl::Status Invalid(absl::string_view field, absl::string_view rule, int64_t value) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", rule, "; got ", value, "."));
}

// An analyst's account, or everybody's: they refuse in the same words.
struct Limit {
  absl::string_view name;
  double epsilon;
  const accountant::CostVector& spent;
};

v1::PrivacyBudgetExhausted RefusalBy(const Limit& limit, const accountant::BudgetFilter& filter,
                                     const PlanQuote& quote) {
  v1::PrivacyBudgetExhausted refusal;
  const double spent = filter.EpsilonUpperBound(limit.spent);
  refusal.set_epsilon_asked(quote.epsilon_alone);
  refusal.set_epsilon_spent(spent);
  refusal.set_epsilon_total(limit.epsilon);
  refusal.set_epsilon_left(std::max(0.0, limit.epsilon - spent));
  refusal.set_delta(quote.delta);
  refusal.set_most_iterations(quote.most_iterations);
  refusal.set_limit(std::string(limit.name));
  return refusal;
}

absl::StatusOr<double> CapOf(const Purse& purse, const accountant::BudgetFilter& filter) {
  const double total = filter.spec().budget.epsilon;
  if (!purse.epsilon_cap.has_value()) return total;
  if (!(*purse.epsilon_cap >= 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon_cap must be >= 0; got ", *purse.epsilon_cap, "."));
  }
  return std::min(total, *purse.epsilon_cap);
}

PlanQuote QuoteOf(const v1::PlanSpec& plan, const Accounts& accounts,
                  const accountant::CostVector& cost, double sigma) {
  const accountant::BudgetFilter& filter = accounts.filter;
  return PlanQuote{
      .fits = false,
      .epsilon_alone =
          filter.EpsilonUpperBound(SpentAfter(filter.NothingSpent(), cost, plan.iterations())),
      .epsilon_spent = filter.EpsilonUpperBound(accounts.spent),
      .epsilon_with_plan =
          filter.EpsilonUpperBound(SpentAfter(accounts.spent, cost, plan.iterations())),
      .epsilon_total = filter.spec().budget.epsilon,
      .delta = filter.spec().budget.delta,
      .most_iterations = 0,
      .effective_noise_multiplier = sigma,
  };
}

}  // namespace

absl::StatusOr<accountant::SubsampledGaussian> ReleaseOf(const v1::PlanSpec& plan) {
  if (plan.iterations() < 1 || plan.iterations() > kMaxPlanIterations) {
    return Invalid("iterations", absl::StrCat("in [1, ", kMaxPlanIterations, "]"),
                   plan.iterations());
  }
  if (plan.max_words() < 1) return Invalid("max_words", ">= 1", plan.max_words());
  if (!plan.has_lda()) return absl::InvalidArgumentError("the plan must name a model: lda.");
  if (plan.lda().num_topics() < 1) return Invalid("num_topics", ">= 1", plan.lda().num_topics());
  if (plan.term_weights().size() % sizeof(float) != 0) {
    return Invalid("the size of term_weights", "a multiple of 4 bytes",
                   static_cast<int64_t>(plan.term_weights().size()));
  }
  accountant::SubsampledGaussian::Params params{.sampling_rate = plan.sampling_rate(),
                                                .noise_multipliers = {plan.noise_multiplier()}};
  if (plan.has_histogram_noise_multiplier()) {
    params.noise_multipliers.push_back(plan.histogram_noise_multiplier());
  }
  return accountant::SubsampledGaussian::Create(params);
}

PaidMechanism MechanismOf(const v1::PlanSpec& plan) {
  PaidMechanism mechanism{.sampling_rate = plan.sampling_rate(),
                          .noise_multiplier = plan.noise_multiplier(),
                          .histogram_noise_multiplier = std::nullopt,
                          .num_topics = plan.lda().num_topics(),
                          .max_words = plan.max_words(),
                          .term_weights = {}};
  if (plan.has_histogram_noise_multiplier()) {
    mechanism.histogram_noise_multiplier = plan.histogram_noise_multiplier();
  }
  // Little-endian in the message and in every machine this is built for (see release_table.cc).
  mechanism.term_weights.resize(plan.term_weights().size() / sizeof(float));
  if (!mechanism.term_weights.empty()) {
    std::memcpy(mechanism.term_weights.data(), plan.term_weights().data(),
                mechanism.term_weights.size() * sizeof(float));
  }
  return mechanism;
}

absl::StatusOr<Verdict> JudgePlan(const v1::PlanSpec& plan, const Purse& purse,
                                  const Accounts& accounts) {
  const accountant::BudgetFilter& filter = accounts.filter;
  TW_ASSIGN_OR_RETURN(const accountant::SubsampledGaussian release, ReleaseOf(plan));
  TW_ASSIGN_OR_RETURN(const double cap, CapOf(purse, filter));
  TW_ASSIGN_OR_RETURN(const accountant::CostVector cost, filter.CostPerRelease(release));

  Verdict verdict{
      .quote = QuoteOf(plan, accounts, cost, release.noise_multiplier()),
      .cost = cost,
      .refusal = std::nullopt,
      .releases_left = std::max<int64_t>(0, purse.max_releases - accounts.releases_reserved),
      .spent_after = {},
      .analyst_spent_after = {},
      .witness_order = 0};
  verdict.quote.most_iterations =
      std::min({filter.MostReleases(accounts.spent, cost),
                filter.MostReleasesWithin(cap, accounts.analyst_spent, cost), verdict.releases_left,
                int64_t{kMaxPlanIterations}});

  const auto whole = filter.Admit(accounts.spent, cost, plan.iterations());
  const auto own = filter.AdmitWithin(cap, accounts.analyst_spent, cost, plan.iterations());
  if (!whole.has_value()) {
    verdict.refusal =
        RefusalBy({"corpus", verdict.quote.epsilon_total, accounts.spent}, filter, verdict.quote);
  } else if (!own.has_value()) {
    verdict.refusal = RefusalBy({"analyst", cap, accounts.analyst_spent}, filter, verdict.quote);
  } else {
    verdict.spent_after = whole->spent_after;
    verdict.analyst_spent_after = own->spent_after;
    verdict.witness_order = whole->witness_order;
  }
  verdict.quote.fits = !verdict.refusal.has_value() && plan.iterations() <= verdict.releases_left;
  return verdict;
}

absl::Status BudgetExhausted(const v1::PrivacyBudgetExhausted& detail) {
  return proto::BudgetRefusal(
      absl::StrCat("the plan does not fit in the ", detail.limit(),
                   "'s privacy budget: it asks for epsilon ", detail.epsilon_asked(), ", and ",
                   detail.epsilon_left(), " of ", detail.epsilon_total(), " is left. At most ",
                   detail.most_iterations(),
                   " iterations of this kind fit; ask for fewer, or for more noise."),
      detail);
}

}  // namespace topicwall::ledger
