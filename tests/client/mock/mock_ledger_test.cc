#include "client/mock/mock_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/wall/mock_custodian.h"
#include "proto/budget_refusal.h"
#include "proto/receipt.h"
#include "tests/client/chain_builder.h"
#include "tests/client/stated_policy.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace mock_ledger_test {

constexpr int64_t kYear2000Ms = 946684800000;
constexpr int64_t kIntervalMs = 60000;

v1::CorpusDescription Description() {
  v1::CorpusDescription description;
  description.set_corpus("notes");
  description.set_corpus_version(std::string(16, 'v'));
  description.set_custodian_id(kMockCustodian);
  description.set_privacy_unit(v1::PRIVACY_UNIT_DOCUMENT);
  description.set_release_interval_ms(kIntervalMs);
  description.mutable_limits()->set_max_releases(100);
  return description;
}

v1::BudgetStatus Budget(const accountant::AdmissionPolicy& policy) {
  v1::BudgetStatus budget;
  StatePolicy(policy.spec(), budget);
  budget.set_epsilon_total(policy.budget().epsilon);
  return budget;
}

v1::ReleaseSpec Plan(double sigma, int iterations) {
  v1::ReleaseSpec plan;
  plan.set_corpus("notes");
  plan.set_corpus_version(std::string(16, 'v'));
  plan.set_sampling_rate(1);
  plan.set_iterations(iterations);
  plan.mutable_gaussian()->set_noise_multiplier(sigma);
  plan.set_max_tokens(50);
  plan.set_model("lda");
  return plan;
}

TEST(MockLedgerTest, ACapOfTheCallersRefusesWhatTheBudgetWouldHold) {
  v1::BudgetStatus budget = Budget(ChainBuilder().policy());  // of 2.44
  ASSERT_OK_AND_ASSIGN(auto free, MockLedger::Open(Description(), budget));
  EXPECT_OK(free.Reserve(Plan(8, 2)));
  budget.mutable_own()->set_epsilon_cap(0.5);
  ASSERT_OK_AND_ASSIGN(auto capped, MockLedger::Open(Description(), budget));
  const auto refusal = proto::BudgetExhaustedOf(capped.Reserve(Plan(8, 2)).status());
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->limit(), "analyst");
  EXPECT_EQ(capped.Status().own().epsilon_cap(), 0.5);
  EXPECT_OK(capped.Reserve(Plan(80, 2)));
}

TEST(MockLedgerTest, VouchersAreDrawnAsFromARealInventory) {
  ASSERT_OK_AND_ASSIGN(auto ledger,
                       MockLedger::Open(Description(), Budget(ChainBuilder::Vouchers())));
  EXPECT_OK(ledger.Reserve(Plan(40, 6)));  // all that there are of 40
  EXPECT_OK(ledger.Reserve(Plan(20, 4)));
  EXPECT_TRUE(proto::BudgetExhaustedOf(ledger.Reserve(Plan(40, 1)).status()).has_value());
}

TEST(MockLedgerTest, ReleasesAreSignedForAndPassAnIntervalOfMadeUpTimeEach) {
  ASSERT_OK_AND_ASSIGN(auto ledger,
                       MockLedger::Open(Description(), Budget(ChainBuilder().policy())));
  ASSERT_OK_AND_ASSIGN(const auto id, ledger.Reserve(Plan(40, 2)));
  for (int iteration = 1; iteration <= 2; ++iteration) {
    v1::RunReleaseHeader request;
    request.set_plan_id(id);
    request.set_iteration(iteration);
    request.set_request_digest(std::string(32, 'q'));
    ASSERT_OK(ledger.Charge(request, "kernel"));
    v1::ReleaseHeader release;
    release.set_plan_id(id);
    release.set_iteration(iteration);
    release.set_statistics_sha256(std::string(32, 's'));
    ASSERT_OK(ledger.Publish(&release));
    EXPECT_EQ(release.charged_at_ms(), kYear2000Ms + (iteration - 1) * kIntervalMs);
    EXPECT_EQ(release.readable_at_ms(), kYear2000Ms + iteration * kIntervalMs);
    EXPECT_OK(proto::OpenReceipt(release.charge_receipt(), ledger.signing_key()));
    EXPECT_OK(proto::OpenReceipt(release.release_receipt(), ledger.signing_key()));
  }
  EXPECT_EQ(ledger.releases_reserved(), 2);
}

TEST(MockLedgerTest, TwoMocksOfOneCorpusAreTwoBudgetsOfOneKey) {
  const v1::BudgetStatus budget = Budget(ChainBuilder().policy());
  ASSERT_OK_AND_ASSIGN(const auto first, MockLedger::Open(Description(), budget));
  ASSERT_OK_AND_ASSIGN(const auto second, MockLedger::Open(Description(), budget));
  EXPECT_NE(first.budget().budget_id(), second.budget().budget_id());
  EXPECT_EQ(first.signing_key(), second.signing_key());
}

}  // namespace mock_ledger_test
}  // namespace topicwall::client
