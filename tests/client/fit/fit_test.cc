#include "client/fit/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "client/audit/budget_sum.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/topic_quality.h"
#include "model/lda/topics/topic_model.h"
#include "proto/matrix_codec.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

FitSettings Settings() {
  return {.plan = {.corpus = "notes",
                   .algorithm = kSignedAverage,
                   .num_topics = 2,
                   .iterations = 4,
                   .sampling_rate = 1,
                   .epsilon = 2,
                   .noise_multiplier = {},
                   .max_words = {}},
          .choices = {.clip_norm = 4, .seed = 7}};
}

FitHooks Agreeing() {
  return {.agree = [](const PlanOffer&) { return absl::OkStatus(); }, .on_progress = {}};
}

class FitTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/notes.model"; }

  // One run of the program: opens the folder, fits, closes it.
  absl::StatusOr<FitResult> RunFit(LocalWall& wall, const FitSettings& settings = Settings(),
                                   const FitHooks& hooks = Agreeing()) {
    auto directory = ModelDirectory::Open(Path());
    if (!directory.ok()) return directory.status();
    return Fit(wall, **directory, settings, hooks);
  }

  struct Undisturbed {
    FitSettings settings;
    LocalWall::Planted planted = {};
    int plans_reserved;
    int releases_paid;
  };
  // Lets the n-th call fail, before or behind its effect, throws all memory away, as a kill
  // would, and types the same command again: it ends with the same bits and pays once.
  void ExpectResumesFromCall(int first_call, const Undisturbed& fit) {
    LocalWall undisturbed(fit.planted);
    const auto expected = RunFit(undisturbed, fit.settings);
    ASSERT_OK(expected);
    const int calls = undisturbed.calls();
    ASSERT_GE(calls, 9);
    for (int call = first_call; call < calls; ++call) {
      for (const bool answer_lost : {false, true}) {
        SCOPED_TRACE(absl::StrCat("call ", call, answer_lost ? ", answer lost" : ", not done"));
        std::filesystem::remove_all(Path());
        LocalWall wall(fit.planted);
        if (answer_lost) {
          wall.FailAfter(call, absl::UnavailableError("cut"));
        } else {
          wall.FailBefore(call, absl::UnavailableError("cut"));
        }
        ASSERT_THAT(RunFit(wall, fit.settings), StatusIs(absl::StatusCode::kUnavailable));
        wall.ForgetFailures();
        const auto result = RunFit(wall, fit.settings);
        ASSERT_OK(result);
        EXPECT_EQ(result->model.topic_parameters(), expected->model.topic_parameters());
        EXPECT_EQ(wall.plans_reserved(), fit.plans_reserved);
        EXPECT_EQ(wall.releases_paid(), fit.releases_paid);
      }
    }
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(FitTest, RecoversPlantedTopicsThroughTheWholeLoop) {
  LocalWall wall;
  const absl::StatusOr<FitResult> result = RunFit(wall);
  ASSERT_OK(result);
  const auto model = ModelOf(result->model);
  ASSERT_OK(model);
  // Six terms each: the top six of one topic are exactly the first six terms, of the other
  // the last six.
  std::vector<bool> first_six;
  for (int k = 0; k < 2; ++k) {
    const auto words = lda::TopTerms(*model, k, 6);
    ASSERT_OK(words);
    const bool low = words->front().term < 6;
    for (const lda::TermProbability& word : *words) EXPECT_EQ(word.term < 6, low);
    first_six.push_back(low);
  }
  EXPECT_NE(first_six[0], first_six[1]);
  EXPECT_EQ(wall.releases_paid(), 4);
}

TEST_F(FitTest, TheModelSaysWhereItIsFromAndWhatItCost) {
  LocalWall wall;
  ASSERT_OK(RunFit(wall));
  const auto model = ReadModel(Path());
  ASSERT_OK(model);
  EXPECT_EQ(model->corpus(), "notes");
  EXPECT_EQ(model->corpus_version(), std::string(16, 'v'));
  EXPECT_EQ(model->plan_id(), "plan-1");
  EXPECT_EQ(model->iterations(), 4);
  EXPECT_EQ(model->terms_size(), 12);
  EXPECT_EQ(model->algorithm(), "signed-average");
  EXPECT_LE(model->epsilon(), 2);
  EXPECT_GT(model->epsilon(), 1.999);
  EXPECT_EQ(model->delta(), 1e-6);
  EXPECT_FALSE(model->has_sum());
  EXPECT_FALSE(std::filesystem::exists(CheckpointPath(Path())));
}

TEST_F(FitTest, AfterAFailureAtAnyCallTheSameCommandEndsWithTheSameBitsAndPaysOnce) {
  ExpectResumesFromCall(0, {.settings = Settings(), .plans_reserved = 1, .releases_paid = 4});
}

TEST_F(FitTest, AFitThatFailsAtEveryCallInTurnStillPaysOnce) {
  LocalWall undisturbed;
  const auto expected = RunFit(undisturbed);
  ASSERT_OK(expected);
  std::filesystem::remove_all(Path());
  LocalWall wall;
  absl::StatusOr<FitResult> result = absl::UnavailableError("not run");
  // Each run loses the answer of one call later than the run before.
  for (int run = 0; run < 40 && !result.ok(); ++run) {
    wall.ForgetFailures();
    wall.FailAfter(wall.calls() + run, absl::UnavailableError("cut"));
    result = RunFit(wall);
  }
  ASSERT_OK(result);
  EXPECT_EQ(result->model.topic_parameters(), expected->model.topic_parameters());
  EXPECT_EQ(wall.plans_reserved(), 1);
  EXPECT_EQ(wall.releases_paid(), 4);
}

TEST_F(FitTest, ThePapersAlgorithmResumesWithTheSameBitsToo) {
  FitSettings settings = Settings();
  settings.plan.algorithm = kPaper;
  LocalWall undisturbed;
  const auto expected = RunFit(undisturbed, settings);
  ASSERT_OK(expected);
  std::filesystem::remove_all(Path());
  LocalWall wall;
  wall.FailAfter(undisturbed.calls() - 2, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, settings).ok());
  const auto result = RunFit(wall, settings);
  ASSERT_OK(result);
  EXPECT_EQ(result->model.topic_parameters(), expected->model.topic_parameters());
}

FitSettings Denoised() {
  FitSettings settings = Settings();
  settings.plan.algorithm = kDenoised;
  return settings;
}
LocalWall::Planted ManyDocuments() { return {.documents_per_topic = 2000}; }

TEST_F(FitTest, ADenoisedModelSaysWhatItsNoiseIs) {
  LocalWall wall(ManyDocuments());
  const absl::StatusOr<FitResult> result = RunFit(wall, Denoised());
  ASSERT_OK(result);
  const v1::ModelFile& model = result->model;
  EXPECT_EQ(model.algorithm(), "denoised");
  EXPECT_EQ(model.unigram_plan_id(), "plan-1");
  EXPECT_EQ(model.plan_id(), "plan-2");
  EXPECT_LE(model.epsilon(), 2);
  EXPECT_GT(model.epsilon(), 1.999);
  const auto noise = NoiseOf(*ReadModel(Path()));
  ASSERT_OK(noise);
  ASSERT_TRUE(noise->has_value());
  for (const float deviation : (*noise)->deviations) EXPECT_GT(deviation, 0);
  const auto quality = lda::TopicQuality::Create((*noise)->topics(2), (*noise)->term_probabilities);
  ASSERT_OK(quality);
  EXPECT_EQ(quality->NumJunkTopics(), 0) << "the topics were planted";
}

TEST_F(FitTest, ADenoisedFitResumesAtAnyCallWithTheSameBitsAndPaysOnce) {
  FitSettings settings = Denoised();
  settings.plan.iterations = 30;  // of which two are flat
  ExpectResumesFromCall(
      4,
      {.settings = settings, .planted = ManyDocuments(), .plans_reserved = 2, .releases_paid = 31});
}

// 12 terms in 2 topics: what is planned for is what the noise model says of such a corpus.
FitSettings Automatic() {
  FitSettings settings = Denoised();
  settings.plan.num_topics = 0;
  settings.plan.iterations = 0;
  settings.automatic = FitWishes{.epsilon = 2,
                                 .delta = {},
                                 .num_topics = 2,
                                 .iterations = {},
                                 .hours = {},
                                 .seconds_per_release = {},
                                 .guess = {.num_documents = 4000, .words_per_document = 14}};
  return settings;
}

TEST_F(FitTest, AnAutomaticPlanIsTheProposedOne) {
  LocalWall wall(ManyDocuments());
  wall.description().mutable_limits()->set_max_iterations(6);
  const auto proposed = ProposeFit(wall, "notes", *Automatic().automatic);
  ASSERT_OK(proposed);
  const auto result = RunFit(wall, Automatic());
  ASSERT_OK(result);
  EXPECT_EQ(result->model.num_topics(), proposed->num_topics);
  EXPECT_EQ(result->model.iterations(), 5);
  EXPECT_EQ(proposed->iterations, 5);
  EXPECT_LE(result->model.epsilon(), 2);
  EXPECT_TRUE(RunFit(wall, Automatic())->was_finished);
}

// Between the runs the planner's world has changed: releases were used up, limits and the nominal
// size are others. The fit that was begun stays what it was.
TEST_F(FitTest, AnAutomaticFitIsResumedWithThePlanItBeganWithWhateverAPlannerWouldNowChoose) {
  LocalWall undisturbed(ManyDocuments());
  undisturbed.description().mutable_limits()->set_max_iterations(6);
  const auto expected = RunFit(undisturbed, Automatic());
  ASSERT_OK(expected);
  std::filesystem::remove_all(Path());
  LocalWall wall(ManyDocuments());
  wall.description().mutable_limits()->set_max_iterations(6);
  wall.FailAfter(undisturbed.calls() - 3, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, Automatic()).ok());
  wall.ForgetFailures();
  wall.description().mutable_limits()->set_max_iterations(3);
  wall.description().set_releases_left(2);
  wall.description().set_nominal_size(5);
  const auto result = RunFit(wall, Automatic());
  ASSERT_OK(result);
  EXPECT_EQ(result->model.topic_parameters(), expected->model.topic_parameters());
  EXPECT_EQ(wall.plans_reserved(), 2);
  EXPECT_EQ(wall.releases_paid(), 6);
}

TEST_F(FitTest, AnAutomaticFitIsNotResumedAsOneOfOtherTopics) {
  LocalWall wall(ManyDocuments());
  wall.FailBefore(9, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, Automatic()).ok());
  FitSettings other = Automatic();
  other.automatic->num_topics = 3;
  EXPECT_THAT(RunFit(wall, other),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topics 2")));
}

// A model of two topics over the wall's twelve terms: `own` for its first six, `others` for the
// last, and the other way round.
v1::ModelFile ModelOver(LocalWall& wall, float own, float others) {
  v1::ModelFile model;
  model.set_format_version(1);
  model.set_num_topics(2);
  model.set_vocabulary_size(12);
  std::vector<float> topics;
  for (int k = 0; k < 2; ++k) {
    for (int v = 0; v < 12; ++v) topics.push_back((v < 6) == (k == 0) ? own : others);
  }
  model.set_topic_parameters(proto::FloatsToLittleEndian(topics));
  model.set_topic_word_prior(0.5);
  model.add_document_topic_prior(0.5);
  for (const std::string& term : wall.terms()) model.add_terms(term);
  model.set_tokenizer("words-1");
  return model;
}

TEST_F(FitTest, AnInitialModelThatFitsDecidesWhichTopicComesFirst) {
  LocalWall wall(ManyDocuments());
  for (const bool swapped : {false, true}) {
    std::filesystem::remove_all(Path());
    FitSettings settings = Denoised();
    settings.plan.epsilon = 1;
    settings.initial_model = swapped ? ModelOver(wall, 1, 50) : ModelOver(wall, 50, 1);
    const auto result = RunFit(wall, settings);
    ASSERT_OK(result);
    EXPECT_EQ(result->model.warm_start().outcome(), v1::WarmStart::OUTCOME_USED);
    EXPECT_LT(result->model.warm_start().divergence(), 0.3);
    EXPECT_EQ(result->model.warm_start().topics(), "") << "what it began with is no part of it";
    const auto model = ModelOf(result->model);
    ASSERT_OK(model);
    const auto words = lda::TopTerms(*model, 0, 6);
    ASSERT_OK(words);
    for (const lda::TermProbability& word : *words) EXPECT_EQ(word.term < 6, !swapped);
  }
}

TEST_F(FitTest, AnAlphaForEachTopicOfTheInitialModelGoesThroughThePlanIntoTheNewModel) {
  LocalWall wall(ManyDocuments());
  FitSettings settings = Denoised();
  settings.plan.epsilon = 1;
  settings.initial_model = ModelOver(wall, 50, 1);
  settings.initial_model->add_document_topic_prior(0.125);
  const auto result = RunFit(wall, settings);
  ASSERT_OK(result);
  EXPECT_THAT(result->model.document_topic_prior(), ElementsAre(0.5, 0.125));
}

// All of its words are in one term: no mixture of it is this corpus.
TEST_F(FitTest, AnInitialModelOfOtherTextIsDroppedAndTheFitIsAsWithoutIt) {
  LocalWall plain(ManyDocuments());
  const auto without = RunFit(plain, Denoised());
  ASSERT_OK(without);
  std::filesystem::remove_all(Path());
  LocalWall wall(ManyDocuments());
  FitSettings settings = Denoised();
  v1::ModelFile other = ModelOver(wall, 1, 1);
  std::vector<float> topics(24, 1e-3F);
  topics[0] = topics[12] = 100;
  other.set_topic_parameters(proto::FloatsToLittleEndian(topics));
  settings.initial_model = other;
  const auto result = RunFit(wall, settings);
  ASSERT_OK(result);
  EXPECT_EQ(result->model.warm_start().outcome(), v1::WarmStart::OUTCOME_DROPPED);
  EXPECT_EQ(result->model.topic_parameters(), without->model.topic_parameters());
}

// Or it would be judged by units that its first topics were made of.
TEST_F(FitTest, AnInitialModelOfTheSameCorpusMustHaveLeftAsManyUnitsOut) {
  LocalWall wall(ManyDocuments());
  FitSettings settings = Denoised();
  settings.plan.epsilon = 1;
  settings.plan.held_out_share = 0.2;
  settings.initial_model = ModelOver(wall, 50, 1);
  settings.initial_model->set_corpus("notes");
  settings.initial_model->set_held_out_share(0.1);
  EXPECT_THAT(RunFit(wall, settings), StatusIs(absl::StatusCode::kInvalidArgument,
                                               HasSubstr("held-out-share must be at most")));
  EXPECT_EQ(wall.plans_reserved(), 0);
  settings.initial_model->set_held_out_share(0.2);
  EXPECT_OK(RunFit(wall, settings));
  std::filesystem::remove_all(Path());
  settings.initial_model->set_corpus("letters");  // of which nobody is evaluated
  settings.initial_model->set_held_out_share(0);
  EXPECT_OK(RunFit(wall, settings));
}

TEST_F(FitTest, AWarmFitResumesAtAnyCallWithTheSameBitsAndPaysOnce) {
  FitSettings settings = Denoised();
  LocalWall wall(ManyDocuments());
  settings.initial_model = ModelOver(wall, 50, 1);
  settings.initial_model->add_document_topic_prior(0.125);
  ExpectResumesFromCall(
      0,
      {.settings = settings, .planted = ManyDocuments(), .plans_reserved = 2, .releases_paid = 5});
}

TEST_F(FitTest, AFitIsNotResumedWithAnotherInitialModelOrWithoutItsOwn) {
  LocalWall wall(ManyDocuments());
  FitSettings settings = Denoised();
  settings.initial_model = ModelOver(wall, 50, 1);
  wall.FailBefore(9, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, settings).ok());
  FitSettings other = settings;
  other.initial_model = ModelOver(wall, 51, 1);
  EXPECT_THAT(RunFit(wall, other),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("with init a model of")));
  EXPECT_THAT(RunFit(wall, Denoised()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("says none")));
  ASSERT_OK(RunFit(wall, settings));
  EXPECT_THAT(RunFit(wall, other), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(FitTest, TheOfferThatIsAgreedToSaysWhetherItWillBeJunk) {
  LocalWall wall(ManyDocuments());
  wall.description().set_nominal_size(40);  // with 12 known words each
  FitSettings settings = Denoised();
  settings.plan.epsilon = 0.05;
  FitHooks hooks = Agreeing();
  bool was_junk = false;
  hooks.agree = [&was_junk](const PlanOffer& offer) {
    was_junk = offer.expected.has_value() && offer.expected->IsJunk();
    return absl::CancelledError("no");
  };
  EXPECT_THAT(RunFit(wall, settings, hooks), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_TRUE(was_junk);
  EXPECT_EQ(wall.plans_reserved(), 0);
}

TEST_F(FitTest, NothingIsReservedWithoutConsentAndNothingIsWritten) {
  LocalWall wall;
  FitHooks hooks = Agreeing();
  hooks.agree = [](const PlanOffer&) { return absl::CancelledError("no"); };
  EXPECT_THAT(RunFit(wall, Settings(), hooks), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(wall.plans_reserved(), 0);
  EXPECT_FALSE(std::filesystem::exists(CheckpointPath(Path())));
}

TEST_F(FitTest, ConsentIsAskedOnceForAFitNotForEachRun) {
  LocalWall wall;
  int asked = 0;
  FitHooks hooks = Agreeing();
  hooks.agree = [&asked](const PlanOffer& offer) {
    ++asked;
    EXPECT_LE(offer.price.epsilon_alone(), 2);
    return absl::OkStatus();
  };
  wall.FailBefore(6, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall, Settings(), hooks).ok());
  ASSERT_OK(RunFit(wall, Settings(), hooks));
  EXPECT_EQ(asked, 1);
}

TEST_F(FitTest, APlanThatDoesNotFitIsRefusedBeforeAnythingIsAsked) {
  LocalWall wall;
  FitSettings settings = Settings();
  settings.plan.epsilon = 3;  // of 2.44
  FitHooks hooks = Agreeing();
  hooks.agree = [](const PlanOffer&) {
    ADD_FAILURE() << "asked";
    return absl::OkStatus();
  };
  EXPECT_THAT(RunFit(wall, settings, hooks), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_FALSE(std::filesystem::exists(CheckpointPath(Path())));
}

TEST_F(FitTest, ABadVocabularyStopsTheFitBeforeItPays) {
  LocalWall wall;
  wall.terms()[3] = "zz";
  EXPECT_THAT(RunFit(wall), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("digest")));
  EXPECT_EQ(wall.plans_reserved(), 0);
}

TEST_F(FitTest, AFinishedModelIsLeftAloneAndTheWallIsNotAsked) {
  LocalWall wall;
  ASSERT_OK(RunFit(wall));
  const int calls = wall.calls();
  const auto again = RunFit(wall);
  ASSERT_OK(again);
  EXPECT_TRUE(again->was_finished);
  EXPECT_EQ(wall.calls(), calls);
}

TEST_F(FitTest, AModelRemembersTheSumOfBudgetsItWasMadeUnder) {
  LocalWall wall;
  v1::BudgetSum& sum = *wall.description().mutable_sum();
  sum.add_budgets()->set_budget_id("other");
  sum.set_epsilon(7.5);
  sum.set_delta(2e-6);
  ASSERT_OK(RunFit(wall));
  const auto model = ReadModel(Path());
  ASSERT_OK(model);
  EXPECT_TRUE(IsSameSum(model->sum(), sum));
  EXPECT_EQ(model->sum().epsilon(), 7.5);
}

TEST_F(FitTest, AFinishedModelOfAnotherFitIsAnError) {
  LocalWall wall;
  ASSERT_OK(RunFit(wall));
  FitSettings other = Settings();
  other.plan.num_topics = 3;
  EXPECT_THAT(RunFit(wall, other),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topics 2")));
}

TEST_F(FitTest, ACheckpointLeftBesideAFinishedModelMeansNothing) {
  LocalWall wall;
  ASSERT_OK(RunFit(wall));
  // The kill came between model.pb and the removal of checkpoint.pb.
  testing::WriteWholeFile(CheckpointPath(Path()), "left over");
  const auto again = RunFit(wall);
  ASSERT_OK(again);
  EXPECT_TRUE(again->was_finished);
  EXPECT_FALSE(std::filesystem::exists(CheckpointPath(Path())));
}

TEST_F(FitTest, AnotherVersionOfTheCorpusIsNotContinued) {
  LocalWall wall;
  wall.FailBefore(7, absl::UnavailableError("cut"));
  ASSERT_FALSE(RunFit(wall).ok());
  wall.description().set_corpus_version(std::string(16, 'w'));
  EXPECT_THAT(RunFit(wall),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another version")));
}

}  // namespace
}  // namespace topicwall::client
