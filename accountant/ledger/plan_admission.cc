// Deciding and explaining are kept apart. JudgeByCounting answers in integers; everything that says
// or compares ε (quotes, refusals, the weighing of a cap) may compose loss distributions and is
// asked from a copy of the accounts. Both read the plan through AskedEvent, so that what is shown
// is the price of what is decided.
#include "accountant/ledger/plan_admission.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/policy_record.h"
#include "base/status_macros.h"
#include "proto/budget_refusal.h"
#include "proto/release_spec.h"
#include "proto/told_numbers.h"

namespace topicwall::accountant::ledger {
namespace {

absl::Status Invalid(absl::string_view field, absl::string_view rule, int64_t value) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", rule, "; got ", value, "."));
}

// A cap above the budget's ε is no larger cap: the corpus' total binds first in any case.
absl::StatusOr<double> CapOf(const PlanRequest& request) {
  const std::optional<double>& cap = request.purse.epsilon_cap;
  const double total = request.accounts.policy.budget().epsilon;
  if (!cap.has_value()) return total;
  if (!(*cap >= 0)) {
    return absl::InvalidArgumentError(absl::StrCat("epsilon_cap must be >= 0; got ", *cap, "."));
  }
  return std::min(total, *cap);
}

absl::Status CheckModel(const v1::ReleaseSpec& plan) {
  if (plan.model().empty()) {
    return absl::InvalidArgumentError("the plan must name a model; its model is empty.");
  }
  const size_t options = plan.options().size();
  if (!(options <= proto::kMaxOptionBytes)) {
    return Invalid("the size of options",
                   absl::StrCat("at most ", proto::kMaxOptionBytes, " bytes"),
                   static_cast<int64_t>(options));
  }
  const size_t weights = plan.weights().size();
  // That there is one for each term is the server's to check, which knows the vocabulary.
  if (weights % sizeof(float) != 0) {
    return Invalid("the size of weights", "a multiple of 4 bytes", static_cast<int64_t>(weights));
  }
  if (!plan.has_weights_sha256()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "weights must be sent themselves; got weights_sha256, which only the ledger writes.");
}

absl::Status CheckHeldOut(const v1::ReleaseSpec& plan) {
  const double share = plan.held_out_share();
  if (!plan.held_out_only()) {
    if (share >= 0 && share < 1) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("held_out_share must be in [0, 1); got ", share, "."));
  }
  if (share > 0 && share <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("held_out_share must be in (0, 1] with held_out_only; got ", share, "."));
}

struct ReleasesLeft {
  int64_t of_budget;
  int64_t of_own_share;  // without a look at what others took
};

// Not below 0: a limit that was lowered in the configuration leaves nothing, not a debt.
ReleasesLeft LeftOf(const PlanRequest& request) {
  const int64_t share = request.purse.own_max_releases.value_or(request.purse.max_releases);
  const Accounts& accounts = request.accounts;
  return {
      .of_budget = std::max<int64_t>(0, request.purse.max_releases - accounts.releases_reserved),
      .of_own_share = std::max<int64_t>(0, share - accounts.own_releases_reserved)};
}

Limit ReleaseLimit(const PlanRequest& request, int64_t releases) {
  const ReleasesLeft left = LeftOf(request);
  if (!(releases <= left.of_budget)) return Limit::kMaxReleases;
  return releases <= left.of_own_share ? Limit::kNone : Limit::kOwnMaxReleases;
}

absl::Status TooManyReleases(const PlanRequest& request, Limit limit) {
  const ReleasesLeft left = LeftOf(request);
  if (limit == Limit::kOwnMaxReleases) {
    return absl::FailedPreconditionError(absl::StrCat(
        "iterations must be at most the releases left of your share of max_releases; ",
        left.of_own_share, " are left. Ask for fewer, or the custodian for a larger share."));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("iterations must be at most the releases left of this budget; ", left.of_budget,
                   " are left (limit max_releases)."));
}

// ε of the plan and what is spent before it, if the budget holds it; else nothing could be counted
// but under a filter: its meter goes on, and says by how much the plan is too dear.
absl::StatusOr<double> EpsilonOnTop(const PlanRequest& request, const DpEvent& event,
                                    const CostVector& spent) {
  const AdmissionPolicy& policy = request.accounts.policy;
  if (policy.filter() != nullptr) {
    TW_ASSIGN_OR_RETURN(CostVector cost, policy.filter()->CostPerRelease(event.release));
    return policy.EpsilonUpperBound(
        policy.SpentAfter(spent, {.cost = std::move(cost), .iterations = event.count}));
  }
  TW_ASSIGN_OR_RETURN(const auto admission, policy.Admit(event, spent));
  if (!admission.has_value()) return std::numeric_limits<double>::infinity();
  return request.meter->Of(policy, admission->spent_after);
}

// An analyst's account and everybody's refuse in the same words.
absl::StatusOr<v1::PrivacyBudgetExhausted> DetailOf(const PlanRequest& request, Limit limit) {
  const AdmissionPolicy& policy = request.accounts.policy;
  const bool is_cap = limit == Limit::kAnalystCap;
  TW_ASSIGN_OR_RETURN(const double cap, CapOf(request));
  TW_ASSIGN_OR_RETURN(const DpEvent event, AskedEvent(request.plan));
  TW_ASSIGN_OR_RETURN(const double asked, EpsilonOnTop(request, event, policy.NothingSpent()));
  TW_ASSIGN_OR_RETURN(const int64_t most, MostIterations(request));
  const double total = is_cap ? cap : policy.budget().epsilon;
  TW_ASSIGN_OR_RETURN(
      const double spent,
      request.meter->Of(policy, is_cap ? request.accounts.analyst_spent : request.accounts.spent));
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_asked(asked);
  detail.set_epsilon_spent(spent);
  detail.set_epsilon_total(total);
  detail.set_epsilon_left(std::max(0.0, total - spent));
  detail.set_delta(policy.budget().delta);
  // Under all limits, not only the one that refused: it is what may be asked for next.
  detail.set_most_iterations(most);
  detail.set_limit(is_cap ? "analyst" : "corpus");
  detail.set_vouchers(!is_cap && policy.inventory() != nullptr);
  return detail;
}

// Whether the cap holds the plan; nullopt if that has to be weighed first.
std::optional<bool> HoldsPlan(const PlanRequest& request, double cap, const PlanCost& plan,
                              const std::optional<WeighedCap>& weighed) {
  const AdmissionPolicy& policy = request.accounts.policy;
  const CostVector& own = request.accounts.analyst_spent;
  if (!policy.ComposesWithin(cap)) return policy.AdmitWithin(cap, own, plan).has_value();
  // Of other vouchers it says nothing, whichever have come or gone meanwhile.
  if (!weighed.has_value() || weighed->own_after != policy.SpentAfter(own, plan)) {
    return std::nullopt;
  }
  return weighed->holds;
}

}  // namespace

Accounts AccountsOf(const BudgetState& budget, const std::string& principal) {
  Accounts accounts{.policy = budget.policy(),
                    .spent = budget.spent(),
                    .analyst_spent = budget.SpentBy(principal)};
  for (const auto& [analyst, reserved] : budget.ReleasesReserved()) {
    accounts.releases_reserved += reserved;
    if (analyst == principal) accounts.own_releases_reserved = reserved;
  }
  return accounts;
}

absl::StatusOr<DpEvent> AskedEvent(const v1::ReleaseSpec& plan) {
  if (plan.iterations() < 1 || plan.iterations() > kMaxPlanIterations) {
    return Invalid("iterations", absl::StrCat("in [1, ", kMaxPlanIterations, "]"),
                   plan.iterations());
  }
  if (plan.max_tokens() < 1) return Invalid("max_tokens", ">= 1", plan.max_tokens());
  TW_RETURN_IF_ERROR(CheckModel(plan));
  TW_RETURN_IF_ERROR(CheckHeldOut(plan));
  return EventOf(plan);
}

// `refused_by` is always what the next line may refuse, so that returning early names it. The
// corpus' budget comes first: it is the guarantee, the other limits are shares of it.
absl::StatusOr<Verdict> JudgeByCounting(const PlanRequest& request,
                                        const std::optional<WeighedCap>& weighed) {
  const AdmissionPolicy& policy = request.accounts.policy;
  TW_ASSIGN_OR_RETURN(const DpEvent event, AskedEvent(request.plan));
  TW_ASSIGN_OR_RETURN(const double cap, CapOf(request));
  TW_ASSIGN_OR_RETURN(auto admission, policy.Admit(event, request.accounts.spent));
  Verdict verdict{.refused_by = Limit::kCorpusBudget, .set_aside = {}, .witness_order = 0};
  if (!admission.has_value()) return verdict;
  const std::optional<bool> holds = HoldsPlan(request, cap, admission->plan, weighed);
  verdict.refused_by = holds.has_value() ? Limit::kAnalystCap : Limit::kCapNotWeighed;
  if (!holds.value_or(false)) return verdict;
  verdict.refused_by = ReleaseLimit(request, event.count);
  verdict.set_aside = std::move(admission->plan);
  verdict.witness_order = admission->witness_order;
  return verdict;
}

absl::StatusOr<WeighedCap> WeighCap(const PlanRequest& request) {
  const Accounts& accounts = request.accounts;
  TW_ASSIGN_OR_RETURN(const DpEvent event, AskedEvent(request.plan));
  TW_ASSIGN_OR_RETURN(const double cap, CapOf(request));
  TW_ASSIGN_OR_RETURN(const auto admission, accounts.policy.Admit(event, accounts.spent));
  WeighedCap weighed{.own_after = {}, .holds = false};
  if (!admission.has_value()) return weighed;  // of nothing: the corpus' budget refuses the plan
  weighed.own_after = accounts.policy.SpentAfter(accounts.analyst_spent, admission->plan);
  TW_ASSIGN_OR_RETURN(const double epsilon, request.meter->Of(accounts.policy, weighed.own_after));
  weighed.holds = epsilon <= cap;
  return weighed;
}

absl::StatusOr<Verdict> JudgePlan(const PlanRequest& request) {
  TW_ASSIGN_OR_RETURN(Verdict verdict, JudgeByCounting(request, std::nullopt));
  if (verdict.refused_by != Limit::kCapNotWeighed) return verdict;
  TW_ASSIGN_OR_RETURN(const WeighedCap weighed, WeighCap(request));
  return JudgeByCounting(request, weighed);
}

absl::StatusOr<int64_t> MostIterations(const PlanRequest& request) {
  TW_ASSIGN_OR_RETURN(const DpEvent event, AskedEvent(request.plan));
  TW_ASSIGN_OR_RETURN(const double cap, CapOf(request));
  const Accounts& accounts = request.accounts;
  TW_ASSIGN_OR_RETURN(const int64_t most,
                      accounts.policy.MostReleasesWithin(cap, accounts.analyst_spent, event.release,
                                                         accounts.spent, *request.meter));
  const ReleasesLeft left = LeftOf(request);
  return std::min({most, left.of_budget, left.of_own_share, int64_t{kMaxPlanIterations}});
}

absl::StatusOr<v1::PlanPrice> QuotePlan(const PlanRequest& request) {
  const AdmissionPolicy& policy = request.accounts.policy;
  TW_ASSIGN_OR_RETURN(const Verdict verdict, JudgePlan(request));
  TW_ASSIGN_OR_RETURN(const DpEvent event, AskedEvent(request.plan));
  TW_ASSIGN_OR_RETURN(const double alone, EpsilonOnTop(request, event, policy.NothingSpent()));
  TW_ASSIGN_OR_RETURN(const double with_plan, EpsilonOnTop(request, event, request.accounts.spent));
  TW_ASSIGN_OR_RETURN(const int64_t most, MostIterations(request));
  v1::PlanPrice price;
  price.set_fits(verdict.refused_by == Limit::kNone);
  price.set_epsilon_alone(alone);
  price.set_epsilon_with_plan(with_plan);
  price.set_epsilon_total(policy.budget().epsilon);
  price.set_delta(policy.budget().delta);
  price.set_most_iterations(most);
  price.set_effective_noise_multiplier(event.release.noise_multiplier());
  return price;
}

absl::Status RefusalOf(const PlanRequest& request, Limit refused_by) {
  if (refused_by == Limit::kNone) return absl::OkStatus();
  if (refused_by == Limit::kMaxReleases || refused_by == Limit::kOwnMaxReleases) {
    return TooManyReleases(request, refused_by);
  }
  TW_ASSIGN_OR_RETURN(const v1::PrivacyBudgetExhausted detail, DetailOf(request, refused_by));
  const std::string why =
      detail.vouchers()
          ? absl::StrCat(request.plan.iterations(),
                         " vouchers that suffice for its releases are not left")
          : absl::StrCat("it asks for epsilon ", proto::EpsilonText(detail.epsilon_asked()),
                         ", and ", proto::LeftText(detail.epsilon_left()), " of ",
                         proto::EpsilonText(detail.epsilon_total()), " is left");
  return proto::BudgetRefusal(
      absl::StrCat("the plan does not fit in the ", detail.limit(), "'s privacy budget: ", why,
                   ". At most ", detail.most_iterations(),
                   " releases of this kind fit; ask for fewer, or for more noise."),
      detail);
}

// A plan that is reserved and cancelled costs no privacy but two entries of a chain that is kept
// for ever: hence the second limit. It forgives with time, and counts only plans that never
// charged.
absl::Status RequireRoomForPlan(const BudgetState& budget, const Purse& purse, int64_t now_ms) {
  const int64_t since_ms = now_ms - purse.reservation_days * kMsPerDay;
  int64_t open = 0;
  int64_t unused = 0;
  for (const auto& [id, plan] : budget.plans()) {
    if (plan.principal != purse.principal) continue;
    const int charged = static_cast<int>(plan.charges.size());
    if (plan.state == v1::PlanState::ACTIVE && charged < plan.terms.spec().iterations()) ++open;
    if (plan.state == v1::PlanState::CANCELLED && charged == 0 && plan.reserved_at_ms > since_ms) {
      ++unused;
    }
  }
  if (!(open < purse.max_open_plans)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "your plans that still hold a reservation must be fewer than the limit max_open_plans = ",
        purse.max_open_plans, "; they are ", open, ". Run them to their end, or cancel one."));
  }
  if (unused < kMaxUnusedPlans) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "of your plans of the last ", purse.reservation_days,
      " days (limit reservation_days) fewer than ", kMaxUnusedPlans,
      " may have been cancelled unused; they are ", unused, ". Use those you have, or wait."));
}

}  // namespace topicwall::accountant::ledger
