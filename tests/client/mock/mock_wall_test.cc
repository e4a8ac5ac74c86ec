#include "client/mock/mock_wall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "client/audit/receipt_audit.h"
#include "client/audit/wall_audit.h"
#include "client/evaluate/wall_evaluation.h"
#include "client/evaluate/wall_lengths.h"
#include "client/evaluate/wall_prevalence.h"
#include "client/fit/fit.h"
#include "client/fit/receipted_folder.h"
#include "client/wall/mock_custodian.h"
#include "client/wall/receipt_book.h"
#include "model/lda/topics/topic_model.h"
#include "proto/budget_refusal.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace mock_wall_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::topicwall::testing::StatusIs;

class MockWallTest : public ::testing::Test {
 protected:
  explicit MockWallTest(const LocalWall::Planted& planted = {.num_topics = 6,
                                                             .terms_per_topic = 20})
      : real_(planted) {
    real_.description().mutable_limits()->set_max_releases(1000);
    real_.description().set_nominal_size(200000);
  }

  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(auto mock, MockWall::Of(real_, "notes"));
    mock_ = std::make_unique<MockWall>(std::move(mock));
    calls_ = real_.calls();
  }
  // Nothing was asked of it since.
  void TearDown() override {
    EXPECT_EQ(real_.calls(), calls_);
    EXPECT_EQ(real_.plans_reserved(), 0);
  }

  std::string Path() const { return folder_.path() + "/notes.model"; }
  std::unique_ptr<ReceiptedFolder> Open() {
    auto folder =
        ReceiptedFolder::Open(std::make_unique<MockWall>(*mock_), Path(), mock_->signing_key());
    EXPECT_OK(folder);
    return *std::move(folder);
  }
  FitSpec Spec() const {
    FitSpec spec;
    spec.corpus = "notes";
    spec.num_topics = 6;
    spec.spend = *ParseSpend("1");
    spec.held_out_share = 0.1;
    return spec;
  }
  absl::StatusOr<FitResult> RunFit(const FitSpec& spec) {
    const std::unique_ptr<ReceiptedFolder> folder = Open();
    return Fit(folder->wall(), folder->directory(), spec,
               {.agree = [](const FitQuote&) { return absl::OkStatus(); },
                .on_progress = [](const v1::FitStage&) {}});
  }
  void ExpectLedgerHolds(int plans) {
    ASSERT_OK_AND_ASSIGN(const auto found, AuditWall(*mock_, "notes"));
    EXPECT_THAT(found.audit.findings, IsEmpty());
    EXPECT_THAT(found.audit.plans, SizeIs(plans));
    ASSERT_OK_AND_ASSIGN(const auto receipts, ReadReceipts(ReceiptsPath(Path())));
    ASSERT_OK_AND_ASSIGN(const auto held,
                         AuditReceipts(receipts, {.signing_key = mock_->signing_key(),
                                                  .chain = absl::MakeConstSpan(found.entries)}));
    EXPECT_THAT(held.findings, IsEmpty());
    EXPECT_GT(held.receipts, plans);
  }

  LocalWall real_;
  std::unique_ptr<MockWall> mock_;
  int calls_ = 0;
  topicwall::testing::TemporaryDirectory folder_;
};

TEST_F(MockWallTest, ABoughtFitIsWhollyAndVisiblyOfTheMockAndItsLedgerHolds) {
  ASSERT_OK_AND_ASSIGN(const auto fit, RunFit(Spec()));
  EXPECT_TRUE(IsMock(fit.model.custodian_id()));
  EXPECT_NE(fit.model.corpus_version(), real_.description().corpus_version());
  EXPECT_NEAR(fit.model.epsilon_taken(), 1, 0.02);
  ExpectLedgerHolds(2);
  EXPECT_NEAR(mock_->GetBudget("notes")->epsilon_spent(), fit.model.epsilon_taken(), 1e-9);
}

// As by `mv notes.model kept.model` while the fit runs, and a second fit under the old name.
TEST_F(MockWallTest, AFitWhoseFolderIsMovedKeepsNothingUnderTheOldNameAndGoesOnUnderTheNew) {
  const std::string kept = folder_.path() + "/kept.model";
  const auto agree = [](const FitQuote&) { return absl::OkStatus(); };
  {
    const std::unique_ptr<ReceiptedFolder> folder = Open();
    std::unique_ptr<ReceiptedFolder> second;
    const auto fit = Fit(folder->wall(), folder->directory(), Spec(),
                         {.agree = agree, .on_progress = [&](const v1::FitStage&) {
                            if (second != nullptr) return;
                            std::filesystem::rename(Path(), kept);
                            second = Open();
                          }});
    EXPECT_THAT(fit, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("was moved")));
    EXPECT_TRUE(std::filesystem::is_empty(Path()));
  }
  ASSERT_OK_AND_ASSIGN(const auto folder, ReceiptedFolder::Open(std::make_unique<MockWall>(*mock_),
                                                                kept, mock_->signing_key()));
  ASSERT_OK(Fit(folder->wall(), folder->directory(), Spec(),
                {.agree = agree, .on_progress = [](const v1::FitStage&) {}}));
  std::filesystem::rename(kept, Path());
  ExpectLedgerHolds(2);
}

TEST_F(MockWallTest, WhatIsAskedOfAModelIsAnsweredToo) {
  ASSERT_OK(RunFit(Spec()));
  const std::unique_ptr<ReceiptedFolder> folder = Open();
  EvaluationWish evaluation = {
      .corpus = "notes", .held_out_share = 0.1, .releases = 1, .words_per_unit = 100};
  evaluation.noise.spend = *ParseSpend("0.2");
  const auto evaluated =
      EvaluateBehindTheWall(folder->wall(), folder->directory(), evaluation,
                            {.agree = [](const EvaluationQuote&) { return absl::OkStatus(); },
                             .on_progress = [](const v1::FitPlan&, int) {}});
  ASSERT_OK(evaluated);
  PrevalenceWish wish;
  wish.corpus = "notes";
  wish.by = {"ward"};
  wish.noise.spend = *ParseSpend("0.2");
  const auto prevalence =
      AskPrevalence(folder->wall(), folder->directory(), wish,
                    {.agree = [](const PrevalenceQuote&) { return absl::OkStatus(); },
                     .on_progress = [](const v1::FitPlan&, int) {}});
  ASSERT_OK(prevalence);
  LengthsWish wish_of_lengths = {.corpus = "notes"};
  wish_of_lengths.noise.spend = *ParseSpend("0.2");
  const auto lengths = AskLengths(folder->wall(), folder->directory(), wish_of_lengths,
                                  {.agree = [](const LengthsQuote&) { return absl::OkStatus(); }});
  ASSERT_OK(lengths);
  EXPECT_TRUE(IsMock(lengths->file.custodian_id()));
  ExpectLedgerHolds(5);
}

TEST_F(MockWallTest, PricesAndRefusalsAreThoseOfTheRealPolicy) {
  FitSpec spec = Spec();
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(*mock_, spec));
  const v1::ReleaseSpec plan = quote.topics();
  LocalWall other({.num_topics = 6, .terms_per_topic = 20});
  ASSERT_OK_AND_ASSIGN(const auto price, mock_->PricePlan(plan));
  EXPECT_EQ(price.epsilon_alone(), other.PricePlan(plan)->epsilon_alone());
  spec.spend = *ParseSpend("2.5");  // of 2.44
  EXPECT_TRUE(proto::BudgetExhaustedOf(MakeQuote(*mock_, spec).status()).has_value());
}

TEST_F(MockWallTest, WhatTheWallsLimitsForbidTheMockForbids) {
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(*mock_, Spec()));
  const v1::ReleaseSpec plan = quote.topics();
  v1::ReleaseSpec longer = plan, quieter = plan, wordier = plan;
  longer.set_iterations(101);
  quieter.mutable_gaussian()->set_noise_multiplier(0.4);
  wordier.set_max_tokens(501);
  EXPECT_OK(mock_->PricePlan(plan));
  for (const v1::ReleaseSpec& refused : {longer, quieter, wordier}) {
    EXPECT_THAT(mock_->PricePlan(refused).status(), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_F(MockWallTest, AWallThatIsNoneTakesNoFolderOfItsForAFit) {
  ASSERT_OK(RunFit(Spec()));
  // With receipts and without: the command opens a book, and Fit knows a mock's model by itself.
  const std::unique_ptr<ModelDirectory> directory = *ModelDirectory::Open(Path());
  LocalWall real({.num_topics = 6, .terms_per_topic = 20});
  const FitHooks hooks = {.agree = [](const FitQuote&) { return absl::OkStatus(); },
                          .on_progress = [](const v1::FitStage&) {}};
  EXPECT_THAT(Fit(real, *directory, Spec(), hooks).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("MOCK")));
  EXPECT_THAT(ReceiptBook::Open(ReceiptsPath(Path()), std::string(32, 'k')).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("MOCK")));
  EXPECT_OK(Fit(*mock_, *directory, Spec(), hooks));
}

TEST_F(MockWallTest, ACancelledPlanGivesBackWhatWasNeverCharged) {
  ASSERT_OK_AND_ASSIGN(const auto quote, MakeQuote(*mock_, Spec()));
  v1::ReservePlanRequest request;
  request.set_request_id(std::string(16, 'r'));
  *request.mutable_plan() = quote.topics();
  ASSERT_OK_AND_ASSIGN(const auto plan, mock_->ReservePlan(request));
  EXPECT_EQ(mock_->ReservePlan(request)->plan_id(), plan.plan_id());
  ASSERT_OK_AND_ASSIGN(const auto cancelled, mock_->CancelPlan(plan.plan_id()));
  EXPECT_EQ(cancelled.state(), v1::PlanState::CANCELLED);
  EXPECT_EQ(mock_->GetBudget("notes")->epsilon_spent(), 0);
  EXPECT_THAT(*mock_->ListPlans(""), SizeIs(1));
}

TEST_F(MockWallTest, AnotherMocksPlanIsRefusedInWordsThatSayWhy) {
  EXPECT_THAT(mock_->GetPlan(std::string(32, '0')).status(),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("a mock forgets")));
}

TEST(MockOfNothingTest, ACorpusWithoutABudgetHasNoMock) {
  LocalWall real;
  real.description().set_state(v1::CORPUS_STATE_NO_BUDGET);
  EXPECT_THAT(MockWall::Of(real, "notes").status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no budget")));
}

class MockOfVectorsTest : public MockWallTest {
 protected:
  MockOfVectorsTest() : MockWallTest({.vectors = {std::vector<float>(6, 0.1F)}}) {}
};

TEST_F(MockOfVectorsTest, AMixtureOfGaussiansIsFittedToMadeUpVectors) {
  FitSpec spec = Spec();
  spec.algorithm = kGaussian;
  ASSERT_OK_AND_ASSIGN(const auto fit, RunFit(spec));
  EXPECT_TRUE(IsMock(fit.model.custodian_id()));
  ExpectLedgerHolds(3);
}

}  // namespace mock_wall_test
}  // namespace topicwall::client
