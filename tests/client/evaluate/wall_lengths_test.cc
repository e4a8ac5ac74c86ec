#include "client/evaluate/wall_lengths.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "client/wall/mock_custodian.h"
#include "client/wall/topics_asked.h"
#include "proto/strict_parse.h"
#include "tests/client/evaluate/paid_plan_frame.h"

namespace topicwall::client {
namespace wall_lengths_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class WallLengthsTest : public PaidPlanFrame<LengthsQuote> {
 protected:
  WallLengthsTest() : PaidPlanFrame(/*planted=*/{}, /*releases=*/1) { FinishModel(); }

  absl::StatusOr<WallLengths> Ask() { return Ask(wall_, *directory_); }
  absl::StatusOr<WallLengths> Ask(WallPort& wall, ModelDirectory& directory) {
    return AskLengths(wall, directory, wish_, Hooks());
  }

  LengthsWish wish_ = {.corpus = "notes", .noise = {.epsilon = 0.5}};
};

// Counted by hand: each of the 60 documents has two words five times and four once, 14 words.
TEST_F(WallLengthsTest, CountsEveryUnitInTheBinOfItsWords) {
  ASSERT_OK_AND_ASSIGN(const auto result, Ask());
  const v1::LengthsFile& file = result.file;
  ASSERT_EQ(file.counts_size(), file.edges_size() + 1);
  for (int b = 0; b < file.counts_size(); ++b) {
    const bool has_14 = b > 0 && file.edges(b - 1) == 14;
    EXPECT_NEAR(file.counts(b), has_14 ? 60 : 0, 1e-6) << b;
  }
  // No noise was added, and what is told is of the noise that would have been.
  v1::LengthsFile exact = file;
  exact.set_noise_standard_deviation(1e-3);
  ASSERT_OK_AND_ASSIGN(const auto told, LengthsOf(exact));
  EXPECT_EQ(told.median->low, 14);
  EXPECT_EQ(told.median->high, 15);
  ASSERT_OK(WritePaid(exact, LengthsPath(directory_->path(), wish_)));
  EXPECT_EQ(*MeasuredWords(directory_->path(), "notes", false), 14);
}

TEST_F(WallLengthsTest, IsOneReleaseOfAllUnitsAtNormOneWithBinsAsFarAsAUnitMayBeLong) {
  ASSERT_OK(Ask());
  EXPECT_EQ(quote_.plan.model(), kUnitLengths);
  EXPECT_EQ(quote_.plan.iterations(), 1);
  EXPECT_EQ(quote_.plan.sampling_rate(), 1);
  EXPECT_EQ(quote_.plan.max_tokens(), 500);
  EXPECT_TRUE(quote_.plan.weights().empty());
  EXPECT_EQ(quote_.most_words, 500);
  EXPECT_EQ(quote_.edges.back(), 448);
  EXPECT_LE(quote_.price.epsilon_alone(), 0.5);
  EXPECT_GT(quote_.price.epsilon_alone(), 0.499);
}

TEST_F(WallLengthsTest, OfOwnersAUnitMayBeAllItsDocumentsLongAndTheLowerQuartileCounts) {
  wall_.description().set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  wall_.description().mutable_limits()->set_max_documents_per_unit(7);
  ASSERT_OK_AND_ASSIGN(const auto result, Ask());
  EXPECT_EQ(quote_.most_words, 3500);
  lengths::LengthEstimate told;
  told.lower_quartile = {10, 9, 11};
  told.median = {20, 19, 21};
  EXPECT_EQ(TypicalLength(result.file, told)->value, 10);
  v1::LengthsFile of_documents = result.file;
  of_documents.set_privacy_unit(v1::PRIVACY_UNIT_DOCUMENT);
  EXPECT_EQ(TypicalLength(of_documents, told)->value, 20);
  // Limits that nobody reaches do not make a release of any size.
  wall_.description().mutable_limits()->set_max_tokens(INT64_MAX);
  EXPECT_LE(QuoteLengths(wall_, wish_)->edges.size(), 200u);
}

TEST_F(WallLengthsTest, TheErrorIsToldBeforehandWhereASizeIsStated) {
  ASSERT_OK(Ask());
  EXPECT_FALSE(ExpectedError(quote_).has_value());
  quote_.description.set_nominal_size(58'000);
  quote_.plan.mutable_gaussian()->set_noise_multiplier(300);
  quote_.edges = lengths::EdgesUpTo(2000);
  ASSERT_EQ(quote_.edges.size(), 38u);
  EXPECT_NEAR(*ExpectedError(quote_), 1.96 * 300 * std::sqrt(39) / 2 / 58'000, 1e-5);
}

TEST_F(WallLengthsTest, ThePlanIsPricedShownAndAgreedToBeforeAnythingIsReserved) {
  answer_ = absl::CancelledError("no");
  EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(wall_.plans_reserved(), 0);
  EXPECT_EQ(NumFiles(), 0);
}

TEST_F(WallLengthsTest, TheSameCommandAgainIsAnsweredFromItsFileAndPaysNothing) {
  ExpectTheSameAgainForNothing([this] { return Ask(); });
}

TEST_F(WallLengthsTest, InterruptedAnywhereItIsPaidOnceAndEndsTheSame) {
  ExpectPaidOnceWhereverItIsCut(
      [this](WallPort& wall, ModelDirectory& directory) -> absl::StatusOr<double> {
        const auto result = Ask(wall, directory);
        if (!result.ok()) return result.status();
        return LengthsOf(result->file)->units.value;
      });
}

TEST_F(WallLengthsTest, StoppedBeforeItsReleaseItGoesOnAndPaysNothingTwice) {
  const LengthsHooks hooks = {.agree = [](const LengthsQuote&) { return absl::OkStatus(); },
                              .should_stop = [] { return true; }};
  EXPECT_THAT(AskLengths(wall_, *directory_, wish_, hooks),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("0 of 1 releases")));
  ASSERT_OK(Ask());
  EXPECT_EQ(quotes_, 0) << "what was agreed to is not asked about again";
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

TEST_F(WallLengthsTest, OfSeveralThatWerePaidTheLeastNoisyIsTaken) {
  ASSERT_OK(Ask());
  wish_.noise.epsilon = 0.7;
  ASSERT_OK_AND_ASSIGN(const auto best, Ask());
  wish_.noise.epsilon = 0.1;
  ASSERT_OK(Ask());
  EXPECT_EQ(NumFiles(), 3);
  ASSERT_OK_AND_ASSIGN(const auto found, FindMeasured(directory_->path(), "notes"));
  EXPECT_EQ(found->plan().plan_id(), best.file.plan().plan_id());
  v1::LengthsFile mock = best.file;
  mock.set_custodian_id(kMockCustodian);
  mock.set_noise_standard_deviation(1e-3);
  ASSERT_OK(WritePaid(mock, directory_->path() + "/lengths-0123456789abcdef.pb"));
  EXPECT_EQ((*FindMeasured(directory_->path(), "notes"))->plan().plan_id(),
            best.file.plan().plan_id())
      << "a mock's hides none that was paid for";
  EXPECT_FALSE(FindMeasured(directory_->path(), "mail")->has_value());
  EXPECT_FALSE(FindMeasured(folder_.path() + "/none", "notes")->has_value());
}

TEST_F(WallLengthsTest, WordsAreRefusedOfNoMeasurementOfAMocksAndOfADrownedOne) {
  const std::string& path = directory_->path();
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("words-per-unit"));
  EXPECT_THAT(MeasuredWords(path, "notes", false), refused);
  EXPECT_THAT(MeasuredWords(path + "/12words", "notes", false), refused);
  wish_.noise = {.noise_multiplier = 40};  // of 60 units
  ASSERT_OK_AND_ASSIGN(auto result, Ask());
  EXPECT_THAT(MeasuredWords(path, "notes", false),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--spend")));
  result.file.set_noise_standard_deviation(1e-3);
  result.file.set_custodian_id(kMockCustodian);
  ASSERT_OK(WritePaid(result.file, LengthsPath(path, wish_)));
  EXPECT_THAT(MeasuredWords(path, "notes", false),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MOCK")));
  EXPECT_OK(MeasuredWords(path, "notes", /*is_mock=*/true));
}

TEST_F(WallLengthsTest, WhatDoesNotFitIsRefusedBeforeItIsAskedAndLeavesNoFile) {
  wish_.noise.epsilon = 3;  // of 2.44
  EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(quotes_, 0);
  EXPECT_EQ(NumFiles(), 0);
}

TEST_F(WallLengthsTest, AVectorHasNoWordsAndAPriceMustBeOne) {
  LocalWall vectors({.vectors = {std::vector<float>(6, 0.1F)}});
  EXPECT_THAT(Ask(vectors, *directory_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("vectors")));
  EXPECT_EQ(vectors.plans_reserved(), 0);
  wish_.noise.noise_multiplier = 2;
  EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon")));
  EXPECT_EQ(wall_.calls(), 0);
}

// A file that was cut, or written by somebody else, is never taken for one that is not there.
TEST_F(WallLengthsTest, ADamagedFileIsRefusedAndNotPaidForAgain) {
  ASSERT_OK_AND_ASSIGN(const auto result, Ask());
  const auto damaged = [&](auto change) {
    v1::LengthsFile file = result.file;
    change(file);
    EXPECT_OK(WritePaid(file, LengthsPath(directory_->path(), wish_)));
    return Ask().status();
  };
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topicwall plans"));
  EXPECT_THAT(damaged([](auto& file) { file.add_counts(1); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.set_counts(0, NAN); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.set_edges(0, 7); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.set_noise_standard_deviation(0); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.set_clip_norm(NAN); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.set_epsilon_taken(NAN); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.mutable_sum()->set_epsilon(NAN); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.set_format_version(2); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.mutable_plan()->clear_plan_id(); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.mutable_plan()->mutable_plan()->set_model("lda"); }),
              refused);
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

// Taken for documents, it would be told as what nobody promised.
TEST_F(WallLengthsTest, APrivacyUnitOfALaterVersionIsRefusedAsNewer) {
  ASSERT_OK_AND_ASSIGN(auto result, Ask());
  result.file.set_privacy_unit(static_cast<v1::PrivacyUnit>(9));
  ASSERT_OK(WritePaid(result.file, LengthsPath(directory_->path(), wish_)));
  const absl::Status refused = Ask().status();
  EXPECT_TRUE(proto::IsWrittenByNewer(refused)) << refused;
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

}  // namespace wall_lengths_test
}  // namespace topicwall::client
