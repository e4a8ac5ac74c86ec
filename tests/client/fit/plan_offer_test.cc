#include "client/fit/plan_offer.h"

#include <gtest/gtest.h>

#include <limits>

#include "client/audit/enforced_price.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "proto/budget_refusal.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

PlanRequest Request() {
  return {.corpus = "notes",
          .algorithm = kSignedAverage,
          .num_topics = 4,
          .iterations = 10,
          .sampling_rate = 1,
          .epsilon = 1.5,
          .noise_multiplier = {},
          .max_words = {}};
}

// Prices everything a little above what its policy says.
class DearerWall : public LocalWall {
 public:
  explicit DearerWall(double factor) : factor_(factor) {}
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::PlanSpec& plan) override {
    absl::StatusOr<v1::PlanPrice> price = LocalWall::PricePlan(plan);
    if (price.ok()) price->set_epsilon_alone(price->epsilon_alone() * factor_);
    return price;
  }

 private:
  const double factor_;
};

TEST(MakeOfferTest, AnEpsilonBecomesTheNoiseThatTheWallConfirms) {
  LocalWall wall;
  const auto offer = MakeOffer(wall, Request());
  ASSERT_OK(offer);
  EXPECT_LE(offer->price.epsilon_alone(), 1.5);
  EXPECT_GT(offer->price.epsilon_alone(), 1.4999);
  EXPECT_EQ(offer->plans.topics.corpus_version(), std::string(16, 'v'));
  EXPECT_EQ(offer->plans.topics.max_words(), 500);
  EXPECT_THAT(offer->plans.topics.lda().document_topic_prior(), ElementsAre(0.25));
  EXPECT_OK(RefusalOf(*offer));
}

TEST(MakeOfferTest, NothingIsReservedWhereNothingCanBeCharged) {
  LocalWall wall;
  wall.description().set_state(v1::CORPUS_STATE_PAUSED);
  EXPECT_THAT(RefusalOf(*MakeOffer(wall, Request())),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("notes is paused: ")));
  wall.description().set_state(v1::CORPUS_STATE_FROZEN);
  EXPECT_THAT(RefusalOf(*MakeOffer(wall, Request())),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("notes is frozen: ")));
}

TEST(MakeOfferTest, WhoIsHeldOutIsLeftOutOfEveryPlanOfTheFit) {
  LocalWall wall;
  PlanRequest request = Request();
  request.algorithm = kDenoised;
  request.held_out_share = 0.25;
  const auto offer = MakeOffer(wall, request);
  ASSERT_OK(offer);
  EXPECT_EQ(offer->plans.topics.held_out_share(), 0.25);
  ASSERT_TRUE(offer->plans.unigram.has_value());
  EXPECT_EQ(offer->plans.unigram->held_out_share(), 0.25);
}

TEST(MakeOfferTest, ANoiseMultiplierIsTakenAsItIs) {
  LocalWall wall;
  PlanRequest request = Request();
  request.epsilon.reset();
  request.noise_multiplier = 17.25;
  request.max_words = 99;
  const auto offer = MakeOffer(wall, request);
  ASSERT_OK(offer);
  EXPECT_EQ(offer->plans.topics.noise_multiplier(), 17.25);
  EXPECT_EQ(offer->plans.topics.max_words(), 99);
}

TEST(MakeOfferTest, AWallThatPricesAHairHigherGetsAHairMoreNoise) {
  LocalWall exact;
  DearerWall dearer(1 + 1e-6);
  const auto expected = MakeOffer(exact, Request());
  const auto offer = MakeOffer(dearer, Request());
  ASSERT_OK(expected);
  ASSERT_OK(offer);
  EXPECT_LE(offer->price.epsilon_alone(), 1.5);
  EXPECT_LT(offer->plans.topics.noise_multiplier(),
            expected->plans.topics.noise_multiplier() * 1.0001);
}

TEST(MakeOfferTest, AWallThatContradictsItsOwnPolicyIsAnError) {
  DearerWall wall(1.1);
  EXPECT_THAT(MakeOffer(wall, Request()),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("its own policy")));
}

accountant::AdmissionPolicy Vouchers() {
  return *accountant::AdmissionPolicy::Create(*accountant::MakeInventorySpec(
      {.epsilon = 2.44, .delta = 1e-6}, {{12.5, 1, 10}, {25, 1, 8}}));
}

TEST(MakeOfferTest, UnderAnInventoryAnEpsilonBecomesTheNoiseOfAKindOfVoucher) {
  LocalWall wall;
  wall.UsePolicy(Vouchers());
  const auto offer = MakeOffer(wall, Request());
  ASSERT_OK(offer);
  EXPECT_EQ(offer->plans.topics.noise_multiplier(), 12.5);
  EXPECT_LE(offer->price.epsilon_alone(), 1.5);
  EXPECT_OK(RefusalOf(*offer));
  // Asked again once others have drawn them, it is the same plan, and refused for its vouchers.
  v1::ReservePlanRequest others;
  others.set_request_id("others");
  *others.mutable_plan() = offer->plans.topics;
  ASSERT_OK(wall.ReservePlan(others));
  const auto again = MakeOffer(wall, Request());
  ASSERT_OK(again);
  EXPECT_EQ(again->plans.topics.noise_multiplier(), 12.5);
  const auto detail = proto::BudgetExhaustedOf(RefusalOf(*again));
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->limit(), "corpus");
  EXPECT_TRUE(detail->vouchers());
}

TEST(MakeOfferTest, ADenoisedFitIsOfReleasesOfOnePrice) {
  LocalWall wall;
  PlanRequest request = Request();
  request.algorithm = kDenoised;
  const auto offer = MakeOffer(wall, request);
  ASSERT_OK(offer);
  ASSERT_TRUE(offer->plans.unigram.has_value());
  const v1::PlanSpec& unigram = *offer->plans.unigram;
  const v1::PlanSpec& topics = offer->plans.topics;
  EXPECT_EQ(unigram.lda().num_topics(), 1);
  EXPECT_EQ(unigram.iterations(), 1);
  EXPECT_EQ(topics.iterations(), 10);
  // What was offered is what both plans cost, one after the other.
  EXPECT_LE(offer->price.epsilon_alone(), 1.5);
  EXPECT_GT(offer->price.epsilon_alone(), 1.4999);
  for (const v1::PlanSpec& plan : {unigram, topics}) {
    v1::ReservePlanRequest reserve;
    reserve.set_request_id(plan.SerializeAsString());
    *reserve.mutable_plan() = plan;
    ASSERT_OK(wall.ReservePlan(reserve));
  }
  const auto budget = wall.GetBudget({});
  ASSERT_OK(budget);
  EXPECT_LE(budget->epsilon_spent(), 1.5);
  EXPECT_GT(budget->epsilon_spent(), 1.4999);
}

TEST(MakeOfferTest, AFitWhoseReleasesAreMoreThanAPlanMayHaveIsRefusedAndTold) {
  LocalWall wall;
  wall.description().mutable_limits()->set_max_iterations(10);
  PlanRequest request = Request();
  EXPECT_OK(MakeOffer(wall, request));
  request.algorithm = kDenoised;
  EXPECT_THAT(MakeOffer(wall, request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got 10, which takes 11")));
  request.iterations = std::numeric_limits<int>::max();
  EXPECT_THAT(MakeOffer(wall, request), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(MakeOfferTest, ExactlyOneWayToSayHowMuchNoise) {
  LocalWall wall;
  PlanRequest both = Request();
  both.noise_multiplier = 5;
  PlanRequest none = Request();
  none.epsilon.reset();
  EXPECT_THAT(MakeOffer(wall, both), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(MakeOffer(wall, none), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(wall.calls(), 0);
}

TEST(RefusalOfTest, CarriesTheNumbersAndWhatFits) {
  LocalWall wall;
  PlanRequest request = Request();
  request.epsilon = 4;  // of 2.44
  auto offer = MakeOffer(wall, request);
  ASSERT_OK(offer);
  offer->price.set_most_iterations(6);
  const absl::Status refusal = RefusalOf(*offer);
  EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto detail = proto::BudgetExhaustedOf(refusal);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->epsilon_asked(), offer->price.epsilon_alone());
  EXPECT_EQ(detail->epsilon_total(), 2.44);
  EXPECT_EQ(detail->epsilon_left(), 2.44);
  EXPECT_EQ(detail->most_iterations(), 6);
  EXPECT_EQ(detail->limit(), "corpus");
  // Within the total and still refused: the analyst's own cap.
  offer->price.set_epsilon_with_plan(2);
  offer->budget.mutable_own()->set_epsilon_cap(0.5);
  offer->budget.mutable_own()->set_epsilon_spent(0.2);
  const auto own = proto::BudgetExhaustedOf(RefusalOf(*offer));
  EXPECT_EQ(own->limit(), "analyst");
  EXPECT_EQ(own->epsilon_total(), 0.5);
  EXPECT_EQ(own->epsilon_spent(), 0.2);
  EXPECT_EQ(own->epsilon_left(), 0.3);
}

}  // namespace
}  // namespace topicwall::client
