#include "server/audit/statistics/ledger_recount.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "proto/ledger_chain.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;

constexpr double kDelta = 1e-6;

v1::LedgerEvent Opened(const std::vector<double>& orders, const std::vector<double>& weights) {
  v1::LedgerEvent event;
  v1::FilterRecord* filter = event.mutable_budget_opened()->mutable_filter();
  filter->set_epsilon(3);
  filter->set_delta(kDelta);
  filter->mutable_orders()->Assign(orders.begin(), orders.end());
  filter->mutable_weights()->Assign(weights.begin(), weights.end());
  return event;
}

v1::LedgerEvent Reserved(const std::string& plan, double sigma, int iterations,
                         const std::string& principal = "alice") {
  v1::LedgerEvent event;
  event.set_principal(principal);
  v1::PlanReserved* reserved = event.mutable_plan_reserved();
  reserved->set_plan_id(plan);
  reserved->mutable_spec()->set_sampling_rate(1);
  reserved->mutable_spec()->mutable_gaussian()->set_noise_multiplier(sigma);
  reserved->mutable_spec()->set_iterations(iterations);
  return event;
}

v1::LedgerEvent Charged(const std::string& plan) {
  v1::LedgerEvent event;
  event.set_principal("alice");
  event.mutable_iteration_charged()->set_plan_id(plan);
  event.mutable_iteration_charged()->set_release_key_sha256(std::string(32, 'k'));
  return event;
}

v1::LedgerEvent Cancelled(const std::string& plan, int claimed) {
  v1::LedgerEvent event;
  event.set_principal("alice");
  event.mutable_plan_cancelled()->set_plan_id(plan);
  event.mutable_plan_cancelled()->set_iterations_returned(claimed);
  return event;
}

// A chain of them, as a reader gets it.
std::vector<v1::LedgerEntry> ChainOf(std::vector<v1::LedgerEvent> events) {
  std::vector<v1::LedgerEntry> entries;
  std::string head = proto::GenesisHead();
  for (v1::LedgerEvent& event : events) {
    event.set_budget_id("0123");
    event.set_sequence(static_cast<int64_t>(entries.size()) + 1);
    v1::LedgerEntry& entry = entries.emplace_back();
    entry.set_sequence(event.sequence());
    entry.set_salt(std::string(proto::kEventSaltSize, 's'));
    entry.set_event(event.SerializeAsString());
    entry.set_commitment(proto::EventCommitment(entry.salt(), entry.event()));
    head = proto::NextHead(head, entry.commitment());
    entry.set_head(head);
  }
  return entries;
}

absl::StatusOr<LedgerRecount> RecountOf(const std::vector<v1::LedgerEvent>& events,
                                        const std::string& principal = "") {
  return LedgerRecount::Of(ChainOf(events), principal);
}

TEST(LedgerRecountTest, AnEditedChainIsRefused) {
  std::vector<v1::LedgerEntry> entries = ChainOf({Opened({2}, {1}), Reserved("p", 5, 4)});
  EXPECT_OK(LedgerRecount::Of(entries));
  entries[1].set_event(Reserved("p", 5, 3).SerializeAsString());
  EXPECT_THAT(LedgerRecount::Of(entries), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(LedgerRecountTest, FullBatchesCostWhatTheFormulaSays) {
  const std::vector<v1::LedgerEvent> events = {Opened({2, 10}, {0.1, 0.9}), Reserved("p", 5, 4)};
  ASSERT_OK_AND_ASSIGN(const auto recount, RecountOf(events));
  EXPECT_EQ(recount.releases, 4);
  EXPECT_NEAR(recount.prices[0], 4 * 2 / 50.0, 1e-12);
  EXPECT_NEAR(recount.prices[1], 4 * 10 / 50.0, 1e-12);
  EXPECT_DOUBLE_EQ(recount.WeightsSum(), 1);
  // At order 10: 0.8 + ln 0.9 - (ln(0.9e-6) + ln 10)/9.
  EXPECT_NEAR(recount.EpsilonOfFilter(),
              0.8 + std::log(0.9) - (std::log(0.9 * kDelta) + std::log(10.0)) / 9, 1e-12);
  EXPECT_LT(*recount.EpsilonOfAccountant(), recount.EpsilonOfFilter());
  EXPECT_GT(*recount.EpsilonOfAccountant(), 0);
}

// With G at 0.9: μ² = 4/25, and the exact ε of that Gaussian at 0.9 δ by mpmath.
TEST(LedgerRecountTest, AGaussianWitnessCountsWhereItIsRecorded) {
  std::vector<v1::LedgerEvent> events = {Opened({2, 10}, {0.05, 0.05}), Reserved("p", 5, 4)};
  const double by_order = RecountOf(events)->EpsilonOfFilter();
  events[0].mutable_budget_opened()->mutable_filter()->set_gaussian_weight(0.9);
  ASSERT_OK_AND_ASSIGN(const auto recount, RecountOf(events));
  EXPECT_TRUE(recount.gaussian_weight > 0);
  EXPECT_DOUBLE_EQ(recount.WeightsSum(), 1);
  EXPECT_NEAR(recount.gaussian_price, 4 / 25.0, 1e-14);
  EXPECT_NEAR(recount.EpsilonOfFilter(), 1.7747591811728671, 1e-9);
  EXPECT_LT(recount.EpsilonOfFilter(), by_order);
  EXPECT_LT(*recount.EpsilonOfAccountant(), recount.EpsilonOfFilter());
}

TEST(LedgerRecountTest, AHistogramMakesAReleaseDearer) {
  std::vector<v1::LedgerEvent> events = {Opened({2}, {1}), Reserved("p", 5, 1)};
  events[1]
      .mutable_plan_reserved()
      ->mutable_spec()
      ->mutable_gaussian()
      ->set_histogram_noise_multiplier(5);
  ASSERT_OK_AND_ASSIGN(const auto recount, RecountOf(events));
  EXPECT_NEAR(recount.prices[0], 2 * 2 / 50.0, 1e-12);  // twice the price: σ_eff² is halved
}

TEST(LedgerRecountTest, ACancelledPlanCountsWhatWasChargedWhateverTheEventSays) {
  const std::vector<v1::LedgerEvent> events = {Opened({2}, {1}), Reserved("p", 5, 10), Charged("p"),
                                               Charged("p"), Cancelled("p", /*claimed=*/10)};
  ASSERT_OK_AND_ASSIGN(const auto recount, RecountOf(events));
  EXPECT_EQ(recount.releases, 2);
  EXPECT_EQ(recount.charged, 2);
}

TEST(LedgerRecountTest, AChargeThatNamesNoKeyIsSeen) {
  std::vector<v1::LedgerEvent> events = {Opened({2}, {1}), Reserved("p", 5, 10), Charged("p")};
  EXPECT_TRUE(RecountOf(events)->keys_named);
  events.push_back(Charged("p"));
  events.back().mutable_iteration_charged()->clear_release_key_sha256();
  EXPECT_FALSE(RecountOf(events)->keys_named);
}

TEST(LedgerRecountTest, CountsOneAnalystAlone) {
  const std::vector<v1::LedgerEvent> events = {Opened({2}, {1}), Reserved("p", 5, 10),
                                               Reserved("q", 5, 3, "bob")};
  EXPECT_EQ(RecountOf(events)->releases, 13);
  EXPECT_EQ(RecountOf(events, "bob")->releases, 3);
}

// At ν < 1: integer and other orders by two ways that share no code, so they must lie on a curve.
TEST(LedgerRecountTest, SampledReleasesArePricedAtEveryOrder) {
  std::vector<v1::LedgerEvent> events = {Opened({2.999999, 3, 3.000001}, {0.3, 0.3, 0.4}),
                                         Reserved("p", 2, 1)};
  events[1].mutable_plan_reserved()->mutable_spec()->set_sampling_rate(0.05);
  ASSERT_OK_AND_ASSIGN(const auto recount, RecountOf(events));
  EXPECT_NEAR(recount.prices[0], recount.prices[1], 1e-8);
  EXPECT_NEAR(recount.prices[2], recount.prices[1], 1e-8);
  EXPECT_LT(recount.prices[1], 3 / 8.0 * 0.05);
}

TEST(LedgerRecountTest, MoreCostsMore) {
  const std::vector<v1::LedgerEvent> events = {Opened({2}, {1}), Reserved("p", 5, 1)};
  ASSERT_OK_AND_ASSIGN(const auto recount, RecountOf(events));
  LedgerRecount more = recount;
  ASSERT_OK(more.Add(events[1].plan_reserved().spec(), 2));
  EXPECT_NEAR(more.prices[0], 3 * recount.prices[0], 1e-12);
}

TEST(LedgerRecountTest, AChainWithoutAnAdaptiveBudgetIsAnError) {
  EXPECT_THAT(LedgerRecount::Of({}), StatusIs(absl::StatusCode::kInvalidArgument));
  v1::LedgerEvent inventory;
  inventory.mutable_budget_opened()->mutable_inventory();
  EXPECT_THAT(RecountOf({inventory}), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::audit
