#include "client/checkpoint.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "proto/matrix_codec.h"
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
  plan.mutable_lda()->set_document_topic_prior(0.25);
  return plan;
}

v1::CorpusDescription Description() {
  v1::CorpusDescription description;
  description.set_vocabulary_size(5);
  description.mutable_limits()->set_max_e_step_iterations(50);
  return description;
}

v1::CheckpointFile New(const std::string& m_step = kSignedAverage) {
  return *NewCheckpoint(Plan(), Description(), {.clip_norm = 4, .m_step = m_step, .seed = 1});
}

TEST(CheckpointTest, ANewOneHoldsEverythingThatTheFitWillSend) {
  const v1::CheckpointFile checkpoint = New();
  EXPECT_EQ(checkpoint.request_id().size(), 16u);
  EXPECT_EQ(checkpoint.plan().SerializeAsString(), Plan().SerializeAsString());
  EXPECT_EQ(checkpoint.topic_word_prior(), 0.25);
  EXPECT_EQ(checkpoint.averaging_rate(), 0.3);
  EXPECT_EQ(checkpoint.max_e_step_iterations(), 20);
  EXPECT_EQ(VocabularySizeOf(checkpoint), 5);
  EXPECT_EQ(checkpoint.iterations_done(), 0);
}

TEST(CheckpointTest, TheWallsLimitOnEStepIterationsIsKept) {
  v1::CorpusDescription description = Description();
  description.mutable_limits()->set_max_e_step_iterations(7);
  const auto checkpoint =
      NewCheckpoint(Plan(), description, {.clip_norm = 4, .m_step = kPaper, .seed = 1});
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
    return NewCheckpoint(Plan(), Description(),
                         {.clip_norm = 4, .m_step = kSignedAverage, .seed = seed})
        ->state();
  };
  EXPECT_EQ(with_seed(1), with_seed(1));
  EXPECT_NE(with_seed(1), with_seed(2));
}

// The claim the resumption rests on: through the file and back, nothing moves.
TEST(CheckpointTest, ThroughTheFileTheMStepGoesOnWithTheSameBits) {
  const std::vector<float> sum = {3.25f, -1.5f,  0.1f, 7, 2, 1, -4,   9.5f, 0.25f, 2,
                                  11,    -0.75f, 3,    5, 8, 1, 0.5f, 2,    6,     -3};
  for (const std::string m_step : {kSignedAverage, kPaper}) {
    const v1::CheckpointFile begin = New(m_step);
    auto straight = RestoreMStep(begin);
    ASSERT_OK(straight);
    ASSERT_OK((*straight)->Update(sum));
    v1::CheckpointFile saved = begin;
    saved.set_plan_id("p");
    SaveMStep(**straight, saved);
    const auto read = ParseCheckpoint(saved.SerializeAsString(), "file");
    ASSERT_OK(read);
    EXPECT_EQ(read->iterations_done(), 1);
    auto resumed = RestoreMStep(*read);
    ASSERT_OK(resumed);
    EXPECT_EQ((*resumed)->NextLogTopics().values(), (*straight)->NextLogTopics().values());
    ASSERT_OK((*straight)->Update(sum));
    ASSERT_OK((*resumed)->Update(sum));
    EXPECT_EQ((*resumed)->state().topics, (*straight)->state().topics);
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
  other.set_format_version(2);
  refused(other.SerializeAsString(), "format_version must be 1; got 2");
  other = New();
  other.set_request_id("short");
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
  other.set_m_step("magic");
  refused(other.SerializeAsString(), "m-step");
  other = New();
  other.mutable_plan()->mutable_lda()->set_num_topics(-3);
  refused(other.SerializeAsString(), "incomplete");
}

TEST(CheckpointTest, AnUnknownMStepIsRefusedAtTheStart) {
  EXPECT_THAT(NewCheckpoint(Plan(), Description(), {.clip_norm = 4, .m_step = "magic", .seed = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("signed-average or paper")));
}

}  // namespace
}  // namespace topicwall::client
