#include "client/fit/checkpoint.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::PlanSpec Plan() {
  v1::PlanSpec plan;
  plan.set_corpus("notes");
  plan.set_sampling_rate(0.5);
  plan.set_noise_multiplier(6.3);
  plan.set_iterations(3);
  plan.mutable_lda()->set_num_topics(4);
  plan.mutable_lda()->add_document_topic_prior(0.25);
  return plan;
}

v1::CorpusDescription Description() {
  v1::CorpusDescription description;
  description.set_vocabulary_size(5);
  description.mutable_limits()->set_max_e_step_iterations(50);
  return description;
}

FitPlans Plans(const std::string& algorithm) {
  FitPlans plans = {.algorithm = algorithm, .topics = Plan(), .unigram = {}};
  if (algorithm == kDenoised) plans.unigram = PlanDenoised(Plan(), 6.3)->unigram;
  return plans;
}

v1::CheckpointFile New(const std::string& algorithm = kSignedAverage) {
  return *NewCheckpoint(Plans(algorithm), Description(), {.clip_norm = 4, .seed = 1});
}

TEST(CheckpointTest, ANewOneHoldsEverythingThatTheFitWillSend) {
  const v1::CheckpointFile checkpoint = New();
  EXPECT_EQ(checkpoint.topics().request_id().size(), 16u);
  EXPECT_EQ(checkpoint.topics().plan().SerializeAsString(), Plan().SerializeAsString());
  EXPECT_EQ(checkpoint.topic_word_prior(), 0.25);
  EXPECT_EQ(checkpoint.averaging_rate(), 0.3);
  EXPECT_EQ(checkpoint.max_e_step_iterations(), 20);
  EXPECT_EQ(checkpoint.vocabulary_size(), 5);
  EXPECT_EQ(checkpoint.clip_norm(), 4);
  EXPECT_EQ(checkpoint.first_clip_norm(), 4);
  EXPECT_EQ(checkpoint.iterations_done(), 0);
  EXPECT_FALSE(checkpoint.has_unigram());
}

TEST(CheckpointTest, ADenoisedOneHasTwoPlansWithRequestsOfTheirOwn) {
  const v1::CheckpointFile checkpoint = New(kDenoised);
  EXPECT_EQ(checkpoint.unigram().plan().lda().num_topics(), 1);
  EXPECT_EQ(checkpoint.unigram().request_id().size(), 16u);
  EXPECT_NE(checkpoint.unigram().request_id(), checkpoint.topics().request_id());
  EXPECT_THAT(NewCheckpoint({.algorithm = kDenoised, .topics = Plan(), .unigram = {}},
                            Description(), {.clip_norm = 4, .seed = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(CheckpointTest, TheWallsLimitOnEStepIterationsIsKept) {
  v1::CorpusDescription description = Description();
  description.mutable_limits()->set_max_e_step_iterations(7);
  const auto checkpoint = NewCheckpoint(Plans(kPaper), description, {.clip_norm = 4, .seed = 1});
  ASSERT_OK(checkpoint);
  EXPECT_EQ(checkpoint->max_e_step_iterations(), 7);
  EXPECT_EQ(checkpoint->step_offset(), 1024);
  EXPECT_EQ(checkpoint->step_decay(), 0.7);
}

TEST(CheckpointTest, RequestIdsDoNotRepeat) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(*NewRequestId());
  EXPECT_EQ(ids.size(), 1000u);
}

TEST(CheckpointTest, TheSeedDecidesTheInitialTopicsAndNothingElseDoes) {
  const auto with_seed = [](uint64_t seed) {
    return NewCheckpoint(Plans(kSignedAverage), Description(), {.clip_norm = 4, .seed = seed})
        ->state();
  };
  EXPECT_EQ(with_seed(1), with_seed(1));
  EXPECT_NE(with_seed(1), with_seed(2));
}

// The claim the resumption rests on: through the file and back, nothing moves.
TEST(CheckpointTest, ThroughTheFileEveryAlgorithmGoesOnWithTheSameBits) {
  Release release;
  release.statistics = {3.25f, -1.5f,  0.1f, 7, 2, 1, -4,   9.5f, 0.25f, 2,
                        11,    -0.75f, 3,    5, 8, 1, 0.5f, 2,    6,     -3};
  release.header.set_noise_standard_deviation(2);
  for (const std::string algorithm : {kDenoised, kSignedAverage, kPaper}) {
    v1::CheckpointFile begin = New(algorithm);
    begin.mutable_topics()->set_plan_id("p");
    if (algorithm == kDenoised) {
      begin.mutable_unigram()->set_plan_id("u");
      begin.mutable_unigram_sums()->Resize(5, 1000);
      begin.mutable_unigram_precisions()->Resize(5, 5000);
    }
    auto straight = RestoreAlgorithm(begin);
    ASSERT_OK(straight);
    ASSERT_OK((*straight)->TakeIn(release));
    v1::CheckpointFile saved = begin;
    (*straight)->Save(saved);
    const auto read = ParseCheckpoint(saved.SerializeAsString(), "file");
    ASSERT_OK(read);
    EXPECT_EQ(read->iterations_done(), 1);
    auto resumed = RestoreAlgorithm(*read);
    ASSERT_OK(resumed);
    EXPECT_EQ((*resumed)->NextLogTopics().values(), (*straight)->NextLogTopics().values());
    ASSERT_OK((*straight)->TakeIn(release));
    ASSERT_OK((*resumed)->TakeIn(release));
    v1::CheckpointFile twice = *read;
    (*straight)->Save(saved);
    (*resumed)->Save(twice);
    EXPECT_EQ(twice.SerializeAsString(), saved.SerializeAsString());
  }
}

TEST(CheckpointTest, DamageAndContradictionsAreErrorsThatNameTheFile) {
  const std::string good = New().SerializeAsString();
  const auto refused = [](const std::string& bytes, const std::string& why) {
    EXPECT_THAT(ParseCheckpoint(bytes, "m/checkpoint.pb"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         ::testing::AllOf(HasSubstr("m/checkpoint.pb"), HasSubstr(why))));
  };
  ASSERT_OK(ParseCheckpoint(good, "x"));
  refused(good.substr(0, good.size() / 2), "parse");
  refused("", "format_version");
  v1::CheckpointFile other = New();
  other.set_format_version(1);
  refused(other.SerializeAsString(), "format_version must be 4; got 1");
  other = New();
  other.mutable_topics()->set_request_id("short");
  refused(other.SerializeAsString(), "incomplete");
  other = New();
  other.mutable_state()->pop_back();
  refused(other.SerializeAsString(), "incomplete");
  other = New();
  other.set_iterations_done(4);
  refused(other.SerializeAsString(), "iterations");
  other = New();
  other.set_iterations_done(1);  // done, but never reserved
  refused(other.SerializeAsString(), "iterations");
  other = New();
  other.set_algorithm("magic");
  refused(other.SerializeAsString(), "algorithm");
  other = New();
  other.mutable_topics()->mutable_plan()->mutable_lda()->set_num_topics(-3);
  refused(other.SerializeAsString(), "incomplete");
}

TEST(CheckpointTest, AUnigramOutOfItsOrderIsAnError) {
  const auto refused = [](const v1::CheckpointFile& checkpoint, const std::string& why) {
    EXPECT_THAT(ParseCheckpoint(checkpoint.SerializeAsString(), "file"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  ASSERT_OK(ParseCheckpoint(New(kDenoised).SerializeAsString(), "file"));
  v1::CheckpointFile other = New(kDenoised);
  other.clear_unigram();
  refused(other, "incomplete");
  other = New(kDenoised);
  other.mutable_unigram()->set_request_id("short");
  refused(other, "incomplete");
  other = New(kDenoised);
  other.mutable_unigram_sums()->Resize(5, 1);  // released, but never reserved
  other.mutable_unigram_precisions()->Resize(5, 1);
  refused(other, "iterations");
  other.mutable_unigram()->set_plan_id("u");
  ASSERT_OK(ParseCheckpoint(other.SerializeAsString(), "file"));
  other.mutable_unigram_precisions()->Resize(4, 1);
  refused(other, "incomplete");
  other.mutable_unigram_sums()->Resize(4, 1);  // of another vocabulary
  refused(other, "incomplete");
  other = New(kDenoised);
  other.mutable_topics()->set_plan_id("t");  // before the unigram was there
  refused(other, "iterations");
  other = New();
  *other.mutable_unigram() = New(kDenoised).unigram();
  refused(other, "incomplete");
}

TEST(CheckpointTest, AnUnknownAlgorithmIsRefusedAtTheStart) {
  EXPECT_THAT(
      NewCheckpoint(Plans("magic"), Description(), {.clip_norm = 4, .seed = 1}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("denoised, signed-average or paper")));
}

}  // namespace
}  // namespace topicwall::client
