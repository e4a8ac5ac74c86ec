#include "client/audit/watched_wall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/client/chain_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class WatchedWallTest : public ::testing::Test {
 protected:
  // As the next command of the same profile would have it.
  void Connect() {
    auto inner = std::make_unique<ChainWall>();
    if (inner_ != nullptr) {
      inner->chain = inner_->chain;
      inner->description = inner_->description;
    }
    inner_ = inner.get();
    wall_ = Watched(std::move(inner), HeadBook(folder_.path() + "/heads.pb"),
                    {.on_new_budget = [this](const ChainSight&) { ++told_; }});
  }
  void SetUp() override {
    Connect();
    inner_->chain.Reserve("alice", "plan", 40, 3);
  }
  absl::StatusOr<v1::PlanState> Reserve() {
    v1::ReservePlanRequest request;
    request.mutable_plan()->set_corpus("notes");
    return wall_->ReservePlan(request);
  }
  absl::Status RunRelease() {
    v1::RunReleaseHeader header;
    header.set_plan_id("plan");
    return wall_->RunRelease(header, {}, {}).status();
  }
  absl::StatusOr<v1::BudgetStatus> GetBudget() { return wall_->GetBudget("notes"); }

  testing::TemporaryDirectory folder_;
  std::unique_ptr<WallPort> wall_;
  ChainWall* inner_ = nullptr;
  int told_ = 0;
};

TEST_F(WatchedWallTest, PassesEverythingOnWhileTheChainGoesOn) {
  EXPECT_OK(wall_->DescribeCorpus("notes"));
  EXPECT_OK(wall_->GetVocabulary("notes", 10));
  EXPECT_OK(wall_->PricePlan(Reserve()->plan()));
  EXPECT_OK(RunRelease());
  inner_->chain.Charge("alice", "plan", 1);
  EXPECT_OK(RunRelease());
  EXPECT_OK(wall_->GetRelease("plan", 1, {}));
  EXPECT_OK(GetBudget());
  EXPECT_OK(wall_->ListPlans(""));
  EXPECT_OK(wall_->GetPlan("plan"));
  EXPECT_OK(wall_->CancelPlan("plan"));
  EXPECT_EQ(wall_->ReadLedger("notes", 1)->size(), 4u);
  EXPECT_EQ(inner_->spending_calls, 4);
}

TEST_F(WatchedWallTest, NothingIsAskedOfAWallWhoseLedgerWasPutBack) {
  const ChainBuilder older = inner_->chain;
  inner_->chain.Charge("alice", "plan", 1);
  ASSERT_OK(wall_->DescribeCorpus("notes"));
  Connect();
  inner_->chain = older;
  const absl::Status statuses[] = {wall_->DescribeCorpus("notes").status(),
                                   wall_->GetVocabulary("notes", 10).status(),
                                   Reserve().status(),
                                   RunRelease(),
                                   wall_->GetRelease("plan", 1, {}).status(),
                                   GetBudget().status(),
                                   wall_->ListPlans("notes").status(),
                                   wall_->ListPlans("").status(),
                                   wall_->GetPlan("plan").status(),
                                   wall_->CancelPlan("plan").status(),
                                   wall_->ReadLedger("notes", 1).status()};
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("does not go on")));
  }
  EXPECT_EQ(inner_->spending_calls, 0);
}

TEST_F(WatchedWallTest, ALedgerPutBackUnderAFitStopsItBeforeItPaysAgain) {
  ASSERT_OK(Reserve());
  ASSERT_OK(RunRelease());
  const ChainBuilder older = inner_->chain;
  inner_->chain.Charge("alice", "plan", 1);
  ASSERT_OK(RunRelease());
  inner_->chain = older;
  EXPECT_THAT(RunRelease(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(inner_->spending_calls, 3);
}

TEST_F(WatchedWallTest, TheBudgetAndTheChainThatAreShownMustBeOfTheNotedHistory) {
  ASSERT_OK(GetBudget());
  inner_->budget = [this] {
    v1::BudgetStatus budget = inner_->chain.Budget();
    budget.set_events(budget.events() - 1);
    return budget;
  };
  EXPECT_THAT(GetBudget(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two histories")));
  inner_->budget = [this] {
    v1::BudgetStatus budget = inner_->chain.Budget();
    budget.set_chain_head(std::string(32, 'x'));
    return budget;
  };
  EXPECT_THAT(GetBudget(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two histories")));
  // The chain that is read differs from the one that was looked at.
  inner_->chain = ChainBuilder();
  EXPECT_THAT(wall_->ReadLedger("notes", 1),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ends at entry 2")));
  inner_->chain.Reserve("bob", "another", 40, 3);
  EXPECT_THAT(wall_->ReadLedger("notes", 1),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another entry 3")));
}

TEST_F(WatchedWallTest, ASignedHeadThatComesWithABudgetMustHold) {
  const ReceiptPress press, stranger(2);
  inner_->description.set_signing_key(press.key());
  const auto budget_signed_by = [this](const ReceiptPress& signer) {
    v1::BudgetStatus budget = inner_->chain.Budget();
    *budget.mutable_signed_head() = SignedHeadOf(signer, inner_->chain.entries().back());
    return budget;
  };
  inner_->budget = [&] { return budget_signed_by(press); };
  EXPECT_OK(GetBudget());
  inner_->budget = [&] { return budget_signed_by(stranger); };
  EXPECT_THAT(GetBudget(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another key")));
}

TEST_F(WatchedWallTest, ANewBudgetIsToldOnce) {
  ASSERT_OK(wall_->DescribeCorpus("notes"));
  EXPECT_EQ(told_, 0);
  for (int i = 0; i < 2; ++i) {
    Connect();
    inner_->chain = ChainBuilder(inner_->chain.policy(), "budget 2");
    inner_->chain.TellSum(inner_->chain.SumWith(2.44, 1e-6, "budget"));
    inner_->description.set_corpus_version("version 2");
    ASSERT_OK(wall_->DescribeCorpus("notes"));
    EXPECT_EQ(told_, 1);
  }
}

}  // namespace
}  // namespace topicwall::client
