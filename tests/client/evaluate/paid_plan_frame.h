// A wall, a model in its folder, and what an analyst was asked and told, for tests of whatever is
// one paid plan (client/evaluate/ask_paid.h).
#ifndef TOPICWALL_TESTS_CLIENT_EVALUATE_PAID_PLAN_FRAME_H_
#define TOPICWALL_TESTS_CLIENT_EVALUATE_PAID_PLAN_FRAME_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "client/evaluate/ask_paid.h"
#include "client/fit/model_directory.h"
#include "client/wall/mock_custodian.h"
#include "tests/client/local_wall.h"
#include "tests/client/small_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {

template <typename Quote>
class PaidPlanFrame : public ::testing::Test {
 protected:
  // `releases`: of a plan.
  explicit PaidPlanFrame(const LocalWall::Planted& planted = {}, int releases = 2)
      : wall_(planted), releases_(releases) {}

  // With the model, where something is asked about one.
  std::unique_ptr<ModelDirectory> FolderIn(const testing::TemporaryDirectory& folder) const {
    auto directory = ModelDirectory::Open(folder.path() + "/model");
    EXPECT_OK(directory);
    if (model_.terms_size() > 0) {
      EXPECT_OK((*directory)->Finish(model_));
    }
    return *std::move(directory);
  }
  void FinishModel() { directory_ = FolderIn(folder_); }

  PaidHooks<Quote> Hooks() {
    return {
        .agree =
            [this](const Quote& quote) {
              ++quotes_;
              quote_ = quote;
              return answer_;
            },
        .on_progress = [this](const v1::FitPlan&, int releases) { progress_.push_back(releases); }};
  }

  int NumFiles() const {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_->path())) {
      files += absl::StrContains(entry.path().filename().string(), "-") ? 1 : 0;
    }
    return files;
  }

  // Whichever call is cut, before or behind it: typed again it goes on, to the same, and one plan
  // is all that was ever paid. `ask` gives what is to be the same.
  template <typename Ask>
  void ExpectPaidOnceWhereverItIsCut(const Ask& ask) {
    ASSERT_OK_AND_ASSIGN(const auto expected, ask(wall_, *directory_));
    const int calls = wall_.calls();
    for (int call = 0; call < calls; ++call) {
      for (const bool before : {true, false}) {
        testing::TemporaryDirectory folder;
        LocalWall wall;
        const auto directory = FolderIn(folder);
        wall.Cut(call, before);
        EXPECT_THAT(ask(wall, *directory), testing::StatusIs(absl::StatusCode::kUnavailable));
        ASSERT_OK_AND_ASSIGN(const auto result, ask(wall, *directory));
        EXPECT_EQ(result, expected);
        EXPECT_EQ(wall.plans_reserved(), 1) << call;
        EXPECT_EQ(wall.releases_paid(), releases_) << call;
      }
    }
  }

  // `ask` a second time is answered from its file and pays nothing. All that a wall is asked for it
  // is who it is, and one that cannot be asked hides nothing.
  template <typename Ask>
  void ExpectTheSameAgainForNothing(const Ask& ask) {
    ASSERT_OK_AND_ASSIGN(const auto first, ask());
    EXPECT_FALSE(first.was_finished);
    std::vector<int> told(static_cast<size_t>(releases_) + 1);
    std::iota(told.begin(), told.end(), 0);
    EXPECT_EQ(progress_, told);
    const int calls = wall_.calls();
    ASSERT_OK_AND_ASSIGN(const auto again, ask());
    EXPECT_TRUE(again.was_finished);
    EXPECT_EQ(again.file.SerializeAsString(), first.file.SerializeAsString());
    EXPECT_EQ(wall_.calls(), calls + 1);
    EXPECT_EQ(quotes_, 1);
    wall_.FailBefore(wall_.calls(), absl::UnavailableError("gone"));
    EXPECT_OK(ask());
  }

  template <typename Ask>
  void ExpectThatAMockAloneTellsAMocks(const Ask& ask) {
    const auto is_refused =
        testing::StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("MOCK"));
    model_.set_custodian_id(kMockCustodian);
    ASSERT_OK(directory_->Finish(model_));
    EXPECT_THAT(ask(), is_refused);
    EXPECT_EQ(quotes_, 0) << "nothing is bought of topics of documents that do not exist";
    wall_.description().set_custodian_id(kMockCustodian);
    ASSERT_OK(ask());
    EXPECT_OK(ask());
    wall_.description().set_custodian_id("test-custodian");
    EXPECT_THAT(ask(), is_refused);
    EXPECT_EQ(quotes_, 1);
    wall_.FailBefore(wall_.calls(), absl::UnavailableError("gone"));
    EXPECT_THAT(ask(), testing::StatusIs(absl::StatusCode::kUnavailable))
        << "nobody says it is a mock";
  }

  testing::TemporaryDirectory folder_;
  LocalWall wall_;
  const int releases_;
  std::unique_ptr<ModelDirectory> directory_;
  v1::ModelFile model_;
  absl::Status answer_ = absl::OkStatus();
  int quotes_ = 0;
  Quote quote_ = {};
  std::vector<int> progress_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_EVALUATE_PAID_PLAN_FRAME_H_
