#include "client/fit/fit_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/audit/enforced_price.h"
#include "client/fit/denoised_plans.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// δ of the measurements.
accountant::AdmissionPolicy Policy(double epsilon = 3) {
  return *accountant::AdmissionPolicy::Create(
      *accountant::BudgetFilter::DefaultSpec({.epsilon = epsilon, .delta = 1e-4}));
}

// The Debian catalogue's shape.

v1::CorpusDescription Description() {
  v1::CorpusDescription description;
  description.set_corpus("debian");
  description.set_vocabulary_size(8000);
  description.set_nominal_size(58087);
  description.set_release_interval_ms(60'000);
  description.set_timing_protection(v1::TIMING_PROTECTION_SCHEDULE);
  description.set_releases_left(1000);
  description.mutable_limits()->set_max_words(500);
  description.mutable_limits()->set_max_topics(200);
  description.mutable_limits()->set_max_iterations(100);
  description.mutable_limits()->set_min_noise_multiplier(0.5);
  return description;
}

FitWishes Wishes(double epsilon) {
  return {.epsilon = epsilon,
          .delta = {},
          .num_topics = {},
          .iterations = {},
          .hours = {},
          .seconds_per_release = {},
          .guess = {.num_documents = {}, .words_per_document = 36}};
}

// Of the grid of K that was measured (fit_planner.h), the best, or within half a percent of it. As
// there, the fit has the whole budget.
TEST(ProposeFitTest, ProposesTheTopicsThatWereBestOnTheDevelopmentCorpus) {
  const std::vector<std::pair<double, int>> best = {
      {0.1, 5}, {0.2, 10}, {0.5, 20}, {1, 50}, {2.44, 100}};
  for (const auto& [epsilon, num_topics] : best) {
    const auto fit = ProposeFit(Policy(epsilon), Description(), Wishes(epsilon));
    ASSERT_OK(fit);
    EXPECT_EQ(fit->num_topics, num_topics) << epsilon;
    EXPECT_EQ(fit->iterations, 40);
  }
}

TEST(ProposeFitTest, AllReleasesTogetherCostTheEpsilonAndNoMore) {
  const auto fit = ProposeFit(Policy(), Description(), Wishes(0.7));
  ASSERT_OK(fit);
  v1::PlanSpec all;
  all.set_sampling_rate(1);
  all.set_iterations(static_cast<int32_t>(DenoisedReleases(fit->iterations)));
  all.set_noise_multiplier(fit->noise_multiplier);
  const auto price = PriceAlone(Policy(), all);
  ASSERT_OK(price);
  EXPECT_LE(*price, 0.7);
  EXPECT_GT(*price, 0.6999);
}

TEST(ProposeFitTest, JunkIsKnownBeforehand) {
  for (const auto& [epsilon, is_junk] : std::vector<std::pair<double, bool>>{
           {0.02, true}, {0.1, true}, {0.2, true}, {0.3, false}, {2.44, false}}) {
    const auto fit = ProposeFit(Policy(epsilon), Description(), Wishes(epsilon));
    ASSERT_OK(fit);
    EXPECT_EQ(fit->expected.IsJunk(), is_junk) << epsilon;
  }
}

// A Gaussian witness buys the same with a part of a budget as with a budget of that ε; Rényi orders
// alone are tuned to the ε that the budget was opened with.
TEST(ProposeFitTest, NoiseIsThatOfTheBudgetThatIsThere) {
  const auto part = ProposeFit(Policy(3), Description(), Wishes(0.5));
  const auto whole = ProposeFit(Policy(0.5), Description(), Wishes(0.5));
  ASSERT_OK(part);
  ASSERT_OK(whole);
  EXPECT_NEAR(part->noise_multiplier, whole->noise_multiplier, 1e-4 * whole->noise_multiplier);
  const auto by_orders =
      ProposeFit(*accountant::AdmissionPolicy::Create(*accountant::BudgetFilter::DefaultSpec(
                     {.epsilon = 3, .delta = 1e-4}, accountant::PlannedUse::kSampled)),
                 Description(), Wishes(0.5));
  ASSERT_OK(by_orders);
  EXPECT_GT(by_orders->noise_multiplier, 1.2 * whole->noise_multiplier);
  EXPECT_LT(by_orders->expected.judged.signal_to_noise, whole->expected.judged.signal_to_noise);
}

TEST(ProposeFitTest, HoursLimitTheIterationsByTheReleaseInterval) {
  FitWishes wishes = Wishes(1);
  wishes.hours = 0.2;  // 12 releases of a minute, one of them of the word counts
  const auto fit = ProposeFit(Policy(), Description(), wishes);
  ASSERT_OK(fit);
  EXPECT_EQ(fit->iterations, 11);
  EXPECT_EQ(fit->seconds_per_release, 60);
  wishes.hours = 100;
  EXPECT_EQ(ProposeFit(Policy(), Description(), wishes)->iterations, 40);
  wishes.hours = 0.69;  // 41 releases, one of them of the word counts
  EXPECT_EQ(ProposeFit(Policy(), Description(), wishes)->iterations, 40);
  wishes.hours = 0.68;
  EXPECT_EQ(ProposeFit(Policy(), Description(), wishes)->iterations, 39);
  wishes.hours = 0.02;  // one release
  EXPECT_THAT(ProposeFit(Policy(), Description(), wishes),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("more hours")));
}

TEST(ProposeFitTest, WithoutAScheduleHoursLimitOnlyWhatTheAnalystSaysOfTheSpeed) {
  v1::CorpusDescription description = Description();
  description.set_timing_protection(v1::TIMING_PROTECTION_NONE);
  description.set_release_interval_ms(0);
  FitWishes wishes = Wishes(1);
  wishes.hours = 0.2;
  auto fit = ProposeFit(Policy(), description, wishes);
  ASSERT_OK(fit);
  EXPECT_EQ(fit->iterations, 40);
  EXPECT_EQ(fit->seconds_per_release, 0);
  wishes.seconds_per_release = 120;
  fit = ProposeFit(Policy(), description, wishes);
  ASSERT_OK(fit);
  EXPECT_EQ(fit->iterations, 5);
}

TEST(ProposeFitTest, AReleaseIsNotFasterThanTheIntervalWhateverTheAnalystSays) {
  FitWishes wishes = Wishes(1);
  wishes.seconds_per_release = 3;
  EXPECT_EQ(ProposeFit(Policy(), Description(), wishes)->seconds_per_release, 60);
  wishes.seconds_per_release = 61;
  EXPECT_EQ(ProposeFit(Policy(), Description(), wishes)->seconds_per_release, 61);
}

TEST(ProposeFitTest, TheWallsLimitsAndTheReleasesLeftAreKept) {
  v1::CorpusDescription description = Description();
  description.mutable_limits()->set_max_iterations(7);
  description.mutable_limits()->set_max_topics(30);
  description.mutable_limits()->set_min_noise_multiplier(50);
  auto fit = ProposeFit(Policy(), description, Wishes(1));
  ASSERT_OK(fit);
  EXPECT_EQ(fit->iterations, 6) << "all seven releases are priced as one plan";
  EXPECT_EQ(fit->noise_multiplier, 50);
  description = Description();
  description.mutable_limits()->set_max_topics(3);
  EXPECT_EQ(ProposeFit(Policy(), description, Wishes(1))->num_topics, 3);
  description.set_releases_left(4);
  EXPECT_EQ(ProposeFit(Policy(), description, Wishes(1))->iterations, 3);
  description.set_releases_left(1000);
  description.set_own_releases_left(6);  // of all that are left, the caller's share
  EXPECT_EQ(ProposeFit(Policy(), description, Wishes(1))->iterations, 5);
  description.set_releases_left(1);
  EXPECT_THAT(ProposeFit(Policy(), description, Wishes(1)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("corpus has 1 left")));
}

TEST(ProposeFitTest, WhatIsWishedForIsTakenOrRefusedButNeverChanged) {
  FitWishes wishes = Wishes(1);
  wishes.num_topics = 7;
  wishes.iterations = 33;
  const auto fit = ProposeFit(Policy(), Description(), wishes);
  ASSERT_OK(fit);
  EXPECT_EQ(fit->num_topics, 7);
  EXPECT_EQ(fit->iterations, 33);
  wishes.hours = 0.5;  // 30 releases
  EXPECT_THAT(ProposeFit(Policy(), Description(), wishes),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  wishes.hours.reset();
  wishes.iterations = 101;
  EXPECT_THAT(ProposeFit(Policy(), Description(), wishes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("iterations")));
  wishes.iterations.reset();
  wishes.num_topics = 201;
  EXPECT_THAT(ProposeFit(Policy(), Description(), wishes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topics")));
}

TEST(ProposeFitTest, DeltaIsTheBudgets) {
  FitWishes wishes = Wishes(1);
  wishes.delta = 1e-4;
  EXPECT_OK(ProposeFit(Policy(), Description(), wishes));
  wishes.delta = 1e-3;  // a promise at 1e-4 is one at 1e-3 too
  EXPECT_OK(ProposeFit(Policy(), Description(), wishes));
  wishes.delta = 1e-6;
  EXPECT_THAT(ProposeFit(Policy(), Description(), wishes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the budget's, 0.0001")));
}

TEST(ProposeFitTest, NothingIsProposedForACorpusOfUnknownSize) {
  v1::CorpusDescription silent = Description();
  silent.clear_nominal_size();
  EXPECT_THAT(ProposeFit(Policy(), silent, Wishes(1)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--nominal-size")));
  FitWishes wishes = Wishes(1);
  wishes.guess.num_documents = 58087;
  const auto assumed = ProposeFit(Policy(), silent, wishes);
  const auto stated = ProposeFit(Policy(), Description(), Wishes(1));
  ASSERT_OK(assumed);
  ASSERT_OK(stated);
  EXPECT_EQ(assumed->num_topics, stated->num_topics);
}

TEST(ProposeFitTest, WishesOutOfTheirDomainAreNamed) {
  FitWishes wishes = Wishes(0);
  EXPECT_THAT(ProposeFit(Policy(), Description(), wishes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
  wishes = Wishes(1);
  wishes.hours = -1;
  EXPECT_THAT(ProposeFit(Policy(), Description(), wishes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("hours")));
  wishes = Wishes(1);
  wishes.seconds_per_release = 0;
  EXPECT_THAT(ProposeFit(Policy(), Description(), wishes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("seconds-per-release")));
}

TEST(ProposeFitTest, OfAWallItAsksDescriptionAndBudgetAndReservesNothing) {
  LocalWall wall;
  FitWishes wishes = Wishes(1);
  wishes.guess.num_documents = 1'000'000;
  const auto fit = ProposeFit(wall, "notes", wishes);
  ASSERT_OK(fit);
  EXPECT_EQ(wall.calls(), 2);
  EXPECT_EQ(wall.plans_reserved(), 0);
  EXPECT_EQ(fit->noise_multiplier,
            ProposeFit(wall.policy(), wall.description(), wishes)->noise_multiplier);
}

}  // namespace
}  // namespace topicwall::client
