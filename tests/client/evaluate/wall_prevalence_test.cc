#include "client/evaluate/wall_prevalence.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "client/audit/spend.h"
#include "client/evaluate/document_shares.h"
#include "client/evaluate/wall_evaluation.h"
#include "client/fit/fit.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/fit_outcome.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"
#include "tests/client/evaluate/paid_plan_frame.h"
#include "tests/client/local_wall.h"
#include "tests/client/small_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class WallPrevalenceTest : public PaidPlanFrame<PrevalenceQuote> {
 protected:
  // The planted topics themselves: a document's words are all of its own one.
  void SetUp() override {
    const size_t terms = wall_.terms().size();
    std::vector<float> topics(2 * terms, 0.01F);
    for (size_t v = 0; v < terms; ++v) topics[(v < terms / 2 ? 0 : terms) + v] = 100;
    model_ = SmallModel(wall_.terms(), topics, 0.1, 0.01);
    model_.set_corpus("notes");
    FinishModel();
  }

  absl::StatusOr<WallPrevalence> Ask() { return AskPrevalence(wall_, *directory_, wish_, Hooks()); }

  PrevalenceWish wish_ = {
      .corpus = "notes", .by = {"ward", "year"}, .noise = {.epsilon = 0.5}, .releases = 2};
};

// Counted by hand: which of the 60 documents (30 of each topic) have which values.
TEST_F(WallPrevalenceTest, GivesTheSumsOfTheDocumentsInTheirGroups) {
  ASSERT_OK_AND_ASSIGN(const auto result, Ask());
  ASSERT_OK_AND_ASSIGN(const auto sums, SumsOf(result.file, {"ward", "year"}));
  ASSERT_EQ(sums.num_groups(), 9);
  std::vector<double> expected(9 * 3, 0);
  for (size_t d = 0; d < wall_.documents().size(); ++d) {
    const std::vector<uint16_t> values = LocalWall::AttributesOf(d);
    const size_t group = 3u * values[1] + values[0];
    expected[group * 3 + (d < 30 ? 0 : 1)] += 1;
    expected[group * 3 + 2] += 1;
  }
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(sums.values[i], expected[i], 0.02) << i;
}

// Of a mixture, against what says the same of documents of one's own.
TEST_F(WallPrevalenceTest, OfAMixtureGivesHowLikelyComponentsAreInEachGroup) {
  model_.add_component_weights(0.9);
  model_.add_component_weights(0.1);
  // Some words of each, so that no document is wholly of one.
  const size_t terms = wall_.terms().size();
  std::vector<float> topics(2 * terms, 1);
  for (size_t v = 0; v < terms; ++v) topics[(v < terms / 2 ? 0 : terms) + v] = 1.2F;
  model_.set_topic_parameters(proto::FloatsToLittleEndian(topics));
  ASSERT_OK(directory_->Finish(model_));
  ASSERT_OK_AND_ASSIGN(const auto shares, SharesOfDocuments(model_, wall_.documents()));
  std::vector<double> expected(3 * 3, 0);
  for (size_t d = 0; d < wall_.documents().size(); ++d) {
    const size_t year = LocalWall::AttributesOf(d)[0];
    for (size_t k = 0; k < 2; ++k) expected[year * 3 + k] += shares[2 * d + k];
    expected[year * 3 + 2] += 1;
  }
  EXPECT_GT(expected[0], 1);
  EXPECT_GT(expected[1], 1);
  wish_.by = {"year"};
  ASSERT_OK_AND_ASSIGN(const auto result, Ask());
  ASSERT_OK_AND_ASSIGN(const auto sums, SumsOf(result.file, {"year"}));
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(sums.values[i], expected[i], 1e-3) << i;
}

TEST_F(WallPrevalenceTest, StoppedBetweenTwoReleasesItGoesOnAndPaysNothingTwice) {
  wish_.releases = 4;
  PrevalenceHooks hooks = Hooks();
  hooks.should_stop = [this] { return progress_.back() == 2; };
  EXPECT_THAT(
      AskPrevalence(wall_, *directory_, wish_, hooks),
      StatusIs(absl::StatusCode::kCancelled, HasSubstr("2 of 4 releases are paid and kept")));
  EXPECT_EQ(wall_.releases_paid(), 2);
  ASSERT_OK(Ask());
  EXPECT_EQ(wall_.releases_paid(), 4);
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

// Of which every plan of a fit is cancelled, once it says so.
class CancellingWall : public LocalWall {
 public:
  bool cancels = false;
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view plan_id) override {
    absl::StatusOr<v1::PlanState> plan = LocalWall::GetPlan(plan_id);
    if (plan.ok() && cancels) plan->set_state(v1::PlanState::CANCELLED);
    return plan;
  }
};

// Its releases are paid, and it has the last of them. Those of a fit that can go on are not all.
TEST(CancelledFitTest, IsAskedAboutAndOneThatCanGoOnIsNot) {
  CancellingWall wall;
  testing::TemporaryDirectory folder;
  ASSERT_OK_AND_ASSIGN(const auto directory, ModelDirectory::Open(folder.path() + "/m"));
  FitSpec spec;
  spec.corpus = "notes";
  spec.algorithm = kPaper;
  spec.sampling_rate = 1;
  spec.num_topics = 2;
  spec.iterations = 4;
  spec.epsilon = 0.5;
  spec.held_out_share = 0.2;
  ASSERT_THAT(Fit(wall, *directory, spec,
                  {.agree = [](const FitQuote&) { return absl::OkStatus(); },
                   .on_progress = {},
                   .should_stop = [&wall] { return wall.releases_paid() == 2; }}),
              StatusIs(absl::StatusCode::kCancelled));
  const auto prevalence = [&] {
    return AskPrevalence(wall, *directory, {.corpus = "notes", .by = {}, .noise = {.epsilon = 0.3}},
                         {.agree = [](const auto&) { return absl::OkStatus(); }});
  };
  const auto evaluation = [&] {
    return EvaluateBehindTheWall(
        wall, *directory,
        {.corpus = "notes", .held_out_share = 0.2, .releases = 1, .noise = {.epsilon = 0.3}},
        {.agree = [](const auto&) { return absl::OkStatus(); }});
  };
  for (const absl::Status& asked : {prevalence().status(), evaluation().status()}) {
    EXPECT_THAT(asked, StatusIs(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("whose plan is not cancelled")));
  }
  wall.cancels = true;
  ASSERT_OK_AND_ASSIGN(const auto shares, prevalence());
  ASSERT_OK_AND_ASSIGN(const auto score, evaluation());
  ASSERT_OK_AND_ASSIGN(const auto model, ReadModelSoFar(directory->path()));
  EXPECT_EQ(shares.file.topics_sha256(), TopicsSha256(model));
  EXPECT_EQ(score.file.topics_sha256(), TopicsSha256(model));
  EXPECT_TRUE(prevalence()->was_finished);
  EXPECT_TRUE(evaluation()->was_finished);
}

TEST_F(WallPrevalenceTest, FewerAttributesAreHadOfWhatWasPaidFor) {
  ASSERT_OK(Ask());
  PrevalenceWish coarser = wish_;
  coarser.by = {"year"};
  ASSERT_OK_AND_ASSIGN(const auto paid, FindPaid(directory_->path(), coarser, model_));
  ASSERT_TRUE(paid.has_value());
  ASSERT_OK_AND_ASSIGN(const auto sums, SumsOf(*paid, {"year"}));
  EXPECT_THAT(sums.cells, ElementsAre(3, 3, 3));
  for (int64_t year = 0; year < 3; ++year) EXPECT_NEAR(sums.Row(year)[2], 20, 0.02);
  coarser.by = {};
  EXPECT_EQ(SumsOf(**FindPaid(directory_->path(), coarser, model_), {})->num_groups(), 1);
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

// By hand, of two releases: (3/¼)²/2 = 72, of the count over its weight of a quarter (12/¼)²/2, and
// of who was drawn (1 − ¼)/¼·7/2.
TEST_F(WallPrevalenceTest, SumsHaveTheNoiseOfThePlanAndOfWhoWasDrawn) {
  ASSERT_OK_AND_ASSIGN(auto result, Ask());
  v1::PrevalenceFile& file = result.file;
  file.set_noise_standard_deviation(3);
  file.set_documents_per_unit(7);
  file.mutable_plan()->mutable_plan()->set_sampling_rate(0.25);
  ASSERT_OK_AND_ASSIGN(const auto sums, SumsOf(file, {"year"}));
  EXPECT_THAT(sums.variances, ElementsAre(72, 72, 1152));
  EXPECT_DOUBLE_EQ(sums.sampling, 10.5);
}

// Whoever asks something else is never answered from what was paid for another question.
TEST_F(WallPrevalenceTest, EveryPartOfAQuestionNamesItsFile) {
  std::set<std::string> paths = {PrevalencePath("", wish_, model_)};
  for (const auto& change : std::vector<void (*)(PrevalenceWish&)>{
           [](auto& wish) { wish.corpus = "letters"; }, [](auto& wish) { wish.by = {"year"}; },
           [](auto& wish) {
             wish.by = {"year", "ward"};
           },
           [](auto& wish) { wish.noise.epsilon = 0.6; },
           [](auto& wish) { wish.noise = {.noise_multiplier = 0.5}; },
           [](auto& wish) { wish.noise = {.spend = *ParseSpend("0.5")}; },
           [](auto& wish) { wish.noise = {.spend = *ParseSpend("50%")}; },
           [](auto& wish) { wish.releases = 3; }, [](auto& wish) { wish.sampling_rate = 0.5; },
           [](auto& wish) { wish.typical_documents = 2; },
           [](auto& wish) { wish.max_words = 100; }}) {
    PrevalenceWish other = wish_;
    change(other);
    EXPECT_TRUE(paths.insert(PrevalencePath("", other, model_)).second) << paths.size();
  }
  model_.set_document_topic_prior(0, 0.4);
  EXPECT_TRUE(paths.insert(PrevalencePath("", wish_, model_)).second);
}

TEST_F(WallPrevalenceTest, OfSeveralThatWerePaidTheLeastNoisyAnswers) {
  ASSERT_OK(Ask());
  wish_.by = {"year"};
  wish_.noise.epsilon = 0.6;
  ASSERT_OK_AND_ASSIGN(const auto best, Ask());
  wish_.noise.epsilon = 0.1;
  ASSERT_OK(Ask());
  EXPECT_EQ(NumFiles(), 3);
  ASSERT_OK_AND_ASSIGN(const auto found, FindPaid(directory_->path(), wish_, model_));
  EXPECT_EQ(found->plan().plan_id(), best.file.plan().plan_id());
  // Other topics are other numbers.
  model_.set_document_topic_prior(0, 0.4);
  EXPECT_FALSE(FindPaid(directory_->path(), wish_, model_)->has_value());
  wish_.by = {"hospital"};
  EXPECT_FALSE(FindPaid(directory_->path(), wish_, model_)->has_value());
}

// Two periods of two wards: a quarter of the documents each.
TEST_F(WallPrevalenceTest, DocumentsAreExpectedInGroupsThatAreNamedAndNoneInOther) {
  ASSERT_OK(Ask());
  quote_.description.set_nominal_size(400000);
  const auto of_groups = ExpectedError(quote_);
  quote_.attributes.clear();
  quote_.description.set_nominal_size(100000);
  const auto of_a_quarter = ExpectedError(quote_);
  ASSERT_TRUE(of_groups.has_value() && of_a_quarter.has_value());
  EXPECT_GT(*of_groups, 0);
  EXPECT_TRUE(std::isfinite(*of_groups));
  EXPECT_EQ(*of_groups, *of_a_quarter);
  quote_.description.set_nominal_size(0);
  EXPECT_FALSE(ExpectedError(quote_).has_value());
}

// Two hundred owners of twenty documents have twenty times the noise of two hundred documents, and
// twenty times what it is in: what is left of it is the same, and a sample of owners makes it more.
TEST_F(WallPrevalenceTest, OfOwnersAllTheirDocumentsAreExpectedInTheGroups) {
  wish_.noise = {.noise_multiplier = 2};
  wish_.releases = 1;
  wall_.description().set_nominal_size(200);
  const auto quote_error = [this]() -> double {
    const absl::StatusOr<PrevalenceQuote> quote = QuotePrevalence(wall_, wish_, model_);
    EXPECT_OK(quote);
    return ExpectedError(*quote).value_or(-1);
  };
  const double of_documents = quote_error();
  EXPECT_GT(of_documents, 0);
  wall_.description().set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  wall_.description().mutable_limits()->set_max_documents_per_unit(20);
  wish_.typical_documents = 20;
  EXPECT_NEAR(quote_error(), of_documents, 1e-12);
  EXPECT_THAT(AssumptionOf(*QuotePrevalence(wall_, wish_, model_)),
              HasSubstr("and owners have 20 documents each"));
  wish_.sampling_rate = 0.9;
  const double sampled = quote_error();
  wall_.description().mutable_limits()->set_max_documents_per_unit(200);
  EXPECT_GT(quote_error(), sampled);
}

TEST_F(WallPrevalenceTest, ADocumentIsNeverCutAndItsCountWeighsAQuarter) {
  ASSERT_OK(Ask());
  EXPECT_NEAR(quote_.clip_norm, std::sqrt(1 + 1.0 / 16), 1e-12);
  EXPECT_EQ(quote_.plan.weights(), proto::FloatsToLittleEndian({1.0F, 1.0F, 0.25F}));
  EXPECT_THAT(PrevalenceOf(quote_.plan).attributes(), ElementsAre(0, 1));
  EXPECT_LE(quote_.price.epsilon_alone(), 0.5);
  EXPECT_GT(quote_.price.epsilon_alone(), 0.499);
}

TEST_F(WallPrevalenceTest, OfOwnersItMustBeSaidHowManyDocumentsCount) {
  wall_.description().set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  wall_.description().mutable_limits()->set_max_documents_per_unit(7);
  EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("typical-documents")));
  EXPECT_EQ(wall_.plans_reserved(), 0);
  wish_.typical_documents = 4;
  ASSERT_OK_AND_ASSIGN(const auto result, Ask());
  EXPECT_NEAR(quote_.clip_norm, 4 * std::sqrt(1 + 1.0 / 16), 1e-12);
  EXPECT_EQ(result.file.documents_per_unit(), 7);
}

// C, and the noise with it, would be of documents that are never there.
TEST_F(WallPrevalenceTest, NoNoiseIsBoughtOfDocumentsThatDoNotCount) {
  wall_.description().set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  wall_.description().mutable_limits()->set_max_documents_per_unit(7);
  wish_.typical_documents = 1e6;
  ASSERT_OK(Ask());
  EXPECT_EQ(quote_.typical_documents, 7);
  EXPECT_NEAR(quote_.clip_norm, 7 * std::sqrt(1 + 1.0 / 16), 1e-12);
  EXPECT_THAT(AssumptionOf(quote_), HasSubstr("owners have 7 documents each"));
  // By its name, and by what it answers.
  ASSERT_OK_AND_ASSIGN(const auto again, Ask());
  EXPECT_TRUE(again.was_finished);
  ASSERT_OK_AND_ASSIGN(const auto found, FindPaid(directory_->path(), wish_, model_));
  EXPECT_TRUE(found.has_value());
}

TEST_F(WallPrevalenceTest, ThePlanIsPricedShownAndAgreedToBeforeAnythingIsReserved) {
  answer_ = absl::CancelledError("no");
  EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(wall_.plans_reserved(), 0);
  EXPECT_EQ(NumFiles(), 0);
}

TEST_F(WallPrevalenceTest, TheSameCommandAgainIsAnsweredFromItsFileAndPaysNothing) {
  ExpectTheSameAgainForNothing([this] { return Ask(); });
}

TEST_F(WallPrevalenceTest, AMocksAnswerIsToldByAMockAlone) {
  ExpectThatAMockAloneTellsAMocks([this] { return Ask(); });
}

TEST_F(WallPrevalenceTest, InterruptedAnywhereItIsPaidOnceAndEndsTheSame) {
  ExpectPaidOnceWhereverItIsCut(
      [this](WallPort& wall, ModelDirectory& directory) -> absl::StatusOr<std::vector<double>> {
        const auto result = AskPrevalence(wall, directory, wish_, Hooks());
        if (!result.ok()) return result.status();
        return SumsOf(result->file, {"year"})->values;
      });
}

TEST_F(WallPrevalenceTest, WhatDoesNotFitIsRefusedBeforeItIsAskedAndLeavesNoFile) {
  wish_.noise.epsilon = 3;  // of 2.44
  EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(quotes_, 0);
  EXPECT_EQ(NumFiles(), 0);
}

TEST_F(WallPrevalenceTest, WhatTheCorpusHasNotIsRefusedWithWhatItHas) {
  for (const std::vector<std::string>& by :
       {std::vector<std::string>{"month"}, {"year", "year"}, {"year", "ward", "month"}}) {
    wish_.by = by;
    EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("year, ward")));
  }
  EXPECT_EQ(wall_.plans_reserved(), 0);
  wish_.by = {"year"};
  ASSERT_OK_AND_ASSIGN(const auto result, Ask());
  EXPECT_THAT(SumsOf(result.file, {"ward"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ward")));
}

TEST_F(WallPrevalenceTest, WhatIsOutOfItsRangeIsNamed) {
  const auto with = [this](auto change) {
    const PrevalenceWish before = wish_;
    change(wish_);
    const absl::Status status = Ask().status();
    wish_ = before;
    return status;
  };
  const auto names = [](const char* name) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(name));
  };
  EXPECT_THAT(with([](auto& wish) { wish.noise.noise_multiplier = 2; }), names("epsilon"));
  EXPECT_THAT(with([](auto& wish) { wish.noise = {}; }), names("epsilon"));
  EXPECT_THAT(with([](auto& wish) { wish.releases = 0; }), names("releases"));
  EXPECT_THAT(with([](auto& wish) { wish.max_words = 0; }), names("max-words"));
  EXPECT_THAT(with([](auto& wish) { wish.sampling_rate = 0; }), names("sampling-rate"));
  EXPECT_THAT(with([](auto& wish) { wish.sampling_rate = NAN; }), names("sampling-rate"));
  EXPECT_THAT(with([](auto& wish) { wish.typical_documents = 0.5; }), names("typical-documents"));
  EXPECT_EQ(wall_.calls(), 0);
  EXPECT_THAT(with([](auto& wish) { wish.typical_documents = 3; }), names("typical-documents"));
}

// Begun with two periods, gone on with when there are three: the numbers would be of other groups.
TEST_F(WallPrevalenceTest, AWallThatChangesItsAttributesIsNotGoneOnWith) {
  wall_.FailAfter(5, absl::UnavailableError("cut"));  // the first release's description
  EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kUnavailable));
  wall_.ForgetFailures();
  wall_.description().mutable_attributes(0)->add_values("2026-01-01");
  EXPECT_THAT(Ask(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("attributes")));
  EXPECT_EQ(wall_.releases_paid(), 0);
}

// A file that was cut, or written by somebody else, is never taken for one that is not there.
TEST_F(WallPrevalenceTest, ADamagedFileIsRefusedAndNotPaidForAgain) {
  ASSERT_OK_AND_ASSIGN(const auto result, Ask());
  const std::string path = PrevalencePath(directory_->path(), wish_, model_);
  const auto damaged = [&](auto change) {
    v1::PrevalenceFile file = result.file;
    change(file);
    EXPECT_OK(WritePaid(file, path));
    return Ask().status();
  };
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topicwall plans"));
  EXPECT_THAT(damaged([](auto& file) { file.mutable_releases(0)->pop_back(); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.mutable_releases(1)->append(12, '\0'); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.mutable_attributes(0)->add_values("1999-01-01"); }),
              refused);
  EXPECT_THAT(damaged([](auto& file) { file.mutable_attributes()->RemoveLast(); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.set_clip_norm(NAN); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.set_format_version(2); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.mutable_plan()->clear_plan_id(); }), refused);
  EXPECT_THAT(damaged([](auto& file) { file.add_releases(file.releases(0)); }), refused);
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

}  // namespace
}  // namespace topicwall::client
