#include "client/fit/fit_quote.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "client/audit/enforced_price.h"
#include "client/fit/fit_planner.h"
#include "proto/budget_refusal.h"
#include "tests/client/local_wall.h"
#include "tests/client/small_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::client {
namespace fit_quote_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

FitSpec Spec() {
  FitSpec spec;
  spec.corpus = "notes";
  spec.algorithm = kPaper;
  spec.sampling_rate = 1;
  spec.num_topics = 4;
  spec.iterations = 10;
  spec.epsilon = 1.5;
  return spec;
}

v1::ModelFile InitialModel(int num_topics, LocalWall& wall) {
  std::vector<float> topics(static_cast<size_t>(num_topics) * wall.terms().size(), 1.0F);
  for (size_t k = 0; k < static_cast<size_t>(num_topics); ++k) {
    topics[k * wall.terms().size() + k] = 9;
  }
  return SmallModel(wall.terms(), topics, 0.1, 0.3);
}

// Prices everything a little above what its policy says.
class DearerWall : public LocalWall {
 public:
  explicit DearerWall(double factor) : factor_(factor) {}
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override {
    absl::StatusOr<v1::PlanPrice> price = LocalWall::PricePlan(plan);
    if (price.ok()) price->set_epsilon_alone(price->epsilon_alone() * factor_);
    return price;
  }

 private:
  const double factor_;
};

TEST(MakeQuoteTest, AnEpsilonBecomesTheNoiseThatTheWallConfirms) {
  LocalWall wall;
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(wall, Spec()));
  EXPECT_LE(quote.price.epsilon_alone(), 1.5);
  EXPECT_GT(quote.price.epsilon_alone(), 1.4999);
  EXPECT_EQ(quote.topics().corpus_version(), std::string(16, 'v'));
  EXPECT_EQ(quote.topics().max_tokens(), 500);
  EXPECT_THAT(testing::OptionsOf(quote.topics()).document_topic_prior(), ElementsAre(0.25));
  EXPECT_OK(RefusalOf(quote));
}

// It would be found out when all of it is paid.
TEST(MakeQuoteTest, AModelThatCouldNotBeWrittenIsRefused) {
  LocalWall wall;
  wall.description().set_vocabulary_size(1'000'000);
  FitSpec spec = Spec();
  spec.num_topics = 260;
  EXPECT_THAT(MakeQuote(wall, spec).status(),
              Not(StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 GiB"))));
  spec.num_topics = 261;
  EXPECT_THAT(
      MakeQuote(wall, spec),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("topics must be at most 260 for the 1000000 terms of corpus notes")));
}

TEST(MakeQuoteTest, NothingIsReservedWhereNothingCanBeCharged) {
  LocalWall wall;
  wall.description().set_state(v1::CORPUS_STATE_PAUSED);
  EXPECT_THAT(RefusalOf(*MakeQuote(wall, Spec())),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("notes is paused: ")));
  wall.description().set_state(v1::CORPUS_STATE_FROZEN);
  EXPECT_THAT(RefusalOf(*MakeQuote(wall, Spec())),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("notes is frozen: ")));
}

TEST(MakeQuoteTest, WhoIsHeldOutIsLeftOutOfEveryPlanOfTheFit) {
  LocalWall wall;
  FitSpec spec = Spec();
  spec.algorithm = kDenoised;
  spec.held_out_share = 0.25;
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(wall, spec));
  EXPECT_EQ(quote.topics().held_out_share(), 0.25);
  ASSERT_EQ(quote.stages.size(), 2u);
  EXPECT_EQ(quote.stages[0].plan().plan().held_out_share(), 0.25);
}

TEST(MakeQuoteTest, AClipNormThatNoWallTakesIsRefusedBeforeAnythingIsPaid) {
  LocalWall wall;
  FitSpec spec = Spec();
  for (const double bad : {0x1p-21, 0x1p31, -1.0, double{INFINITY}, double{NAN}}) {
    spec.clip_norm = bad;
    EXPECT_THAT(MakeQuote(wall, spec), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr("clip_norm must be in [2^-20, 2^30]")))
        << bad;
  }
  spec.clip_norm = 0x1p30;
  EXPECT_OK(MakeQuote(wall, spec));
}

// Sums over ν are float32 in every algorithm.
TEST(MakeQuoteTest, ASamplingRateThatLeavesNoSumWithinFloat32IsRefusedBeforeAnythingIsPaid) {
  LocalWall words, vectors({.vectors = {{0.5F, 0.5F}, {0.1F, 0.2F}}});
  for (const char* algorithm : {kPaper, kDenoised, kMixture, kGaussian}) {
    LocalWall& wall = algorithm == kGaussian ? vectors : words;
    FitSpec spec = Spec();
    spec.algorithm = algorithm;
    spec.num_topics = 2;
    spec.sampling_rate = 1e-300;
    EXPECT_THAT(MakeQuote(wall, spec),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sampling-rate")))
        << algorithm;
    spec.sampling_rate = 1e-6;
    EXPECT_OK(MakeQuote(wall, spec)) << algorithm;
  }
}

// By its name and before the wall is asked, and not as more than the budget holds.
TEST(MakeQuoteTest, WhatIsOutOfItsRangeIsNamed) {
  LocalWall wall;
  const auto with = [&wall](auto change) {
    FitSpec spec = Spec();
    change(spec);
    return MakeQuote(wall, spec);
  };
  const auto names = [](const char* name) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(name));
  };
  for (const int least : {0, -1}) {
    EXPECT_THAT(with([&](FitSpec& spec) { spec.iterations = least; }),
                names("iterations must be at least 1"));
    EXPECT_THAT(with([&](FitSpec& spec) { spec.max_words = least; }), names("max-words must be"));
    EXPECT_THAT(with([&](FitSpec& spec) { spec.planning.num_documents = least; }),
                names("nominal-size must be"));
    EXPECT_THAT(with([&](FitSpec& spec) { spec.epsilon = least; }), names("epsilon-alone must be"));
  }
  for (const double rate : {0.0, -1.0, 1.5, double{NAN}}) {
    EXPECT_THAT(with([&](FitSpec& spec) { spec.sampling_rate = rate; }),
                names("sampling-rate must be in (0, 1]"));
  }
  for (const double share : {-0.1, 1.0, double{NAN}}) {
    EXPECT_THAT(with([&](FitSpec& spec) { spec.held_out_share = share; }),
                names("held-out-share must be in [0, 1)"));
  }
  EXPECT_THAT(with([](FitSpec& spec) { spec.epsilon.reset(), spec.noise_multiplier = -2; }),
              names("noise-multiplier must be"));
  EXPECT_THAT(with([](FitSpec& spec) { spec.planning.words_per_unit = 0; }),
              names("words-per-unit must be"));
  EXPECT_EQ(wall.calls(), 0);
}

// A quote that says that it fits is not refused by the fit for how it would begin.
TEST(MakeQuoteTest, AFitBeginsWithNothingThatTheQuoteLetsPass) {
  LocalWall wall;
  FitSpec spec = Spec();
  spec.algorithm = kDenoised;
  spec.anchors = Anchors(5);
  for (int i = 0; i < 5; ++i) {
    spec.anchors[static_cast<size_t>(i)].set_name(std::string(1, static_cast<char>('a' + i)));
    spec.anchors[static_cast<size_t>(i)].add_words(wall.terms()[static_cast<size_t>(i)]);
  }
  EXPECT_THAT(MakeQuote(wall, spec), StatusIs(absl::StatusCode::kInvalidArgument));  // of 4 topics
  spec.anchors.resize(4);
  EXPECT_OK(MakeQuote(wall, spec));
  spec.anchors[0].set_words(0, "unheard");
  EXPECT_THAT(MakeQuote(wall, spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("unheard")));
  spec.anchors.clear();
  v1::ModelFile initial = InitialModel(5, wall);
  const auto quote = [&] {
    spec.initial_model = std::make_shared<const v1::ModelFile>(initial);
    return MakeQuote(wall, spec).status();
  };
  EXPECT_THAT(quote(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least 5")));
  spec.num_topics = 5;
  EXPECT_OK(quote());
  spec.algorithm = kMixture;
  EXPECT_OK(quote());
  spec.algorithm = kPaper;
  EXPECT_THAT(quote(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("initial model")));
  spec.algorithm = kDenoised;
  initial.set_custodian_id("MOCK");
  EXPECT_THAT(quote(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("MOCK")));
  wall.description().set_custodian_id("MOCK");
  EXPECT_OK(quote());
  initial.mutable_gaussian()->set_norm_bound(1);
  EXPECT_THAT(quote(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("of the corpus's kind")));
}

TEST(MakeQuoteTest, ANoiseMultiplierIsTakenAsItIs) {
  LocalWall wall;
  FitSpec spec = Spec();
  spec.epsilon.reset();
  spec.noise_multiplier = 17.25;
  spec.max_words = 99;
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(wall, spec));
  EXPECT_EQ(quote.topics().gaussian().noise_multiplier(), 17.25);
  EXPECT_EQ(quote.topics().max_tokens(), 99);
}

TEST(MakeQuoteTest, AWallThatPricesAHairHigherGetsAHairMoreNoise) {
  LocalWall exact;
  DearerWall dearer(1 + 1e-6);
  ASSERT_OK_AND_ASSIGN(const auto expected, MakeQuote(exact, Spec()));
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(dearer, Spec()));
  EXPECT_LE(quote.price.epsilon_alone(), 1.5);
  EXPECT_LT(quote.topics().gaussian().noise_multiplier(),
            expected.topics().gaussian().noise_multiplier() * 1.0001);
}

TEST(MakeQuoteTest, AWallThatContradictsItsOwnPolicyIsAnError) {
  DearerWall wall(1.1);
  EXPECT_THAT(MakeQuote(wall, Spec()),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("its own policy")));
}

// What is to be spent is a bound, too: the wall's own price must not be what decides.
TEST(MakeQuoteTest, AWallThatPricesHigherDoesNotMakeAFitOfAllThatIsToBeSpentDearer) {
  DearerWall wall(1.1);
  FitSpec spec = Spec();
  spec.epsilon = std::nullopt;
  spec.spend = *ParseSpend("1.5");
  EXPECT_THAT(MakeQuote(wall, spec),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("its own policy")));
}

accountant::AdmissionPolicy Vouchers() {
  return *accountant::AdmissionPolicy::Create(*accountant::MakeInventorySpec(
      {.epsilon = 2.44, .delta = 1e-6}, {{12.5, 1, 10}, {25, 1, 8}}));
}

TEST(MakeQuoteTest, UnderAnInventoryAnEpsilonBecomesTheNoiseOfAKindOfVoucher) {
  LocalWall wall;
  wall.UsePolicy(Vouchers());
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(wall, Spec()));
  EXPECT_EQ(quote.topics().gaussian().noise_multiplier(), 12.5);
  EXPECT_LE(quote.price.epsilon_alone(), 1.5);
  EXPECT_OK(RefusalOf(quote));
  // Asked again once others have drawn them, it is the same plan, and refused for its vouchers.
  v1::ReservePlanRequest others;
  others.set_request_id("others");
  *others.mutable_plan() = quote.topics();
  ASSERT_OK(wall.ReservePlan(others));
  ASSERT_OK_AND_ASSIGN(const auto again, MakeQuote(wall, Spec()));
  EXPECT_EQ(again.topics().gaussian().noise_multiplier(), 12.5);
  const auto detail = proto::BudgetExhaustedOf(RefusalOf(again));
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->limit(), "corpus");
  EXPECT_TRUE(detail->vouchers());
}

TEST(MakeQuoteTest, ADenoisedFitIsOfReleasesOfOnePrice) {
  LocalWall wall;
  FitSpec spec = Spec();
  spec.algorithm = kDenoised;
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(wall, spec));
  ASSERT_EQ(quote.stages.size(), 2u);
  const v1::ReleaseSpec& unigram = quote.stages[0].plan().plan();
  const v1::ReleaseSpec& topics = quote.topics();
  EXPECT_EQ(testing::OptionsOf(unigram).num_topics(), 1);
  EXPECT_EQ(unigram.iterations(), 1);
  EXPECT_EQ(topics.iterations(), 10);
  // What was quoted is what both plans cost, one after the other.
  EXPECT_LE(quote.price.epsilon_alone(), 1.5);
  EXPECT_GT(quote.price.epsilon_alone(), 1.4999);
  for (const v1::ReleaseSpec& plan : {unigram, topics}) {
    v1::ReservePlanRequest reserve;
    reserve.set_request_id(plan.SerializeAsString());
    *reserve.mutable_plan() = plan;
    ASSERT_OK(wall.ReservePlan(reserve));
  }
  ASSERT_OK_AND_ASSIGN(const auto budget, wall.GetBudget("notes"));
  EXPECT_LE(budget.epsilon_spent(), 1.5);
  EXPECT_GT(budget.epsilon_spent(), 1.4999);
}

TEST(MakeQuoteTest, AFitWhoseReleasesAreMoreThanAPlanMayHaveIsRefusedAndTold) {
  LocalWall wall;
  wall.description().mutable_limits()->set_max_iterations(10);
  FitSpec spec = Spec();
  EXPECT_OK(MakeQuote(wall, spec));
  spec.algorithm = kDenoised;
  EXPECT_THAT(MakeQuote(wall, spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got 10, which takes 11")));
  spec.iterations = std::numeric_limits<int>::max();
  EXPECT_THAT(MakeQuote(wall, spec), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(MakeQuoteTest, ExactlyOneWayToSayHowMuchNoise) {
  LocalWall wall;
  FitSpec both = Spec();
  both.noise_multiplier = 5;
  FitSpec none = Spec();
  none.epsilon.reset();
  EXPECT_THAT(MakeQuote(wall, both), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(MakeQuote(wall, none), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(wall.calls(), 0);
}

TEST(MakeQuoteTest, NothingIsLeftOpenWhetherNoiseOrEpsilonWasAskedFor) {
  LocalWall wall;
  FitSpec spec = Spec();
  spec.iterations.reset();
  ASSERT_OK_AND_ASSIGN(const auto by_epsilon, MakeQuote(wall, spec));
  EXPECT_EQ(by_epsilon.spec.iterations, 20) << "the algorithm's own";
  EXPECT_EQ(by_epsilon.spec.max_words, 500) << "the wall's limit";
  EXPECT_EQ(by_epsilon.spec.epsilon, 1.5) << "as it was asked for";
  EXPECT_EQ(by_epsilon.spec.noise_multiplier, by_epsilon.topics().gaussian().noise_multiplier());
  spec.noise_multiplier = by_epsilon.spec.noise_multiplier;
  spec.epsilon.reset();
  ASSERT_OK_AND_ASSIGN(const auto by_noise, MakeQuote(wall, spec));
  EXPECT_EQ(by_noise.spec.epsilon, by_epsilon.price.epsilon_alone());
}

TEST(MakeQuoteTest, WhatIsLeftToAPlannerCostsNoMoreQuestionsAndReservesNothing) {
  LocalWall wall;
  FitSpec spec;
  spec.corpus = "notes";
  spec.epsilon = 1;
  spec.is_planned = true;
  spec.planning.num_documents = 1'000'000;
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(wall, spec));
  EXPECT_EQ(wall.calls(), 4);  // description, budget, ledger, price
  EXPECT_EQ(wall.plans_reserved(), 0);
  const Account account = {.policy = wall.policy(), .spent = wall.policy().NothingSpent()};
  ASSERT_OK_AND_ASSIGN(const auto proposed, ProposeFit(account, wall.description(), spec));
  EXPECT_EQ(testing::OptionsOf(quote.topics()).num_topics(), proposed.num_topics);
  EXPECT_EQ(quote.topics().iterations(), proposed.iterations);
  EXPECT_EQ(quote.spec.noise_multiplier, *NoiseFor(account, wall.description(), proposed));
  spec.epsilon.reset();
  spec.noise_multiplier = 20;
  EXPECT_THAT(MakeQuote(wall, spec), StatusIs(absl::StatusCode::kInvalidArgument));
}

// Catches a look at K before there is one.
TEST(MakeQuoteTest, AModelThatAPlannerProposesAndCouldNotBeWrittenIsRefused) {
  LocalWall wall;
  FitSpec spec;
  spec.corpus = "notes";
  spec.epsilon = 1;
  spec.is_planned = true;
  spec.planning.num_documents = 1'000'000;
  EXPECT_OK(MakeQuote(wall, spec));
  wall.description().set_vocabulary_size(20'000'000);
  EXPECT_THAT(MakeQuote(wall, spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topics must be at most 5 ")));
  EXPECT_EQ(wall.plans_reserved(), 0);
}

TEST(RefusalOfTest, CarriesTheNumbersAndWhatFits) {
  LocalWall wall;
  FitSpec spec = Spec();
  spec.epsilon = 4;  // of 2.44
  ASSERT_OK_AND_ASSIGN(auto quote, MakeQuote(wall, spec));
  quote.price.set_most_iterations(6);
  const absl::Status refusal = RefusalOf(quote);
  EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto detail = proto::BudgetExhaustedOf(refusal);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->epsilon_asked(), quote.price.epsilon_alone());
  EXPECT_EQ(detail->epsilon_total(), 2.44);
  EXPECT_EQ(detail->epsilon_left(), 2.44);
  EXPECT_EQ(detail->most_iterations(), 6);
  EXPECT_EQ(detail->limit(), "corpus");
  // Within the total and still refused: the analyst's own cap.
  quote.price.set_epsilon_with_plan(2);
  quote.budget.mutable_own()->set_epsilon_cap(0.5);
  quote.budget.mutable_own()->set_epsilon_spent(0.2);
  const auto own = proto::BudgetExhaustedOf(RefusalOf(quote));
  EXPECT_EQ(own->limit(), "analyst");
  EXPECT_EQ(own->epsilon_total(), 0.5);
  EXPECT_EQ(own->epsilon_spent(), 0.2);
  EXPECT_EQ(own->epsilon_left(), 0.3);
}

}  // namespace fit_quote_test
}  // namespace topicwall::client
