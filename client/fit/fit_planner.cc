#include "client/fit/fit_planner.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/plan_offer.h"

namespace topicwall::client {
namespace {

constexpr int kTopicsToPropose[] = {5, 10, 20, 50, 100, 200, 500};
constexpr double kSecondsPerHour = 3600;

absl::Status CheckPositive(absl::string_view name, const std::optional<double>& value) {
  if (!value.has_value() || (*value > 0 && std::isfinite(*value))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be positive and finite; got ", *value, "."));
}

absl::Status CheckWishes(const FitWishes& wishes, double delta) {
  TW_RETURN_IF_ERROR(CheckPositive("epsilon", wishes.epsilon));
  TW_RETURN_IF_ERROR(CheckPositive("hours", wishes.hours));
  TW_RETURN_IF_ERROR(CheckPositive("seconds-per-release", wishes.seconds_per_release));
  if (wishes.delta.has_value() && !(*wishes.delta >= delta)) {
    return absl::InvalidArgumentError(
        absl::StrCat("delta must be at least the budget's, ", delta, ", at which everything is ",
                     "priced; got ", *wishes.delta, ". Only the custodian could open another."));
  }
  return absl::OkStatus();
}

absl::Status CheckWithin(absl::string_view name, int value, int most) {
  if (value >= 1 && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be in [1, ", most, "], the wall's limit; got ", value, "."));
}

double SecondsPerRelease(const v1::CorpusDescription& description, const FitWishes& wishes) {
  const double interval = static_cast<double>(description.release_interval_ms()) / 1000;
  return std::max(interval, wishes.seconds_per_release.value_or(0));
}

// Releases that there is time for; those of `most` if nobody says how long one takes.
int64_t ReleasesInTime(const FitWishes& wishes, double seconds, int64_t most) {
  if (!wishes.hours.has_value() || !(seconds > 0)) return most;
  const double releases = std::floor(*wishes.hours * kSecondsPerHour / seconds);
  return releases < static_cast<double>(most) ? static_cast<int64_t>(releases) : most;
}

// As many iterations, of at most `most`, as so many releases are enough for; 0 if for none.
int IterationsWithin(int64_t releases, int most) {
  while (most > 0 && DenoisedReleases(most) > releases) --most;
  return most;
}

// To this caller; one with nothing left is refused by the wall, which then says whose share it was.
int64_t ReleasesLeft(const v1::CorpusDescription& description) {
  const int64_t own = description.own_releases_left();
  return own > 0 ? std::min(own, description.releases_left()) : description.releases_left();
}

absl::StatusOr<int> ChooseIterations(const v1::CorpusDescription& description,
                                     const FitWishes& wishes, double seconds) {
  const int limit = description.limits().max_iterations();
  if (wishes.iterations.has_value()) {
    TW_RETURN_IF_ERROR(CheckWithin("iterations", *wishes.iterations, limit));
  }
  // All releases of a fit are priced as those of one plan (plan_offer.h).
  const int useful = std::max(1, IterationsWithin(limit, kMostUsefulIterations));
  const int wanted = wishes.iterations.value_or(useful);
  const int least = wishes.iterations.has_value() ? wanted : 1;
  const int64_t in_time = ReleasesInTime(wishes, seconds, DenoisedReleases(wanted));
  const int64_t left = ReleasesLeft(description);
  const int possible = IterationsWithin(std::min(in_time, left), wanted);
  if (possible >= least) return possible;
  const std::string needs =
      absl::StrCat("a fit of ", least, " iterations takes ", DenoisedReleases(least), " releases");
  return absl::FailedPreconditionError(
      left < in_time
          ? absl::StrCat(needs, ", and the corpus has ", left, " left. Ask the custodian for more.")
          : absl::StrCat(needs, " of ", seconds, " s each, and ", *wishes.hours,
                         " hours are enough for ", in_time, ". Give more hours."));
}

absl::StatusOr<lda::ExpectedSignal> Expect(const v1::CorpusDescription& description,
                                           const FitWishes& wishes, const ProposedFit& fit) {
  v1::PlanSpec topics;
  topics.set_sampling_rate(1);
  topics.set_iterations(fit.iterations);
  topics.mutable_lda()->set_num_topics(fit.num_topics);
  TW_ASSIGN_OR_RETURN(const DenoisedPlans plans, PlanDenoised(topics, fit.noise_multiplier));
  TW_ASSIGN_OR_RETURN(
      const std::optional<lda::ExpectedSignal> expected,
      ExpectationOf({.algorithm = kDenoised, .topics = plans.topics, .unigram = plans.unigram},
                    description, wishes.guess));
  if (expected.has_value()) return *expected;
  return absl::FailedPreconditionError(
      absl::StrCat("the custodian of ", description.corpus(),
                   " states no nominal size, and without one nothing can be expected. Give your "
                   "own assumption with --nominal-size."));
}

// The most topics that the signal carries.
int ChooseTopics(double signal_to_noise, int limit) {
  int chosen = std::min(kTopicsToPropose[0], limit);
  for (const int topics : kTopicsToPropose) {
    if (topics <= limit && topics <= kTopicsPerSignal * signal_to_noise) chosen = topics;
  }
  return chosen;
}

}  // namespace

absl::StatusOr<ProposedFit> ProposeFit(const accountant::AdmissionPolicy& policy,
                                       const v1::CorpusDescription& description,
                                       const FitWishes& wishes) {
  TW_RETURN_IF_ERROR(CheckWishes(wishes, policy.budget().delta));
  const int most_topics = description.limits().max_topics();
  if (wishes.num_topics.has_value()) {
    TW_RETURN_IF_ERROR(CheckWithin("topics", *wishes.num_topics, most_topics));
  }
  ProposedFit fit = {.num_topics = wishes.num_topics.value_or(most_topics),
                     .iterations = 0,
                     .noise_multiplier = 0,
                     .seconds_per_release = SecondsPerRelease(description, wishes),
                     .expected = {}};
  TW_ASSIGN_OR_RETURN(fit.iterations,
                      ChooseIterations(description, wishes, fit.seconds_per_release));
  TW_ASSIGN_OR_RETURN(
      fit.noise_multiplier,
      ChooseNoiseMultiplier(policy,
                            {.epsilon = wishes.epsilon,
                             .sampling_rate = 1,
                             .iterations = DenoisedReleases(fit.iterations),
                             .min_noise_multiplier = description.limits().min_noise_multiplier()}));
  TW_ASSIGN_OR_RETURN(fit.expected, Expect(description, wishes, fit));
  if (!wishes.num_topics.has_value()) {
    fit.num_topics = ChooseTopics(fit.expected.judged.signal_to_noise, most_topics);
    TW_ASSIGN_OR_RETURN(fit.expected, Expect(description, wishes, fit));
  }
  return fit;
}

absl::StatusOr<ProposedFit> ProposeFit(WallPort& wall, absl::string_view corpus,
                                       const FitWishes& wishes) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(corpus));
  TW_ASSIGN_OR_RETURN(const v1::BudgetStatus budget, OpenBudget(wall, corpus));
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, PolicyOf(budget));
  return ProposeFit(policy, description, wishes);
}

}  // namespace topicwall::client
