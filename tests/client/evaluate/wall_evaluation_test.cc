#include "client/evaluate/wall_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "client/audit/spend.h"
#include "client/evaluate/evaluator.h"
#include "client/fit/fit_spec.h"
#include "client/fit/model_file.h"
#include "client/wall/topics_asked.h"
#include "model/data/tokenizer.h"
#include "model/gaussian/fitted_gaussians.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/initial_topics.h"
#include "proto/matrix_codec.h"
#include "tests/client/evaluate/paid_plan_frame.h"
#include "tests/client/local_wall.h"
#include "tests/client/small_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class EvaluationFrame : public PaidPlanFrame<EvaluationQuote> {
 protected:
  using PaidPlanFrame::PaidPlanFrame;

  absl::StatusOr<WallEvaluation> Evaluate() {
    return EvaluateBehindTheWall(wall_, *directory_, wish_, Hooks());
  }

  EvaluationWish wish_ = {.corpus = "notes",
                          .held_out_share = 0.2,
                          .releases = 2,
                          .words_per_unit = 10,
                          .noise = {.epsilon = 0.5},
                          .max_words = std::nullopt};
};

class WallEvaluationTest : public EvaluationFrame {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const auto topics,
                         lda::RandomTopics(3, static_cast<int>(wall_.terms().size()), /*seed=*/3));
    model_ = SmallModel(wall_.terms(), topics, 0.1, 0.3);
    model_.set_corpus("notes");
    model_.set_corpus_version(wall_.description().corpus_version());
    model_.set_held_out_share(0.2);
    FinishModel();
  }
};

// The same documents, scored by the code for documents of one's own.
TEST_F(WallEvaluationTest, GivesThePerplexityOfTheHeldOutUnits) {
  lda::DocumentList held_out;
  for (size_t d = 0; d < wall_.documents().size(); ++d) {
    if (LocalWall::IsHeldOut(d, 0.2)) held_out.Append(wall_.documents()[d]);
  }
  ASSERT_OK_AND_ASSIGN(const auto model, ModelOf(model_));
  ASSERT_OK_AND_ASSIGN(const auto expected,
                       lda::DocumentCompletionPerplexity(
                           model, lda::SplitTokens(held_out, LocalWall::kSplitSeed), {}));
  wish_.noise.epsilon.reset();
  wish_.noise.noise_multiplier = 0.5;  // of a local wall, which adds none
  wish_.releases = 1;
  wall_.UsePolicy(*accountant::AdmissionPolicy::Create(
      *accountant::BudgetFilter::DefaultSpec({.epsilon = 1000, .delta = 1e-6})));
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate());
  const PerplexityEstimate estimate = EstimateOf(result.file);
  EXPECT_EQ(estimate.words, static_cast<double>(expected.tokens));
  ASSERT_TRUE(estimate.perplexity.has_value());
  EXPECT_NEAR(*estimate.perplexity, expected.perplexity, 1e-5 * expected.perplexity);
  EXPECT_FALSE(result.was_trained_on);
}

// A mixture, too: each document under what its components make of it.
TEST_F(WallEvaluationTest, GivesThePerplexityOfAMixtureOnTheHeldOutUnits) {
  for (const double weight : {0.6, 0.1, 0.3}) model_.add_component_weights(weight);
  // A word that one component lacks: no likelier there than on documents of one's own.
  auto parameters = *proto::FloatsFromLittleEndian(model_.topic_parameters());
  parameters[0] = 1e-30F;
  model_.set_topic_parameters(proto::FloatsToLittleEndian(parameters));
  ASSERT_OK(directory_->Finish(model_));
  lda::DocumentList held_out;
  for (size_t d = 0; d < wall_.documents().size(); ++d) {
    if (LocalWall::IsHeldOut(d, 0.2)) held_out.Append(wall_.documents()[d]);
  }
  ASSERT_OK_AND_ASSIGN(const auto expected,
                       EvaluateMixture(*ModelOf(model_), model_.component_weights(), held_out,
                                       {.seed = LocalWall::kSplitSeed}));
  wish_.releases = 1;
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate());
  const PerplexityEstimate estimate = EstimateOf(result.file);
  EXPECT_EQ(estimate.words, static_cast<double>(expected.completion.tokens));
  // The noise that the wall would add is told, and left out of the number.
  const double nats = result.file.negative_log_likelihoods(0) / result.file.words(0);
  EXPECT_NEAR(std::exp(nats), expected.completion.perplexity,
              1e-5 * expected.completion.perplexity);
  EXPECT_EQ(NumTopics(quote_.plan), 3);
  // How common components are is part of what was asked.
  v1::ModelFile other = model_;
  other.set_component_weights(0, 0.5);
  EXPECT_NE(EvaluationPath("d", wish_, other), EvaluationPath("d", wish_, model_));
}

TEST_F(WallEvaluationTest, ThePlanIsPricedShownAndAgreedToBeforeAnythingIsReserved) {
  answer_ = absl::CancelledError("no");
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(wall_.plans_reserved(), 0);
  EXPECT_EQ(NumFiles(), 0);
  EXPECT_LE(quote_.price.epsilon_alone(), 0.5);
  EXPECT_GT(quote_.price.epsilon_alone(), 0.499);
  EXPECT_EQ(quote_.plan.iterations(), 2);
  EXPECT_EQ(quote_.plan.held_out_share(), 0.2);
  EXPECT_EQ(testing::OptionsOf(quote_.plan).num_topics(), 3);
}

TEST_F(WallEvaluationTest, ThePlanKeepsToTheWallsLimits) {
  v1::Limits& limits = *wall_.description().mutable_limits();
  limits.set_max_model_iterations(7);
  limits.set_max_tokens(300);
  limits.set_min_noise_multiplier(200);
  wish_.noise = {.spend = *ParseSpend("all")};
  answer_ = absl::CancelledError("no");
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(testing::OptionsOf(quote_.plan).max_iterations(), 7);
  EXPECT_EQ(quote_.plan.max_tokens(), 300);
  EXPECT_EQ(quote_.plan.gaussian().noise_multiplier(), 200);
  EXPECT_THAT(quote_.less, HasSubstr("the wall answers nothing")) << "why it is less than all";
  wish_.max_words = 20;
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(quote_.plan.max_tokens(), 20);
}

// Typical: norm 1, as much of nats as of words. The entropy is the marginal's.
TEST_F(WallEvaluationTest, ATypicalUnitHasTheClipNorm) {
  ASSERT_OK(Evaluate());
  ASSERT_OK_AND_ASSIGN(const auto weights, proto::FloatsFromLittleEndian(quote_.plan.weights()));
  ASSERT_OK_AND_ASSIGN(const auto model, ModelOf(model_));
  double entropy = 0;
  for (const double p : lda::MarginalTermProbabilities(model)) entropy -= p * std::log(p);
  const double scored = 5;  // of 10
  EXPECT_NEAR(std::hypot(scored * entropy * double{weights[0]}, scored * double{weights[1]}), 1,
              1e-6);
  EXPECT_NEAR(entropy * double{weights[0]}, double{weights[1]}, 1e-6);
}

// The stated size, in typical units, makes the error that will be told: to first order where a word
// costs what the entropy says.
TEST_F(WallEvaluationTest, TheErrorIsKnownBeforeAnythingIsPaid) {
  wall_.description().set_nominal_size(6000);
  answer_ = absl::CancelledError("no");
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kCancelled));
  const auto expected = ExpectedError(quote_);
  ASSERT_TRUE(expected.has_value());
  ASSERT_OK_AND_ASSIGN(const auto weights, proto::FloatsFromLittleEndian(quote_.plan.weights()));
  const double entropy = double{weights[1]} / double{weights[0]};
  const double words = 6000 * 0.2 * 5;  // half of 10 each
  v1::EvaluationFile file;
  *file.mutable_plan()->mutable_plan() = quote_.plan;
  file.set_noise_standard_deviation(quote_.plan.gaussian().noise_multiplier());
  for (int release = 0; release < 2; ++release) {
    file.add_words(words);
    file.add_negative_log_likelihoods(words * entropy);
  }
  const PerplexityEstimate estimate = EstimateOf(file);
  ASSERT_TRUE(estimate.perplexity.has_value());
  EXPECT_NEAR(*expected, estimate.standard_error / *estimate.perplexity, 1e-5 * *expected);
  wall_.description().clear_nominal_size();
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_FALSE(ExpectedError(quote_).has_value());
}

// What a typical unit has of the norm, and the error that follows, is the same of every number of
// words that may be assumed; weights below 2^-20 no wall takes.
TEST_F(WallEvaluationTest, OfTheLongestUnitsThatMayBeAssumedItIsAsked) {
  wall_.description().mutable_limits()->set_max_tokens(1'000'000);
  wall_.description().set_nominal_size(6000);
  ASSERT_OK(Evaluate());
  const double of_ten = *ExpectedError(quote_);
  EXPECT_EQ(quote_.clip_norm, 1);
  wish_.words_per_unit = 1e6;
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate());
  ASSERT_OK_AND_ASSIGN(const auto weights, proto::FloatsFromLittleEndian(quote_.plan.weights()));
  for (const float weight : weights) EXPECT_GE(weight, 0x1p-20F);
  EXPECT_EQ(quote_.clip_norm, result.file.clip_norm());
  EXPECT_NEAR(double{weights[1]}, quote_.clip_norm * std::sqrt(2) / 1e6, 1e-12);
  EXPECT_NEAR(*ExpectedError(quote_), of_ten, 1e-5 * of_ten);
}

TEST_F(WallEvaluationTest, TheSameCommandAgainIsAnsweredFromItsFileAndPaysNothing) {
  ExpectTheSameAgainForNothing([this] { return Evaluate(); });
}

TEST_F(WallEvaluationTest, AMocksAnswerIsToldByAMockAlone) {
  ExpectThatAMockAloneTellsAMocks([this] { return Evaluate(); });
}

// A report shows it beside these topics alone, and compares it under one assumption alone.
TEST_F(WallEvaluationTest, AnEvaluationRemembersItsTopicsAndWhatItAssumed) {
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate());
  EXPECT_EQ(result.file.topics_sha256(), TopicsSha256(model_));
  EXPECT_EQ(result.file.words_per_unit(), 10);
}

TEST_F(WallEvaluationTest, AnEvaluationRemembersTheSumOfBudgetsItWasMadeUnder) {
  v1::BudgetSum& sum = *wall_.description().mutable_sum();
  sum.add_budgets()->set_budget_id("other");
  sum.set_epsilon(7.5);
  ASSERT_OK_AND_ASSIGN(const auto first, Evaluate());
  EXPECT_EQ(first.file.sum().epsilon(), 7.5);
  ASSERT_OK_AND_ASSIGN(const auto again, Evaluate());
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(again.file.sum().epsilon(), 7.5);
}

TEST_F(WallEvaluationTest, AnotherCommandOrModelIsAnotherEvaluation) {
  ASSERT_OK(Evaluate());
  wish_.held_out_share = 0.1;
  ASSERT_OK(Evaluate());
  EXPECT_EQ(wall_.plans_reserved(), 2);
  EXPECT_EQ(NumFiles(), 2);
  EvaluationWish shorter = wish_;
  shorter.max_words = 20;
  EXPECT_NE(EvaluationPath("d", wish_, model_), EvaluationPath("d", shorter, model_));
  model_.set_document_topic_prior(0, 0.4);
  EXPECT_NE(EvaluationPath("d", wish_, model_),
            EvaluationPath("d", wish_, *directory_->FinishedModel().value()));
}

// What the fit's quote took for granted is what its evaluations take, unless they say otherwise.
TEST_F(WallEvaluationTest, WordsOfAUnitAreThoseThatTheFitAssumed) {
  wish_.words_per_unit.reset();
  model_.mutable_spec()->set_words_per_unit(17);
  ASSERT_OK_AND_ASSIGN(const auto quote, QuoteEvaluation(wall_, wish_, model_));
  EXPECT_EQ(quote.words_per_unit, 17);
  // Weight of a word: a unit of 17, half of them scored, has norm 1 with its nats.
  const auto weights = proto::FloatsFromLittleEndian(quote.plan.weights());
  EXPECT_NEAR((*weights)[1], std::sqrt(2.0) / 17, 1e-6);
  const std::string path = EvaluationPath("d", wish_, model_);
  wish_.words_per_unit = 17;
  EXPECT_EQ(EvaluationPath("d", wish_, model_), path);
  wish_.words_per_unit = 18;
  EXPECT_NE(EvaluationPath("d", wish_, model_), path);
  wish_.words_per_unit.reset();
  model_.clear_spec();  // of a fit without a wall
  EXPECT_EQ(QuoteEvaluation(wall_, wish_, model_)->words_per_unit, kWordsPerUnit);
}

// Noise is of units of as many words as are assumed: of more than count it is for nothing.
TEST_F(WallEvaluationTest, NoNoiseIsBoughtOfWordsThatDoNotCount) {
  v1::CorpusDescription& corpus = wall_.description();
  corpus.mutable_limits()->set_max_tokens(8);
  wish_.words_per_unit.reset();
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate());
  EXPECT_EQ(quote_.words_per_unit, 8) << "of the usual 40";
  EXPECT_EQ(result.file.words_per_unit(), 8);
  EXPECT_EQ(result.file.plan().plan().weights(), quote_.plan.weights());
  const auto weight = [this] {
    const auto quote = QuoteEvaluation(wall_, wish_, model_);
    EXPECT_OK(quote);
    return double{(*proto::FloatsFromLittleEndian(quote->plan.weights()))[1]};
  };
  EXPECT_NEAR(weight(), std::sqrt(2) / 8, 1e-6);
  wish_.words_per_unit = 6;
  EXPECT_NEAR(weight(), std::sqrt(2) / 6, 1e-6);
  wish_.max_words = 2;
  EXPECT_NEAR(weight(), std::sqrt(2) / 2, 1e-6);
  corpus.set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  corpus.mutable_limits()->set_max_documents_per_unit(2);
  EXPECT_NEAR(weight(), std::sqrt(2) / 4, 1e-6);
}

// What it is called is what was asked for: a wall of other limits makes no other evaluation of it.
TEST_F(WallEvaluationTest, AnEvaluationIsFoundAgainWhenFewerWordsCountThanWhenItWasPaid) {
  wish_.words_per_unit.reset();
  ASSERT_OK_AND_ASSIGN(const auto first, Evaluate());
  wall_.description().mutable_limits()->set_max_tokens(8);
  ASSERT_OK_AND_ASSIGN(const auto again, Evaluate());
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(again.file.words_per_unit(), 40);
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

TEST_F(WallEvaluationTest, InterruptedAnywhereItIsPaidOnceAndEndsTheSame) {
  ExpectPaidOnceWhereverItIsCut(
      [this](WallPort& wall, ModelDirectory& directory) -> absl::StatusOr<std::vector<double>> {
        const auto result = EvaluateBehindTheWall(wall, directory, wish_, Hooks());
        if (!result.ok()) return result.status();
        const auto& nats = result->file.negative_log_likelihoods();
        return std::vector<double>(nats.begin(), nats.end());
      });
}

// Only the iteration that an earlier run asked for may have been charged for other bits.
TEST_F(WallEvaluationTest, AnIterationThatNobodyHereAskedForIsAnError) {
  wall_.FailBefore(5, absl::AlreadyExistsError("charged for another request"));
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kAlreadyExists));
  wall_.ForgetFailures();
  wall_.FailBefore(wall_.calls() + 2, absl::AlreadyExistsError("charged for another request"));
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(wall_.releases_paid(), 1) << "describe, the first release; the second is the error's";
}

TEST_F(WallEvaluationTest, AnErrorIsNotExplainedByAnotherIterationThatWasVoided) {
  wall_.on_release = [this](Release&) { wall_.voided = 1; };
  wall_.FailBefore(6, absl::PermissionDeniedError("no longer listed"));  // the second release
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_EQ(wall_.releases_paid(), 1);
}

// A restore gives back nothing of what was reserved before it, and the plan does not tell it.
TEST_F(WallEvaluationTest, OfAnIterationThatWasVoidedItIsNotPromisedThatTheRestComesBack) {
  wall_.voided = 1;
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                   ::testing::AllOf(HasSubstr("will never have a release"),
                                                    HasSubstr("but nothing after a restore"))));
}

// What is reserved is not gone on with in a state of which nobody here can say what it means.
TEST_F(WallEvaluationTest, NothingIsChargedToACorpusInAStateThatIsNotKnown) {
  const auto refused = StatusIs(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("the state of notes says more than this program knows"));
  const v1::CorpusState open = wall_.description().state();
  wall_.description().set_state(static_cast<v1::CorpusState>(5));
  EXPECT_THAT(Evaluate(), refused);
  EXPECT_EQ(wall_.plans_reserved(), 0);
  wall_.description().set_state(open);
  wall_.FailBefore(wall_.calls() + 5, absl::UnavailableError("cut"));  // the first release
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kUnavailable));
  wall_.ForgetFailures();
  ASSERT_EQ(wall_.plans_reserved(), 1);
  wall_.description().set_state(static_cast<v1::CorpusState>(5));
  EXPECT_THAT(Evaluate(), refused);
  EXPECT_EQ(wall_.releases_paid(), 0);
}

TEST_F(WallEvaluationTest, TheRequestIdIsDurableBeforeTheWallHearsOfIt) {
  wall_.FailBefore(4, absl::UnavailableError("cut"));  // describe, budget, ledger, price
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kUnavailable));
  ASSERT_OK_AND_ASSIGN(const auto file,
                       ReadEvaluation(EvaluationPath(directory_->path(), wish_, model_)));
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->plan().request_id().size(), 16u);
  EXPECT_EQ(file->plan().plan_id(), "");
}

TEST_F(WallEvaluationTest, OfAFolderThatIsMovedMeanwhileNothingIsKeptUnderItsOldName) {
  const std::string path = directory_->path(), kept = folder_.path() + "/kept";
  EvaluationHooks hooks = Hooks();
  hooks.on_progress = [&](const v1::FitPlan&, int) {
    if (std::filesystem::exists(kept)) return;
    std::filesystem::rename(path, kept);
    std::filesystem::create_directory(path);
  };
  EXPECT_THAT(EvaluateBehindTheWall(wall_, *directory_, wish_, hooks),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("was moved")));
  EXPECT_TRUE(std::filesystem::is_empty(path));
  std::filesystem::remove(path);
  std::filesystem::rename(kept, path);
  ASSERT_OK(Evaluate());
  EXPECT_EQ(wall_.plans_reserved(), 1);
  EXPECT_EQ(wall_.releases_paid(), 2);
}

TEST_F(WallEvaluationTest, WhatDoesNotFitIsRefusedBeforeItIsAskedAndLeavesNoFile) {
  wish_.noise.epsilon = 3;  // of 2.44
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(quotes_, 0);
  EXPECT_EQ(NumFiles(), 0);
}

TEST_F(WallEvaluationTest, ARefusedReservationLeavesNoFile) {
  wall_.FailBefore(4, absl::InvalidArgumentError("held_out_share"));
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(NumFiles(), 0);
}

TEST_F(WallEvaluationTest, AFileWhoseReservationWasSentBeforeStaysWhateverTheWallThinksOfItNow) {
  wall_.FailAfter(4, absl::UnavailableError("cut"));
  ASSERT_FALSE(Evaluate().ok());
  wall_.FailBefore(wall_.calls() + 1, absl::InvalidArgumentError("max_tokens"));
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(NumFiles(), 1);
  ASSERT_OK(Evaluate());
  EXPECT_EQ(wall_.plans_reserved(), 1);
}

TEST_F(WallEvaluationTest, AModelThatSawTheUnitsIsSaidToHave) {
  wish_.held_out_share = 0.3;  // 0.2 was left out
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate());
  EXPECT_TRUE(result.was_trained_on);
  EXPECT_TRUE(quote_.was_trained_on) << "before it is paid for";
}

// Where units are named otherwise, others are held out: by place, in each version its own, or by
// document and by owner.
TEST_F(WallEvaluationTest, AVersionThatHoldsOthersOutHasUnitsThatTheModelSaw) {
  const auto is_seen = [this](const v1::UnitNaming& of_fit, const v1::UnitNaming& now) {
    *model_.mutable_unit_naming() = of_fit;
    wall_.description().set_privacy_unit(now.privacy_unit());
    wall_.description().set_unjoinable(now.unjoinable());
    const auto quote = QuoteEvaluation(wall_, wish_, model_);
    EXPECT_OK(quote);
    return quote.ok() && quote->was_trained_on;
  };
  v1::UnitNaming documents, owners, places;
  documents.set_privacy_unit(v1::PRIVACY_UNIT_DOCUMENT);
  owners.set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  places = documents;
  places.set_unjoinable(true);
  EXPECT_FALSE(is_seen(places, places)) << "the very version";
  wall_.description().set_corpus_version(std::string(16, 'w'));
  EXPECT_FALSE(is_seen(documents, documents));
  EXPECT_TRUE(is_seen(places, places));
  EXPECT_TRUE(is_seen(places, documents));
  EXPECT_TRUE(is_seen(documents, places));
  EXPECT_TRUE(is_seen(documents, owners));
  EXPECT_TRUE(is_seen({}, documents)) << "of a file that does not say";
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate());
  EXPECT_TRUE(result.was_trained_on);
  ASSERT_OK_AND_ASSIGN(const auto again, Evaluate());
  EXPECT_TRUE(again.was_finished && again.was_trained_on);
}

TEST_F(WallEvaluationTest, AModelOfOtherWordsIsRefused) {
  model_.set_terms(0, "other");
  ASSERT_OK(directory_->Finish(model_));
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("words")));
  EXPECT_EQ(wall_.plans_reserved(), 0);
}

TEST_F(WallEvaluationTest, AnotherVersionOfTheCorpusEndsWhatWasBegun) {
  wall_.FailBefore(5, absl::UnavailableError("cut"));
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kUnavailable));
  wall_.description().set_corpus_version(std::string(16, 'w'));
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("version")));
}

TEST_F(WallEvaluationTest, WhatIsOutOfItsRangeIsNamed) {
  const auto with = [this](auto change) {
    EvaluationWish wish = wish_;
    change(wish);
    return EvaluateBehindTheWall(wall_, *directory_, wish, {.agree = {}, .on_progress = {}})
        .status();
  };
  const auto names = [](const char* name) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(name));
  };
  EXPECT_THAT(with([](auto& wish) { wish.held_out_share = 0; }), names("held-out-share"));
  EXPECT_THAT(with([](auto& wish) { wish.held_out_share = 1.5; }), names("held-out-share"));
  EXPECT_THAT(with([](auto& wish) { wish.releases = 0; }), names("releases"));
  EXPECT_THAT(with([](auto& wish) { wish.max_words = 0; }), names("max-words"));
  EXPECT_THAT(with([](auto& wish) { wish.words_per_unit = 0.5; }), names("words-per-unit"));
  EXPECT_THAT(with([](auto& wish) { wish.words_per_unit = NAN; }), names("words-per-unit"));
  EXPECT_THAT(with([](auto& wish) { wish.noise.noise_multiplier = 2; }), names("epsilon"));
  EXPECT_EQ(wall_.calls(), 0);
}

// Of 400 vectors about two means, and a mixture that is not quite theirs.
class VectorEvaluationTest : public EvaluationFrame {
 protected:
  static std::vector<std::vector<float>> Vectors() {
    std::vector<std::vector<float>> vectors;
    for (int i = 0; i < 400; ++i) {
      const float off = static_cast<float>(i % 17) / 100;
      vectors.push_back(i % 2 == 0 ? std::vector<float>{0.5F - off, 0.2F}
                                   : std::vector<float>{-0.4F, off});
    }
    return vectors;
  }

  VectorEvaluationTest() : EvaluationFrame({.vectors = Vectors()}) {}
  void SetUp() override {
    model_ = SmallModel(wall_.terms(), {1, 1, 1, 1});
    model_.clear_topic_parameters();
    model_.set_tokenizer(lda::kVectorsTokenizerName);
    model_.set_held_out_share(0.2);
    model_.mutable_component_weights()->Add(0.6);
    model_.mutable_component_weights()->Add(0.4);
    v1::GaussianComponents& gaussian = *model_.mutable_gaussian();
    gaussian.set_norm_bound(2.5);
    for (const double mean : {0.4, 0.2, -0.3, 0.1}) gaussian.add_means(mean);
    for (const double variance : {0.02, 0.01, 0.03, 0.02}) gaussian.add_variances(variance);
    FinishModel();
    wish_.words_per_unit = 100;
  }
};

// The same vectors, scored by the code for vectors of one's own.
TEST_F(VectorEvaluationTest, GivesTheMeanLogDensityOfTheHeldOutVectors) {
  const gaussian::FittedGaussians fitted(ComponentsOf(model_));
  double sum = 0, count = 0;
  const std::vector<std::vector<float>> vectors = Vectors();
  for (size_t d = 0; d < vectors.size(); ++d) {
    if (!LocalWall::IsHeldOut(d, 0.2)) continue;
    sum += fitted.LogDensity(vectors[d]);
    ++count;
  }
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate());
  v1::EvaluationFile file = result.file;
  file.set_noise_standard_deviation(1e-6);  // a local wall adds none
  const LogLikelihoodEstimate estimate = LogLikelihoodOf(file);
  EXPECT_EQ(estimate.vectors, count);
  ASSERT_TRUE(estimate.log_likelihood.has_value());
  EXPECT_NEAR(*estimate.log_likelihood, sum / count, 1e-4);
  ASSERT_OK_AND_ASSIGN(const auto again, Evaluate());
  EXPECT_TRUE(again.was_finished);
}

// A number that a file may hold, and no question of the wall: as a float it is infinite.
TEST_F(VectorEvaluationTest, WhatTheWallWouldNotTakeIsRefusedBeforeAnythingIsReserved) {
  model_.mutable_gaussian()->set_means(0, 1e300);
  ASSERT_OK(directory_->Finish(model_));
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("finite")));
  EXPECT_EQ(wall_.plans_reserved(), 0);
  EXPECT_EQ(NumFiles(), 0);
}

// n takes 0.9 of the norm; three deviations, s² = 1 + Var(H_k − log π_k) in two dimensions, the
// rest. H_k − log π_k by hand: log(2πe·√(v1 v2)) − log π.
TEST_F(VectorEvaluationTest, AVectorThreeDeviationsFromTheExpectedHasTheClipNorm) {
  ASSERT_OK(Evaluate());
  ASSERT_OK_AND_ASSIGN(const auto weights, proto::FloatsFromLittleEndian(quote_.plan.weights()));
  const double first = 2.837877066 + std::log(std::sqrt(0.0002)) - std::log(0.6);
  const double second = 2.837877066 + std::log(std::sqrt(0.0006)) - std::log(0.4);
  const double variance = 1 + 0.6 * 0.4 * (first - second) * (first - second);
  EXPECT_NEAR(double{weights[1]}, 0.9, 1e-6);
  EXPECT_NEAR(std::hypot(3 * std::sqrt(variance) * double{weights[0]}, 0.9), 1, 1e-6);
  EXPECT_EQ(quote_.plan.model(), "gaussian_likelihood");
}

TEST_F(VectorEvaluationTest, OfOwnersAloneItRemembersHowManyVectorsItAssumed) {
  auto result = Evaluate();
  ASSERT_OK(result);
  EXPECT_EQ(result->file.words_per_unit(), 0);
  wall_.description().set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  wish_.words_per_unit = 3;
  result = Evaluate();
  ASSERT_OK(result);
  EXPECT_EQ(result->file.words_per_unit(), 3);
  // Of an owner no more vectors count than the wall takes.
  wall_.description().mutable_limits()->set_max_documents_per_unit(2);
  EXPECT_EQ(QuoteEvaluation(wall_, wish_, model_)->words_per_unit, 2);
}

TEST_F(VectorEvaluationTest, AnotherModelOfTheSameVectorsIsAnotherEvaluation) {
  v1::ModelFile other = model_;
  other.mutable_gaussian()->set_means(3, 0.11);
  EXPECT_NE(EvaluationPath("d", wish_, model_), EvaluationPath("d", wish_, other));
}

TEST_F(VectorEvaluationTest, VectorsOfAnotherNormBoundAreRefusedBeforeAnythingIsReserved) {
  wall_.description().mutable_vectors()->set_norm_bound(1);
  EXPECT_THAT(Evaluate(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("norm bound")));
  EXPECT_EQ(wall_.plans_reserved(), 0);
}

}  // namespace
}  // namespace topicwall::client
