#include "client/audit/spend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "absl/strings/str_format.h"
#include "client/audit/enforced_price.h"
#include "client/audit/wall_audit.h"
#include "client/exit_code.h"
#include "proto/budget_refusal.h"
#include "tests/client/chain_wall.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace spend_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

constexpr int kReleases = 41;

v1::ReleaseSpec Plan(double noise_multiplier, int releases = kReleases) {
  v1::ReleaseSpec plan;
  plan.set_sampling_rate(1);
  plan.set_iterations(releases);
  plan.mutable_gaussian()->set_noise_multiplier(noise_multiplier);
  return plan;
}

Spend Of(const std::string& text) { return *ParseSpend(text); }

NoiseTarget Target(double min_noise_multiplier = 0.5) {
  return {.sampling_rate = 1, .releases = kReleases, .min_noise_multiplier = min_noise_multiplier};
}

// A budget on which something was spent already, as the wall tells it.
Account SomeSpent(ChainWall& wall, uint32_t seed) {
  std::mt19937 random(seed);
  for (uint32_t plan = 0; plan < seed % 5; ++plan) {
    wall.chain.Reserve("ann", "p" + std::to_string(plan), 40 + static_cast<double>(random() % 400),
                       1 + static_cast<int>(random() % 40));
  }
  return *AccountOf(wall, wall.description, wall.chain.Budget());
}

TEST(ParseSpendTest, TakesAnEpsilonAShareOrAllAndNothingElse) {
  EXPECT_EQ(Of("0.2").amount, 0.2);
  EXPECT_EQ(Of("90%").amount, 0.9);
  EXPECT_TRUE(Of("all").kind == Spend::Kind::kAll);
  for (const char* text : {"", "0", "-1", "nan", "inf", "101%", "0%", "%", "All"}) {
    EXPECT_FALSE(ParseSpend(text).ok()) << text;
  }
}

// Otherwise whoever writes 2.0 the second time pays a second time.
TEST(ParseSpendTest, OneAmountHasOneText) {
  for (const char* text : {"2", "2.0", "2.", "02", "2e0"}) EXPECT_EQ(Of(text).text, "2") << text;
  EXPECT_EQ(Of("0.020").text, "0.02");
  EXPECT_EQ(Of("90.0%").text, "90%");
  EXPECT_NE(Of("0.1").text, Of("0.10000000000000001e-1").text);
}

TEST(NoiseToSpendTest, TheEnforcedBudgetGoesDownByWhatWasSaidAndNoMore) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    ChainWall wall;
    const Account account = SomeSpent(wall, seed);
    for (const char* text : {"0.01", "0.1", "30%", "90%", "100%"}) {
      const Spend spend = Of(text);
      const double most =
          spend.kind == Spend::Kind::kShare ? spend.amount * account.left() : spend.amount;
      const auto sigma = NoiseToSpend(account, spend, Target());
      ASSERT_OK(sigma) << text;
      ASSERT_OK_AND_ASSIGN(const auto taking, TakingOf(account, {Plan(*sigma)}));
      // By the chain's own arithmetic, which is not this file's: before and after.
      ChainWall after = wall;
      after.chain.Reserve("bob", "new", *sigma, kReleases);
      const double taken =
          after.chain.Budget().epsilon_spent() - wall.chain.Budget().epsilon_spent();
      EXPECT_EQ(taking.taken(), taken);
      EXPECT_LE(taken, most);
      EXPECT_GE(taken, 0.99 * most) << seed << " " << text;
      EXPECT_EQ(WhyLess(account, spend, taking, false), "");
    }
  }
}

TEST(NoiseToSpendTest, AllIsAdmittedAndLeavesLessThanOneReleaseMore) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    ChainWall wall;
    const Account account = SomeSpent(wall, seed);
    ASSERT_OK_AND_ASSIGN(const auto sigma, NoiseToSpend(account, Of("all"), Target()));
    ASSERT_OK_AND_ASSIGN(const auto admission,
                         account.policy.Admit(*EventOf(Plan(sigma)), account.spent));
    ASSERT_TRUE(admission.has_value());
    ASSERT_OK_AND_ASSIGN(const auto one_more,
                         account.policy.Admit(*EventOf(Plan(sigma, 1)), admission->spent_after));
    EXPECT_FALSE(one_more.has_value());
  }
}

TEST(NoiseToSpendTest, WhereTheWallsLeastNoiseBindsItIsSaid) {
  ChainWall wall;
  const Account account = SomeSpent(wall, 0);
  ASSERT_OK_AND_ASSIGN(const auto sigma, NoiseToSpend(account, Of("all"), Target(500)));
  EXPECT_EQ(sigma, 500);
  const auto taking = TakingOf(account, {Plan(sigma)});
  EXPECT_THAT(WhyLess(account, Of("all"), *taking, true), HasSubstr("the wall answers nothing"));
}

TEST(NoiseToSpendTest, MoreThanIsLeftIsRefusedAsTheBudgetRefuses) {
  ChainWall wall;
  EXPECT_OK(
      NoiseToSpend(*AccountOf(wall, wall.description, wall.chain.Budget()), Of("2.44"), Target()));
  wall.chain.Reserve("ann", "p", 30, 40);
  const Account account = *AccountOf(wall, wall.description, wall.chain.Budget());
  const auto sigma = NoiseToSpend(account, Of("2.4"), Target());
  EXPECT_THAT(sigma, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--spend 2.4")));
  const auto detail = proto::BudgetExhaustedOf(sigma.status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_NEAR(detail->epsilon_left(), 2.44 - wall.chain.Budget().epsilon_spent(), 1e-12);
}

TEST(NoiseToSpendTest, ARefusalSaysWhyAndShowsByHowMuch) {
  ChainWall wall;
  const Account account = SomeSpent(wall, 0);
  const std::string text = Explain(
      NoiseToSpend(account, Of(absl::StrFormat("%.8f", account.left() + 1e-7)), Target()).status());
  EXPECT_THAT(text, HasSubstr("takes  2.4400001 of the 2.4400000 left"));
  EXPECT_THAT(text, HasSubstr("that is more than is left; spend all, or less."));
  EXPECT_THAT(text, Not(HasSubstr("more noise")));
}

// More noise is no way to spend less than nothing at all.
TEST(NoiseToSpendTest, AWishThatIsTooSmallIsTheWishesFault) {
  ChainWall wall;
  const Account account = SomeSpent(wall, 0);
  EXPECT_THAT(NoiseToSpend(account, Of("1e-9"), Target()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got 1e-09. Spend more")));
  wall.Open(ChainBuilder::Vouchers());
  ASSERT_OK_AND_ASSIGN(const auto vouchers, AccountOf(wall, wall.description, wall.chain.Budget()));
  EXPECT_THAT(NoiseToSpend(vouchers, Of("1e-9"),
                           {.sampling_rate = 1, .releases = 3, .min_noise_multiplier = 0.5}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got 1e-09. Spend more")));
}

// Otherwise whoever types the number of a refusal is refused again.
TEST(NoiseToSpendTest, TheLeastThatARefusalNamesIsEnough) {
  ChainWall wall;
  const NoiseTarget target = {.sampling_rate = 1, .releases = 3, .min_noise_multiplier = 0.5};
  for (const accountant::AdmissionPolicy& policy :
       {ChainBuilder().policy(), ChainBuilder::Vouchers()}) {
    wall.Open(policy);
    ASSERT_OK_AND_ASSIGN(const auto account,
                         AccountOf(wall, wall.description, wall.chain.Budget()));
    const std::string refusal(NoiseToSpend(account, Of("1e-9"), target).status().message());
    const std::string before = "the most noise there is, ";
    const size_t begin = refusal.find(before);
    ASSERT_NE(begin, std::string::npos) << refusal;
    const size_t end = refusal.find(';', begin);
    const std::string least = refusal.substr(begin + before.size(), end - begin - before.size());
    EXPECT_OK(NoiseToSpend(account, Of(least), target)) << least;
  }
}

// Of an epsilon that small the witnesses' own come in steps: less noise takes more than was said.
TEST(NoiseToSpendTest, WhereNoCapBindsNoneIsBlamed) {
  ChainWall wall;
  wall.Open(*accountant::AdmissionPolicy::Create(
      *accountant::BudgetFilter::DefaultSpec({.epsilon = 0.001, .delta = 1e-6})));
  ASSERT_OK_AND_ASSIGN(const auto fresh, AccountOf(wall, wall.description, wall.chain.Budget()));
  ASSERT_OK_AND_ASSIGN(const auto half, NoiseToSpend(fresh, Of("50%"), Target()));
  wall.chain.Reserve("ann", "p", half, kReleases);
  ASSERT_OK_AND_ASSIGN(const auto account, AccountOf(wall, wall.description, wall.chain.Budget()));
  ASSERT_OK_AND_ASSIGN(const auto sigma, NoiseToSpend(account, Of("50%"), Target()));
  ASSERT_OK_AND_ASSIGN(const auto taking, TakingOf(account, {Plan(sigma)}));
  EXPECT_THAT(
      WhyLess(account, Of("50%"), taking, false),
      AllOf(HasSubstr("epsilon of so small a budget comes in steps"), Not(HasSubstr("cap"))));
}

TEST(NoiseToSpendTest, ARateThatIsNoneIsNotTheBudgetsFault) {
  ChainWall wall;
  const Account account = SomeSpent(wall, 0);
  for (const double rate : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    NoiseTarget target = Target();
    target.sampling_rate = rate;
    EXPECT_THAT(NoiseToSpend(account, Of("all"), target),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("sampling-rate must be in (0, 1]; got ")));
  }
}

// As ann sees it, of whom there is a cap.
v1::BudgetStatus BudgetOfAnn(const ChainWall& wall, double cap) {
  v1::BudgetStatus budget = wall.chain.Budget();
  for (const v1::PrincipalBudget& principal : budget.principals()) {
    if (principal.principal() == "ann") *budget.mutable_own() = principal;
  }
  budget.mutable_own()->set_epsilon_cap(cap);
  return budget;
}

TEST(NoiseToSpendTest, UnderACapOfTheCallersAllIsWhatTheCapAdmits) {
  ChainWall wall;
  wall.chain.Reserve("ann", "p", 60, 10);
  wall.chain.Reserve("bob", "q", 60, 10);
  ASSERT_OK_AND_ASSIGN(const auto account, AccountOf(wall, wall.description, BudgetOfAnn(wall, 1)));
  EXPECT_LT(account.left(), 1);
  ASSERT_OK_AND_ASSIGN(const auto sigma, NoiseToSpend(account, Of("all"), Target()));
  const auto within = [&](const v1::ReleaseSpec& plan, const accountant::CostVector& own) {
    const auto admission = account.policy.Admit(*EventOf(plan), account.spent);
    return account.policy.AdmitWithin(1, own, (*admission)->plan);
  };
  const auto own_after = within(Plan(sigma), account.own_spent);
  ASSERT_TRUE(own_after.has_value());
  EXPECT_FALSE(within(Plan(sigma, 1), *own_after).has_value());
}

TEST(TakingTest, OfWhatIsLeftTheCallersPartIsToldWhereACapMakesItLess) {
  ChainWall wall;
  wall.chain.Reserve("ann", "p", 60, 10);
  ASSERT_OK_AND_ASSIGN(const auto account, AccountOf(wall, wall.description, BudgetOfAnn(wall, 1)));
  ASSERT_OK_AND_ASSIGN(const auto taking, TakingOf(account, {Plan(500)}));
  ASSERT_TRUE(taking.own.has_value());
  EXPECT_EQ(taking.own->left, account.left());
  EXPECT_EQ(OwnText({.left = 0.29748, .cap = 7.9}), "of it yours: 0.2974 (your cap is 7.9000)");
  EXPECT_THAT(OwnText({.left = 1, .cap = 1.23456789}), HasSubstr("(your cap is 1.2345)"));
  // A cap that admits all that is left is not spoken of.
  wall.chain.Reserve("bob", "q", 20, 20);
  ASSERT_OK_AND_ASSIGN(const auto other, AccountOf(wall, wall.description, BudgetOfAnn(wall, 2.4)));
  EXPECT_FALSE(TakingOf(other, {Plan(500)})->own.has_value());
}

TEST(TakingTest, OfAForfeitedBudgetNothingIsLeftAndAPlanTakesMoreThanThereIs) {
  for (const bool inventory : {false, true}) {
    ChainWall wall;
    if (inventory) wall.Open(ChainBuilder::Vouchers());
    wall.chain.Reserve("ann", "p", 40, 2);
    wall.chain.Forfeit();
    ASSERT_OK_AND_ASSIGN(const auto account,
                         AccountOf(wall, wall.description, wall.chain.Budget()));
    EXPECT_EQ(account.epsilon_spent(), 2.44);
    EXPECT_EQ(account.left(), 0);
    ASSERT_OK_AND_ASSIGN(const auto taking, TakingOf(account, {Plan(40, 1)}));
    EXPECT_EQ(TakenText(taking), "inf");
    EXPECT_EQ(LeftText(taking), "0.0000");
    EXPECT_EQ(LeftAfterText(taking), "0.0000");
    EXPECT_THAT(NoiseToSpend(account, Of("all"), Target()),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("nothing is left")));
  }
}

TEST(NoiseToSpendTest, OfVouchersItIsAKindAndWhyItTakesLessIsSaid) {
  ChainWall wall;
  wall.Open(ChainBuilder::Vouchers());  // (40, 1) × 6 and (20, 1) × 4
  ASSERT_OK_AND_ASSIGN(const auto account, AccountOf(wall, wall.description, wall.chain.Budget()));
  NoiseTarget target = Target();
  target.releases = 3;
  ASSERT_OK_AND_ASSIGN(const auto sigma, NoiseToSpend(account, Of("all"), target));
  EXPECT_EQ(sigma, 20);
  ASSERT_OK_AND_ASSIGN(const auto taking, TakingOf(account, {Plan(sigma, 3)}));
  EXPECT_THAT(WhyLess(account, Of("all"), taking, false), HasSubstr("these kinds only"));
  EXPECT_EQ(*NoiseToSpend(account, *ParseSpend("0.3"), target), 40);
}

// The vouchers come to an epsilon of more than four digits, of which what is left is told as less.
TEST(NoiseToSpendTest, AWishForAllThatIsLeftIsNotToldAsMore) {
  ChainWall wall;
  wall.Open(*accountant::AdmissionPolicy::Create(
      *accountant::MakeInventorySpec({.epsilon = 1.380745, .delta = 1e-6}, {{40, 1, 6}})));
  ASSERT_OK_AND_ASSIGN(const Account account,
                       AccountOf(wall, wall.description, wall.chain.Budget()));
  const Taking little = {.total = 1.380745, .after = 0.1, .of_vouchers = true};
  for (const char* text : {"all", "100%"}) {
    EXPECT_THAT(WhyLess(account, Of(text), little, false),
                HasSubstr("less than the 1.3807 that was to be spent"));
  }
}

TEST(AccountTest, VouchersOfALowerRateAreNotLeftForReleasesOfEveryUnit) {
  ChainWall wall;
  wall.Open(*accountant::AdmissionPolicy::Create(*accountant::MakeInventorySpec(
      {.epsilon = 2.44, .delta = 1e-6}, {{20, 0.5, 5}, {40, 1, 6}})));
  EXPECT_EQ(AccountOf(wall, wall.description, wall.chain.Budget())->vouchers_left(), 6);
  wall.chain.Reserve("ann", "p", 40, 2);
  Account account = *AccountOf(wall, wall.description, wall.chain.Budget());
  EXPECT_EQ(account.vouchers_left(), 4);
  // After a restore more may count as drawn than there were.
  account.spent = {9, 9};
  EXPECT_EQ(account.vouchers_left(), 0);
}

TEST(TakenTextTest, IsTheDifferenceOfWhatIsToldBeforeAndAfter) {
  // 0.1233999 is told as 0.1234, 0.1234001 as 0.1235.
  const Taking taking = {.total = 2.44, .before = 0.1233999, .after = 0.1234001};
  EXPECT_EQ(TakenText(taking), "0.0001");
  EXPECT_EQ(LeftText(taking), "2.3166");
  EXPECT_EQ(LeftAfterText(taking), "2.3165");
}

}  // namespace spend_test
}  // namespace topicwall::client
