#include "client/fit/plan_offer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/enforced_price.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "proto/budget_refusal.h"

namespace topicwall::client {
namespace {

absl::Status CheckRequest(const PlanRequest& request) {
  if (request.epsilon.has_value() == request.noise_multiplier.has_value()) {
    return absl::InvalidArgumentError("give one of epsilon and noise-multiplier.");
  }
  if (!(request.num_topics >= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("topics must be at least 1; got ", request.num_topics, "."));
  }
  return CheckAlgorithmName(request.algorithm);
}

// Of the unigram and of the topics.
int64_t AllReleases(const PlanRequest& request) {
  return request.algorithm == kDenoised ? DenoisedReleases(request.iterations) : request.iterations;
}

// Σ_k α_k.
double TotalPrior(const PlanRequest& request) {
  return request.algorithm == kDenoised ? kDenoisedTotalPrior : 1;
}

// The wall prices all releases of a fit as those of one plan.
absl::Status CheckLimits(const PlanRequest& request, const v1::CorpusDescription& description) {
  const int64_t most = description.limits().max_iterations(), releases = AllReleases(request);
  if (releases <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "iterations must be so few that a fit has at most ", most,
      " releases, the wall's limit; got ", request.iterations, ", which takes ", releases, "."));
}

// Everything but σ.
v1::PlanSpec UnpricedPlan(const PlanRequest& request, const v1::CorpusDescription& description) {
  v1::PlanSpec plan;
  plan.set_corpus(request.corpus);
  plan.set_corpus_version(description.corpus_version());
  plan.set_sampling_rate(request.sampling_rate);
  plan.set_iterations(request.iterations);
  plan.set_max_words(request.max_words.value_or(description.limits().max_words()));
  plan.set_held_out_share(request.held_out_share);
  plan.mutable_lda()->set_num_topics(request.num_topics);
  plan.mutable_lda()->add_document_topic_prior(TotalPrior(request) / request.num_topics);
  return plan;
}

absl::StatusOr<FitPlans> PlansWith(double noise_multiplier, const PlanRequest& request,
                                   const v1::CorpusDescription& description) {
  FitPlans plans = {
      .algorithm = request.algorithm, .topics = UnpricedPlan(request, description), .unigram = {}};
  if (request.algorithm == kDenoised) {
    TW_ASSIGN_OR_RETURN(DenoisedPlans denoised, PlanDenoised(plans.topics, noise_multiplier));
    plans.topics = std::move(denoised.topics);
    plans.unigram = std::move(denoised.unigram);
  } else {
    plans.topics.set_noise_multiplier(noise_multiplier);
  }
  return plans;
}

// The wall's price of all releases of the fit, which are of one kind to an accountant.
absl::StatusOr<v1::PlanPrice> PriceOf(WallPort& wall, const PlanRequest& request,
                                      const FitPlans& plans) {
  v1::PlanSpec all = plans.unigram.value_or(plans.topics);
  *all.mutable_lda() = plans.topics.lda();
  all.set_iterations(static_cast<int32_t>(AllReleases(request)));  // within CheckLimits
  return wall.PricePlan(all);
}

// Both sides price by the same formula; if their arithmetic differs by a hair, the plan is
// the one that gives way.
absl::Status PriceAtMost(WallPort& wall, const PlanRequest& request, double noise_multiplier,
                         PlanOffer& offer) {
  constexpr int kTries = 4;
  for (int i = 0; i < kTries; ++i) {
    TW_ASSIGN_OR_RETURN(offer.plans, PlansWith(noise_multiplier, request, offer.description));
    TW_ASSIGN_OR_RETURN(offer.price, PriceOf(wall, request, offer.plans));
    if (!request.epsilon.has_value() || offer.price.epsilon_alone() <= *request.epsilon) {
      return absl::OkStatus();
    }
    noise_multiplier = RoundUpToSixDigits(noise_multiplier * (1 + 1e-5));
  }
  return absl::InternalError(absl::StrCat(
      "the wall prices the plan at epsilon ", offer.price.epsilon_alone(), ", above the ",
      *request.epsilon,
      " asked for, with noise that costs less by its own policy. Use --noise-multiplier, and tell "
      "the custodian."));
}

}  // namespace

absl::StatusOr<PlanOffer> MakeOffer(WallPort& wall, const PlanRequest& request) {
  TW_RETURN_IF_ERROR(CheckRequest(request));
  PlanOffer offer;
  TW_ASSIGN_OR_RETURN(offer.description, wall.DescribeCorpus(request.corpus));
  TW_RETURN_IF_ERROR(CheckLimits(request, offer.description));
  TW_ASSIGN_OR_RETURN(offer.budget, OpenBudget(wall, request.corpus));
  double noise_multiplier = request.noise_multiplier.value_or(0);
  if (request.epsilon.has_value()) {
    TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, PolicyOf(offer.budget));
    TW_ASSIGN_OR_RETURN(noise_multiplier,
                        ChooseNoiseMultiplier(policy, TargetOf(request, offer.description)));
  }
  TW_RETURN_IF_ERROR(PriceAtMost(wall, request, noise_multiplier, offer));
  offer.guess = request.guess;
  TW_ASSIGN_OR_RETURN(offer.expected, ExpectationOf(offer.plans, offer.description, request.guess));
  return offer;
}

absl::StatusOr<v1::BudgetStatus> OpenBudget(WallPort& wall, absl::string_view corpus) {
  v1::GetBudgetRequest request;
  request.set_corpus(std::string(corpus));
  TW_ASSIGN_OR_RETURN(v1::BudgetStatus budget, wall.GetBudget(request));
  if (budget.policy_case() != v1::BudgetStatus::POLICY_NOT_SET) return budget;
  return absl::FailedPreconditionError(
      absl::StrCat("no budget is open for ", corpus, ". Ask the custodian."));
}

PriceTarget TargetOf(const PlanRequest& request, const v1::CorpusDescription& description) {
  return {.epsilon = request.epsilon.value_or(0),
          .sampling_rate = request.sampling_rate,
          .iterations = AllReleases(request),
          .min_noise_multiplier = description.limits().min_noise_multiplier()};
}

absl::Status CheckOpen(const v1::CorpusDescription& description) {
  absl::string_view why;
  if (description.state() == v1::CORPUS_STATE_PAUSED) {
    why = "paused: by the custodian, after late releases, or because documents could not be read";
  }
  if (description.state() == v1::CORPUS_STATE_FROZEN) {
    why = "frozen: its ledger was restored from a backup, and the custodian has not thawed it";
  }
  if (why.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("corpus ", description.corpus(), " is ", why,
                   ". Nothing is charged meanwhile, and what was released can be read. Ask the "
                   "custodian, and give the same command again."));
}

absl::Status RefusalOf(const PlanOffer& offer) {
  TW_RETURN_IF_ERROR(CheckOpen(offer.description));
  if (offer.price.fits()) return absl::OkStatus();
  // Within the corpus' total and refused all the same: it is the analyst's own cap.
  const bool is_own_cap =
      offer.budget.has_own() && offer.price.epsilon_with_plan() <= offer.price.epsilon_total();
  const v1::PrincipalBudget& own = offer.budget.own();
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_asked(offer.price.epsilon_alone());
  detail.set_epsilon_spent(is_own_cap ? own.epsilon_spent() : offer.budget.epsilon_spent());
  detail.set_epsilon_total(is_own_cap ? own.epsilon_cap() : offer.budget.epsilon_total());
  detail.set_epsilon_left(std::max(0.0, detail.epsilon_total() - detail.epsilon_spent()));
  detail.set_delta(offer.price.delta());
  detail.set_most_iterations(offer.price.most_iterations());
  detail.set_limit(is_own_cap ? "analyst" : "corpus");
  detail.set_vouchers(!is_own_cap && offer.budget.has_inventory());
  return WithSum(proto::BudgetRefusal("the plan does not fit in the budget.", detail),
                 offer.description.sum());
}

}  // namespace topicwall::client
