#include "client/fit/initial_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "client/fit/checkpoint.h"
#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/warm_start.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Two topics over three terms; the second has no word but "kiwi".
v1::ModelFile Fruit() {
  v1::ModelFile model;
  model.set_format_version(1);
  model.set_num_topics(2);
  model.set_vocabulary_size(3);
  model.set_topic_parameters(proto::FloatsToLittleEndian({8, 1, 1, 1e-30F, 2, 1e-30F}));
  model.set_topic_word_prior(0.5);
  model.add_document_topic_prior(0.5);
  for (const char* term : {"apple", "kiwi", "pear"}) model.add_terms(term);
  model.set_tokenizer("words-1");
  return model;
}

lda::Vocabulary Words(std::vector<std::string> terms) {
  return *lda::Vocabulary::Create(std::move(terms));
}

v1::CheckpointFile Begun(const v1::WarmStart& start, int num_topics) {
  v1::PlanSpec plan;
  plan.set_sampling_rate(1);
  plan.set_iterations(3);
  plan.mutable_lda()->set_num_topics(num_topics);
  const auto plans = PlanDenoised(plan, 6);
  v1::CorpusDescription description;
  description.set_vocabulary_size(4);
  description.mutable_limits()->set_max_e_step_iterations(50);
  return *NewCheckpoint(
      {.algorithm = kDenoised, .topics = plans->topics, .unigram = plans->unigram}, description,
      {.clip_norm = 1, .seed = 1, .warm_start = start});
}

TEST(NewWarmStartTest, TermsAreFoundByNameAndWhatTheModelLacksIsZero) {
  const auto start = NewWarmStart(Fruit(), Words({"pear", "plum", "kiwi", "apple"}), 2);
  ASSERT_OK(start);
  EXPECT_EQ(start->outcome(), v1::WarmStart::OUTCOME_UNDECIDED);
  const auto topics = proto::FloatsFromLittleEndian(start->topics());
  ASSERT_OK(topics);
  ASSERT_EQ(topics->size(), 8u);
  const std::vector<float> expected = {0.1F, 0, 0.1F, 0.8F, 0, 0, 1, 0};
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR((*topics)[i], expected[i], 1e-6) << i;
}

TEST(NewWarmStartTest, TopicsWithoutAWordOfTheCorpusAreLeftOut) {
  const auto start = NewWarmStart(Fruit(), Words({"pear", "plum", "apple", "fig"}), 2);
  ASSERT_OK(start);
  EXPECT_EQ(start->topics().size(), 4 * sizeof(float));
}

TEST(NewWarmStartTest, MoreTopicsThanTheFitHasOrNoCommonTermIsAnError) {
  EXPECT_THAT(NewWarmStart(Fruit(), Words({"apple"}), 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least 2")));
  EXPECT_THAT(NewWarmStart(Fruit(), Words({"ship", "boat"}), 2),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("knows none")));
}

TEST(DecideWarmStartTest, TopicsThatFitAreUsedAndStandInTheCheckpoint) {
  const auto start = NewWarmStart(Fruit(), Words({"pear", "plum", "kiwi", "apple"}), 3);
  v1::CheckpointFile checkpoint = Begun(*start, 3);
  const std::vector<double> unigram = {0.05, 0.3, 0.3, 0.35};
  ASSERT_OK(DecideWarmStart(unigram, checkpoint));
  const v1::WarmStart& decided = checkpoint.warm_start();
  EXPECT_EQ(decided.outcome(), v1::WarmStart::OUTCOME_USED);
  EXPECT_NEAR(decided.coverage(), 0.7, 1e-9);
  EXPECT_EQ(decided.topics().size(), 3u * 4 * sizeof(float));
  EXPECT_EQ(decided.source_sha256(), SourceDigest(Fruit()));
  EXPECT_TRUE(IsSoundWarmStart(checkpoint));
  // Deciding again, as after a kill, changes nothing: not even for another unigram.
  const std::string before = checkpoint.SerializeAsString();
  ASSERT_OK(DecideWarmStart(std::vector<double>{0.97, 0.01, 0.01, 0.01}, checkpoint));
  EXPECT_EQ(checkpoint.SerializeAsString(), before);
}

TEST(DecideWarmStartTest, AnAlphaForEachTopicBecomesThePlansIfAllTopicsAreUsed) {
  v1::ModelFile tuned = Fruit();
  tuned.add_document_topic_prior(0.125);
  EXPECT_NE(SourceDigest(tuned), SourceDigest(Fruit()));
  const lda::Vocabulary words = Words({"pear", "plum", "kiwi", "apple"});
  const std::vector<double> fitting = {0.05, 0.3, 0.3, 0.35}, other = {0.97, 0.01, 0.01, 0.01};
  v1::CheckpointFile used = Begun(*NewWarmStart(tuned, words, 2), 2);
  ASSERT_OK(DecideWarmStart(fitting, used));
  EXPECT_THAT(used.topics().plan().lda().document_topic_prior(), ElementsAre(0.5, 0.125));
  EXPECT_TRUE(IsSoundWarmStart(used));
  v1::CheckpointFile dropped = Begun(*NewWarmStart(tuned, words, 2), 2);
  const v1::PlanSpec before = dropped.topics().plan();
  ASSERT_OK(DecideWarmStart(other, dropped));
  EXPECT_EQ(dropped.topics().plan().SerializeAsString(), before.SerializeAsString());
  EXPECT_TRUE(IsSoundWarmStart(dropped));
  v1::CheckpointFile wider = Begun(*NewWarmStart(tuned, words, 3), 3);
  ASSERT_OK(DecideWarmStart(fitting, wider));
  EXPECT_TRUE(wider.topics().plan().lda().document_topic_prior().empty())
      << "nobody knows the alpha of the third";
}

TEST(DecideWarmStartTest, TopicsThatDoNotFitAreDroppedAndLeaveOnlyTheReason) {
  const auto start = NewWarmStart(Fruit(), Words({"pear", "plum", "kiwi", "apple"}), 2);
  v1::CheckpointFile checkpoint = Begun(*start, 2);
  ASSERT_OK(DecideWarmStart(std::vector<double>{0.97, 0.01, 0.01, 0.01}, checkpoint));
  EXPECT_EQ(checkpoint.warm_start().outcome(), v1::WarmStart::OUTCOME_DROPPED);
  EXPECT_GT(checkpoint.warm_start().divergence(), lda::kMostDivergence);
  EXPECT_EQ(checkpoint.warm_start().topics(), "");
  EXPECT_TRUE(IsSoundWarmStart(checkpoint));
}

TEST(DecideWarmStartTest, AFitWithoutOneStaysWithoutOne) {
  v1::CheckpointFile checkpoint =
      Begun(*NewWarmStart(Fruit(), Words({"pear", "a", "b", "c"}), 2), 2);
  checkpoint.clear_warm_start();
  const std::string before = checkpoint.SerializeAsString();
  ASSERT_OK(DecideWarmStart(std::vector<double>{0.25, 0.25, 0.25, 0.25}, checkpoint));
  EXPECT_EQ(checkpoint.SerializeAsString(), before);
}

TEST(IsSoundWarmStartTest, ContradictionsAreFound) {
  const auto start = NewWarmStart(Fruit(), Words({"pear", "plum", "kiwi", "apple"}), 2);
  const v1::CheckpointFile good = Begun(*start, 2);
  ASSERT_TRUE(IsSoundWarmStart(good));
  EXPECT_OK(ParseCheckpoint(good.SerializeAsString(), "x"));
  const auto spoilt = [&good](auto spoil) {
    v1::CheckpointFile checkpoint = good;
    spoil(checkpoint);
    return !IsSoundWarmStart(checkpoint) &&
           !ParseCheckpoint(checkpoint.SerializeAsString(), "x").ok();
  };
  EXPECT_TRUE(spoilt([](auto& c) { c.mutable_warm_start()->mutable_topics()->pop_back(); }));
  EXPECT_TRUE(spoilt([](auto& c) { c.mutable_warm_start()->clear_topics(); }));
  EXPECT_TRUE(spoilt([](auto& c) { c.mutable_topics()->set_plan_id("reserved"); }));
  EXPECT_TRUE(spoilt([](auto& c) { c.mutable_warm_start()->add_document_topic_prior(1); }));
  EXPECT_TRUE(spoilt([](auto& c) { c.set_vocabulary_size(0); }));
  EXPECT_TRUE(spoilt([](auto& c) { c.clear_unigram(); }));
  EXPECT_TRUE(
      spoilt([](auto& c) { c.mutable_warm_start()->set_outcome(v1::WarmStart::OUTCOME_DROPPED); }));
  EXPECT_TRUE(spoilt([](auto& c) {
    c.mutable_warm_start()->set_outcome(v1::WarmStart::OUTCOME_USED);
    c.mutable_warm_start()->set_topics(std::string(16, '\0'));
  }));
  EXPECT_TRUE(spoilt([](auto& c) {
    c.mutable_warm_start()->set_outcome(static_cast<v1::WarmStart::Outcome>(7));
  }));
}

TEST(ReadInitialModelTest, ReadsAFolderOrAFileAndSaysWhatIsMissing) {
  testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/fruit.model";
  {
    auto directory = ModelDirectory::Open(path);
    ASSERT_OK(directory);
    ASSERT_OK((*directory)->Finish(Fruit()));
  }
  const auto from_folder = ReadInitialModel(path);
  const auto from_file = ReadInitialModel(path + "/model.pb");
  ASSERT_OK(from_folder);
  ASSERT_OK(from_file);
  EXPECT_EQ(from_folder->SerializeAsString(), from_file->SerializeAsString());
  EXPECT_THAT(ReadInitialModel(folder.path() + "/none"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::client
