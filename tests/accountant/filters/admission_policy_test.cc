// Both rules behind the one interface, and the property the guarantee rests on: any interleaving of
// admitted plans, cancels after some charges, and caps stays within what was fixed at opening,
// recomputed here by other arithmetic (binomial sums in long double; one voucher at a time).
#include "accountant/filters/admission_policy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "accountant/filters/epsilon_meter.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace admission_policy_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr PrivacyParams kBudget = {.epsilon = 2.44, .delta = 1e-6};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kOrders = {2, 4, 8, 12, 20};

AdmissionPolicy Adaptive() {
  return *AdmissionPolicy::Create(
      FilterSpec{.budget = kBudget, .orders = kOrders, .weights = {0.1, 0.2, 0.2, 0.4, 0.1}});
}

AdmissionPolicy Inventory(const std::vector<VoucherKind>& kinds,
                          const PrivacyParams& budget = kBudget) {
  return *AdmissionPolicy::Create(*MakeInventorySpec(budget, kinds));
}

// Of an analyst without a cap.
int64_t MostReleases(const AdmissionPolicy& policy, const SubsampledGaussian& release,
                     const CostVector& spent) {
  EpsilonMeter meter;
  return *policy.MostReleasesWithin(kInfinity, policy.NothingSpent(), release, spent, meter);
}

// What plans ask for; every interleaving draws from these, so that prices are looked up.
std::vector<SubsampledGaussian> Pool() {
  std::vector<SubsampledGaussian> pool;
  for (const double nu : {0.02, 0.2, 1.0}) {
    for (const double sigma : {1.3, 3.0, 8.0, 20.0, 60.0}) pool.push_back(Release(nu, sigma));
  }
  return pool;
}

// Rényi divergence of one release per order of kOrders, by the binomial sum.
std::vector<long double> Divergences(const SubsampledGaussian& release) {
  std::vector<long double> divergences;
  for (const double order : kOrders) {
    divergences.push_back(
        static_cast<long double>(LogMomentIntegerOrder(release, std::llround(order))) /
        (order - 1));
  }
  return divergences;
}

// Plans in flight of two analysts, as a ledger would keep them, and every refusal remembered.
class Play {
 public:
  struct Plan {
    int analyst;
    size_t kind;  // in the pool
    PlanCost cost;
    int64_t charged;
    bool over;
    int64_t kept() const { return over ? charged : cost.iterations; }
  };

  Play(const AdmissionPolicy& policy, const std::vector<SubsampledGaussian>& pool, double bobs_cap)
      : policy_(policy), pool_(pool), bobs_cap_(bobs_cap), spent_(policy.NothingSpent()) {
    own_[0] = own_[1] = spent_;
  }

  void Step(std::mt19937_64& random) {
    const size_t act = random() % 10;
    if (act < 5 || plans_.empty()) return Reserve(random);
    Plan& plan = plans_[random() % plans_.size()];
    if (plan.over) return;
    if (act < 8) {
      plan.charged = std::min(plan.cost.iterations, plan.charged + 1 + int64_t(random() % 4));
      return;
    }
    Cancel(plan);
  }

  const std::vector<Plan>& plans() const { return plans_; }
  const CostVector& spent() const { return spent_; }
  int refused() const { return refused_; }

 private:
  void Reserve(std::mt19937_64& random) {
    const int analyst = static_cast<int>(random() % 2);
    const size_t kind = random() % pool_.size();
    const DpEvent event = {.release = pool_[kind], .count = 1 + int64_t(random() % 12)};
    const CostVector before = spent_;
    ASSERT_OK_AND_ASSIGN(auto admission, policy_.Admit(event, spent_));
    const double cap = analyst == 1 ? bobs_cap_ : policy_.budget().epsilon;
    std::optional<CostVector> own;
    if (admission.has_value()) own = policy_.AdmitWithin(cap, own_[analyst], admission->plan);
    if (!own.has_value()) {
      ++refused_;
      EXPECT_EQ(spent_, before);
      return;
    }
    EXPECT_TRUE(policy_.CanCost(event, admission->plan.cost));
    EXPECT_EQ(admission->spent_after, policy_.SpentAfter(spent_, admission->plan));
    spent_ = admission->spent_after;
    own_[analyst] = *std::move(own);
    plans_.push_back({analyst, kind, admission->plan, 0, false});
  }

  void Cancel(Plan& plan) {
    const CostVector kept = policy_.Spending(plan.cost, plan.charged);
    const CostVector all = policy_.Spending(plan.cost, plan.cost.iterations);
    const CostVector before = spent_;
    ASSERT_OK_AND_ASSIGN(auto whole, policy_.Refund(spent_, plan.cost, plan.charged));
    ASSERT_OK_AND_ASSIGN(auto own, policy_.Refund(own_[plan.analyst], plan.cost, plan.charged));
    spent_ = std::move(whole);
    own_[plan.analyst] = std::move(own);
    plan.over = true;
    for (size_t i = 0; i < spent_.size(); ++i) {
      EXPECT_EQ(before[i] - spent_[i], all[i] - kept[i]) << "exact at entry " << i;
    }
  }

  const AdmissionPolicy& policy_;
  const std::vector<SubsampledGaussian>& pool_;
  const double bobs_cap_;
  CostVector spent_;
  CostVector own_[2];
  std::vector<Plan> plans_;
  int refused_ = 0;
};

// The budget left at the best order, from the formula: ≥ 0 iff (ε, δ) is kept.
long double MostLeft(const FilterSpec& spec, double epsilon,
                     const std::vector<long double>& divergence) {
  long double most = -kInfinity;
  for (size_t i = 0; i < kOrders.size(); ++i) {
    const long double a = kOrders[i];
    const long double budget =
        epsilon - std::log((a - 1) / a) +
        (std::log(static_cast<long double>(spec.weights[i]) * kBudget.delta) + std::log(a)) /
            (a - 1);
    most = std::max(most, budget - divergence[i]);
  }
  return most;
}

TEST(AdmissionPolicyTest, AnyInterleavingUnderTheFilterStaysWithinBudgetAndCap) {
  constexpr double kBobsCap = 1.2;
  const AdmissionPolicy policy = Adaptive();
  const std::vector<SubsampledGaussian> pool = Pool();
  std::vector<std::vector<long double>> price;
  for (const SubsampledGaussian& release : pool) price.push_back(Divergences(release));
  const FilterSpec& spec = policy.filter()->spec();
  int nearly_full = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    Play play(policy, pool, kBobsCap);
    long double least_left = kInfinity;
    for (int step = 0; step < 40; ++step) {
      play.Step(random);
      std::vector<long double> all(kOrders.size(), 0);
      std::vector<long double> bob(kOrders.size(), 0);
      for (const Play::Plan& plan : play.plans()) {
        for (size_t i = 0; i < kOrders.size(); ++i) {
          const long double kept = static_cast<long double>(plan.kept()) * price[plan.kind][i];
          all[i] += kept;
          if (plan.analyst == 1) bob[i] += kept;
        }
      }
      const long double left = MostLeft(spec, kBudget.epsilon, all);
      ASSERT_GE(left, 0) << "seed " << seed << ", step " << step;
      ASSERT_GE(MostLeft(spec, kBobsCap, bob), 0) << "seed " << seed << ", step " << step;
      least_left = std::min(least_left, left);
    }
    if (play.refused() > 0 && least_left < 0.3) ++nearly_full;
  }
  EXPECT_GT(nearly_full, 300) << "the interleavings should come close to the budget";
}

// ε at the budget's δ of divergences at kOrders, by the conversion alone.
long double EpsilonOf(const std::vector<long double>& divergence) {
  long double least = kInfinity;
  for (size_t i = 0; i < kOrders.size(); ++i) {
    const long double a = kOrders[i];
    least = std::min(
        least, divergence[i] + std::log((a - 1) / a) -
                   (std::log(static_cast<long double>(kBudget.delta)) + std::log(a)) / (a - 1));
  }
  return least;
}

TEST(AdmissionPolicyTest, AnyInterleavingOfVouchersUsesEachAtMostOnceAndKeepsTheBudget) {
  const std::vector<VoucherKind> kinds = {{60, 1, 40},     {20, 1, 9}, {3, 0.2, 12},
                                          {1.3, 0.02, 15}, {8, 1, 4},  {3, 0.02, 20}};
  // ε of all vouchers by this test's arithmetic is what the budget promises.
  std::vector<long double> whole(kOrders.size(), 0);
  for (const VoucherKind& kind : kinds) {
    const auto one = Divergences(Release(kind.sampling_rate, kind.noise_multiplier));
    for (size_t i = 0; i < whole.size(); ++i)
      whole[i] += static_cast<long double>(kind.count) * one[i];
  }
  const PrivacyParams budget = {.epsilon = static_cast<double>(EpsilonOf(whole)) * (1 + 1e-9),
                                .delta = kBudget.delta};
  const AdmissionPolicy policy = Inventory(kinds, budget);
  ASSERT_OK(policy.RequireWithinBudget());
  const std::vector<VoucherKind>& recorded = policy.inventory()->spec().kinds;
  const std::vector<SubsampledGaussian> pool = Pool();
  std::vector<std::vector<long double>> price;
  for (const SubsampledGaussian& release : pool) price.push_back(Divergences(release));
  int drawn_out = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    Play play(policy, pool, 2 * budget.epsilon);
    for (int step = 0; step < 60; ++step) play.Step(random);
    std::vector<int64_t> used(recorded.size(), 0);
    std::vector<long double> all(kOrders.size(), 0);
    for (const Play::Plan& plan : play.plans()) {
      // Voucher by voucher: the plan's own in recorded order, as many as it keeps.
      int64_t missing = plan.kept();
      for (size_t kind = 0; kind < recorded.size(); ++kind) {
        for (uint64_t i = 0; i < plan.cost.cost[kind] && missing > 0; ++i, --missing) {
          ++used[kind];
          ASSERT_GE(pool[plan.kind].noise_multiplier(), recorded[kind].noise_multiplier);
          ASSERT_LE(pool[plan.kind].sampling_rate(), recorded[kind].sampling_rate);
        }
      }
      ASSERT_EQ(missing, 0) << "a release without a voucher, seed " << seed;
      for (size_t i = 0; i < all.size(); ++i) {
        all[i] += static_cast<long double>(plan.kept()) * price[plan.kind][i];
      }
    }
    for (size_t kind = 0; kind < recorded.size(); ++kind) {
      ASSERT_LE(used[kind], recorded[kind].count) << "seed " << seed;
      ASSERT_EQ(play.spent()[kind], static_cast<uint64_t>(used[kind])) << "seed " << seed;
      ASSERT_LE(all.empty() ? 0 : all[0], whole[0]);
    }
    ASSERT_LE(EpsilonOf(all), budget.epsilon) << "seed " << seed;
    if (play.refused() > 0) ++drawn_out;
  }
  EXPECT_GT(drawn_out, 1000) << "the interleavings should draw the inventory out";
}

TEST(AdmissionPolicyTest, ACapOnVouchersHoldsByTheExactGaussian) {
  constexpr double kCap = 0.8;
  const AdmissionPolicy policy = Inventory({{20, 1, 20}, {40, 1, 30}});
  EpsilonMeter meter;
  ASSERT_OK(policy.RequireWithinBudget());
  CostVector spent = policy.NothingSpent();
  CostVector own = policy.NothingSpent();
  double inverse_squares = 0;
  for (const double sigma : {40.0, 20.0, 45.0}) {
    const SubsampledGaussian release = Release(1, sigma);
    const int64_t most = *policy.MostReleasesWithin(kCap, own, release, spent, meter);
    const auto more = *policy.Admit({.release = release, .count = most + 1}, spent);
    EXPECT_FALSE(more.has_value() && policy.AdmitWithin(kCap, own, more->plan).has_value());
    const int64_t count = std::min<int64_t>(most, 4);
    if (count == 0) continue;
    const auto admission = *policy.Admit({.release = release, .count = count}, spent);
    ASSERT_TRUE(admission.has_value());
    own = *policy.AdmitWithin(kCap, own, admission->plan);
    spent = admission->spent_after;
    inverse_squares += static_cast<double>(count) / sigma / sigma;
    EXPECT_LE(GaussianDeltaUpperBound(kCap, 1 / std::sqrt(inverse_squares)), kBudget.delta);
  }
  ASSERT_GT(inverse_squares, 0);
  const SubsampledGaussian release = Release(1, 40);
  const auto one = *policy.Admit({.release = release, .count = 1}, spent);
  ASSERT_TRUE(one.has_value());
  for (const double cap : {0.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(policy.AdmitWithin(cap, own, one->plan).has_value()) << cap;
    EXPECT_EQ(*policy.MostReleasesWithin(cap, own, release, spent, meter), 0) << cap;
  }
  // A cap at or above the budget is none, as under the filter.
  const int64_t most = *policy.MostReleasesWithin(1000, own, release, spent, meter);
  EXPECT_TRUE(policy.Admit({.release = release, .count = most}, spent)->has_value());
  EXPECT_FALSE(policy.Admit({.release = release, .count = most + 1}, spent)->has_value());
}

// What an analyst under a cap can ask for again and again, sampled vouchers and full batches.
TEST(AdmissionPolicyTest, TheMostReleasesWithinACapAreFoundInADozenCompositions) {
  const AdmissionPolicy policy = Inventory({{1.5, 0.02, 400}, {40, 1, 300}, {3, 0.02, 2000}});
  const CostVector nothing = policy.NothingSpent();
  CostVector own = nothing;
  own[0] = 7;
  for (const double cap : {0.02, 0.3, 1.1, 2.4}) {
    for (const SubsampledGaussian& release : {Release(0.01, 4), Release(1, 50)}) {
      int asked = 0;
      EpsilonMeter meter([&asked] { return ++asked, absl::OkStatus(); });
      const int64_t most = *policy.MostReleasesWithin(cap, own, release, nothing, meter);
      EXPECT_LE(asked, 12) << cap;
      const auto fits = [&](int64_t count) {
        const auto admission = *policy.Admit({.release = release, .count = count}, nothing);
        return admission.has_value() && policy.AdmitWithin(cap, own, admission->plan).has_value();
      };
      EXPECT_TRUE(most == 0 || fits(most)) << cap;
      EXPECT_FALSE(fits(most + 1)) << cap;
    }
  }
}

TEST(AdmissionPolicyTest, WhoGoesAwayEndsTheSearchBeforeTheNextComposition) {
  const AdmissionPolicy policy = Inventory({{40, 1, 300}});
  int asked = 0;
  EpsilonMeter meter(
      [&asked] { return ++asked < 3 ? absl::OkStatus() : absl::CancelledError("gone"); });
  EXPECT_THAT(policy.MostReleasesWithin(0.5, policy.NothingSpent(), Release(1, 50),
                                        policy.NothingSpent(), meter),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(asked, 3);
  // Nothing is composed twice, nor asked about once it is known.
  EXPECT_EQ(*EpsilonMeter().Of(policy, {9}), policy.EpsilonUpperBound({9}));
  asked = 0;
  EXPECT_EQ(*meter.Of(policy, {9}), *meter.Of(policy, {9}));
  EXPECT_EQ(asked, 1);
}

TEST(AdmissionPolicyTest, SpendingTheFirstReleasesAndRefundingTheRestIsTheWhole) {
  const AdmissionPolicy adaptive = Adaptive();
  const AdmissionPolicy inventory = Inventory({{20, 1, 6}, {40, 1, 6}});
  for (const AdmissionPolicy* policy : {&adaptive, &inventory}) {
    const DpEvent event = {.release = Release(1, 40), .count = 9};
    const auto admission = *policy->Admit(event, policy->NothingSpent());
    ASSERT_TRUE(admission.has_value());
    const PlanCost& plan = admission->plan;
    EXPECT_EQ(policy->Spending(plan, 9), admission->spent_after);
    EXPECT_EQ(policy->Spending(plan, 0), policy->NothingSpent());
    for (int64_t used = 0; used <= 9; ++used) {
      EXPECT_EQ(*policy->Refund(admission->spent_after, plan, used), policy->Spending(plan, used));
    }
    for (const int64_t used : {int64_t{-1}, int64_t{10}}) {
      EXPECT_THAT(policy->Refund(admission->spent_after, plan, used),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("used")));
    }
    EXPECT_THAT(policy->Refund(policy->NothingSpent(), plan, 0),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(policy->Refund({1}, plan, 0), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

// A unit too many would wrap, and read as used up for ever.
TEST(AdmissionPolicyTest, NothingComesBackThatWasNotSpentAndNoVectorOfAnotherPolicyCounts) {
  const AdmissionPolicy adaptive = Adaptive();
  const AdmissionPolicy inventory = Inventory({{20, 1, 6}, {40, 1, 6}});
  for (const AdmissionPolicy* policy : {&adaptive, &inventory}) {
    const DpEvent event = {.release = Release(1, 40), .count = 9};
    const auto admission = *policy->Admit(event, policy->NothingSpent());
    ASSERT_TRUE(admission.has_value());
    const PlanCost& plan = admission->plan;
    for (size_t i = 0; i < plan.cost.size(); ++i) {
      CostVector less = admission->spent_after;
      --less[i];
      EXPECT_THAT(policy->Refund(less, plan, 0), StatusIs(absl::StatusCode::kInvalidArgument)) << i;
    }
    const PlanCost another = {.cost = {1}, .iterations = 9};
    EXPECT_THAT(policy->Refund(admission->spent_after, another, 0),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_FALSE(policy->CanCost(event, another.cost));
    EXPECT_FALSE(policy->AdmitWithin(1, policy->NothingSpent(), another).has_value());
    for (const double cap : {1.0, 3.0}) {
      EXPECT_FALSE(policy->AdmitWithin(cap, {1}, plan).has_value()) << cap;
    }
  }
}

TEST(AdmissionPolicyTest, InfiniteAndHugePricesAreRefusedAndNeverWrap) {
  const AdmissionPolicy adaptive = Adaptive();
  const AdmissionPolicy inventory = Inventory({{20, 1, 6}, {40, 1, 6}});
  for (const AdmissionPolicy* policy : {&adaptive, &inventory}) {
    for (const CostVector& spent : {policy->NothingSpent(), policy->EverythingSpent(),
                                    CostVector(policy->NothingSpent().size(), UINT64_MAX - 1),
                                    CostVector(policy->NothingSpent().size(), 1ull << 62)}) {
      const bool untouched = spent == policy->NothingSpent();
      for (const double sigma : {0x1p-6, 0.5, 20.0, 40.0, 1e6}) {
        for (const int64_t count : {int64_t{1}, int64_t{13}, int64_t{1} << 20, kMostReleases}) {
          ASSERT_OK_AND_ASSIGN(
              const auto admission,
              policy->Admit({.release = Release(1, sigma), .count = count}, spent));
          if (!admission.has_value()) continue;
          EXPECT_TRUE(untouched) << sigma << " " << count;
          EXPECT_LE(policy->EpsilonUpperBound(admission->spent_after), kBudget.epsilon);
        }
      }
      EXPECT_EQ(MostReleases(*policy, Release(1, 40), spent) > 0, untouched);
    }
    for (const int64_t count : {int64_t{0}, int64_t{-1}, kMostReleases + 1}) {
      EXPECT_THAT(
          policy->Admit({.release = Release(1, 40), .count = count}, policy->NothingSpent()),
          StatusIs(absl::StatusCode::kInvalidArgument))
          << count;
    }
    // Whatever is added to what is used up, or comes back from it, it stays so.
    const auto admission =
        *policy->Admit({.release = Release(1, 40), .count = 2}, policy->NothingSpent());
    ASSERT_TRUE(admission.has_value());
    EXPECT_EQ(policy->SpentAfter(policy->EverythingSpent(), admission->plan),
              policy->EverythingSpent());
    EXPECT_EQ(*policy->Refund(policy->EverythingSpent(), admission->plan, 0),
              policy->EverythingSpent());
    EXPECT_EQ(policy->EpsilonUpperBound(policy->EverythingSpent()), kInfinity);
    // Of a budget it is all that there was.
    EXPECT_EQ(policy->EpsilonSpent(policy->EverythingSpent()), kBudget.epsilon);
    EXPECT_EQ(policy->OdometerUpperBound(policy->EverythingSpent()), kBudget.epsilon);
    EXPECT_EQ(EpsilonMeter().Of(*policy, policy->EverythingSpent()).value(), kBudget.epsilon);
    for (const CostVector& spent : {policy->NothingSpent(), admission->spent_after}) {
      EXPECT_EQ(policy->EpsilonSpent(spent), policy->EpsilonUpperBound(spent));
    }
  }
  // σ too small for any finite price.
  EXPECT_THAT(adaptive.Admit({.release = Release(1, 1e-200), .count = 1}, adaptive.NothingSpent()),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(AdmissionPolicyTest, WhatIsTakenOverIsAddedExactlyUpTo2To62AndIsUsedUpBeyond) {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  const AdmissionPolicy adaptive =
      *AdmissionPolicy::Create(FilterSpec{.budget = kBudget, .orders = {8}, .weights = {1}});
  const AdmissionPolicy inventory = Inventory({{20, 1, 6}});
  const auto after = [&](uint64_t spent, uint64_t cost, int64_t iterations) {
    const CostVector sum = adaptive.SpentAfter({spent}, {.cost = {cost}, .iterations = iterations});
    // The same whole cost as vouchers, where it is one.
    if (cost <= kMost / static_cast<uint64_t>(iterations)) {
      const uint64_t vouchers = cost * static_cast<uint64_t>(iterations);
      EXPECT_EQ(inventory.SpentAfter({spent}, {.cost = {vouchers}, .iterations = 1}), sum);
    }
    return sum.front();
  };
  EXPECT_EQ(after(5, 2, 4), 13u);
  EXPECT_EQ(after(kMost - 6, 2, 3), kMost);
  EXPECT_EQ(after(kMost - 5, 2, 3), kDeadOrder);
  EXPECT_EQ(after(0, kMost, 2), kDeadOrder);
  EXPECT_EQ(after(0, 1, INT64_MAX), kDeadOrder);
  EXPECT_EQ(after(kDeadOrder, 1, 1), kDeadOrder);
  EXPECT_EQ(after(3, kDeadOrder, 1), kDeadOrder);
}

TEST(AdmissionPolicyTest, MostReleasesAreAdmittedAndOneMoreIsNot) {
  const AdmissionPolicy adaptive = Adaptive();
  const AdmissionPolicy inventory = Inventory({{20, 1, 6}, {40, 1, 6}});
  for (const AdmissionPolicy* policy : {&adaptive, &inventory}) {
    const SubsampledGaussian release = Release(1, 30);
    const int64_t most = MostReleases(*policy, release, policy->NothingSpent());
    ASSERT_GT(most, 0);
    EXPECT_TRUE(
        policy->Admit({.release = release, .count = most}, policy->NothingSpent())->has_value());
    EXPECT_FALSE(policy->Admit({.release = release, .count = most + 1}, policy->NothingSpent())
                     ->has_value());
  }
}

TEST(AdmissionPolicyTest, ThePriceAloneIsTheMeterFromNothing) {
  const AdmissionPolicy adaptive = Adaptive();
  const AdmissionPolicy inventory = Inventory({{20, 1, 6}, {40, 1, 6}});
  for (const AdmissionPolicy* policy : {&adaptive, &inventory}) {
    const DpEvent plan = {.release = Release(1, 40), .count = 7};
    const auto admission = *policy->Admit(plan, policy->NothingSpent());
    EXPECT_EQ(*policy->EpsilonAlone(plan), policy->EpsilonUpperBound(admission->spent_after));
    EXPECT_THAT(policy->EpsilonAlone({.release = Release(1, 40), .count = 0}),
                StatusIs(absl::StatusCode::kInvalidArgument));
    const double sigma =
        *policy->SmallestNoiseMultiplier({.epsilon = 2, .sampling_rate = 1, .releases = 6});
    EXPECT_LE(*policy->EpsilonAlone({.release = Release(1, sigma), .count = 6}), 2);
  }
  EXPECT_EQ(*inventory.EpsilonAlone({.release = Release(1, 40), .count = 13}), kInfinity);
}

TEST(AdmissionPolicyTest, WhatMayBeSignedHoldsForTheWholeBudgetByTheExactGaussian) {
  const AdmissionPolicy policy = Inventory({{20, 1, 20}, {40, 1, 30}});
  const double sigma = 1 / std::sqrt(20 / 400.0 + 30 / 1600.0);
  for (const double epsilon : {0.1, 0.7, 1.5, 2.44}) {
    EXPECT_GE(policy.DeltaOfProfile(epsilon), GaussianDeltaUpperBound(epsilon, sigma) * (1 - 1e-9))
        << epsilon;
  }
  EXPECT_EQ(policy.OdometerUpperBound(policy.NothingSpent()), 0);
  EXPECT_EQ(policy.OdometerUpperBound({1, 0}), kBudget.epsilon);
  const AttackBounds bounds = *BoundAttacks(policy);
  // The best guess against one Gaussian of that σ is right with probability Φ(1/2σ).
  EXPECT_GE(bounds.guess_at_even_odds, std::exp(LogNormalCdf(0.5 / sigma)) - 1e-9);
  EXPECT_LT(bounds.guess_at_even_odds, 1 / (1 + std::exp(-kBudget.epsilon)));
  const AttackBounds adaptive = *BoundAttacks(Adaptive());
  EXPECT_LE(adaptive.guess_at_even_odds, 1 / (1 + std::exp(-kBudget.epsilon)) + 1e-5);
}

// What the wire calls a posterior is the chance of guessing right. Against one Gaussian of μ = 1/σ
// the posterior is above p for who is in with Φ(μ/2 − ln(p/(1 − p))/μ).
TEST(AdmissionPolicyTest, OutputsOfVouchersMakeSurerThanTheBestGuessIsRight) {
  const double mu = std::sqrt(10) / 6.3;
  const double p = BoundAttacks(Inventory({{6.3, 1, 10}}))->guess_at_even_odds;
  EXPECT_NEAR(p, std::exp(LogNormalCdf(mu / 2)), 1e-4);
  EXPECT_GT(std::exp(LogNormalCdf(mu / 2 - std::log(p / (1 - p)) / mu)), 0.1);
}

TEST(AdmissionPolicyTest, TheSpecComesBackAsItWasAndABadOneIsRefused) {
  const AdmissionPolicy adaptive = Adaptive();
  EXPECT_NE(adaptive.filter(), nullptr);
  EXPECT_EQ(adaptive.inventory(), nullptr);
  EXPECT_EQ(std::get<FilterSpec>(adaptive.spec()).orders, kOrders);
  EXPECT_OK(adaptive.RequireWithinBudget());
  const AdmissionPolicy inventory = Inventory({{20, 1, 6}});
  EXPECT_EQ(inventory.filter(), nullptr);
  EXPECT_EQ(std::get<InventorySpec>(inventory.spec()).kinds[0].count, 6);
  EXPECT_EQ(inventory.budget().delta, kBudget.delta);
  EXPECT_THAT(AdmissionPolicy::Create(InventorySpec{.budget = kBudget, .kinds = {}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(AdmissionPolicy::Create(FilterSpec{.budget = kBudget, .orders = {}, .weights = {}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Inventory({{2, 1, 60}}).RequireWithinBudget(),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace admission_policy_test
}  // namespace topicwall::accountant
