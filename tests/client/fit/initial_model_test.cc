#include "client/fit/initial_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/warm_start.h"
#include "proto/matrix_codec.h"
#include "tests/client/small_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace initial_model_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Two topics over three terms; the second has no word but "kiwi".
v1::ModelFile Fruit() {
  return SmallModel({"apple", "kiwi", "pear"}, {8, 1, 1, 1e-30F, 2, 1e-30F});
}

lda::Vocabulary Words(std::vector<std::string> terms) {
  return *lda::Vocabulary::Create(std::move(terms));
}

TEST(NewWarmStartTest, TermsAreFoundByNameAndWhatTheModelLacksIsZero) {
  ASSERT_OK_AND_ASSIGN(const auto start,
                       NewWarmStart(Fruit(), Words({"pear", "plum", "kiwi", "apple"}), 2));
  EXPECT_EQ(start.outcome(), v1::WarmStart::OUTCOME_UNDECIDED);
  ASSERT_OK_AND_ASSIGN(const auto topics, proto::FloatsFromLittleEndian(start.topics()));
  ASSERT_EQ(topics.size(), 8u);
  const std::vector<float> expected = {0.1F, 0, 0.1F, 0.8F, 0, 0, 1, 0};
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(topics[i], expected[i], 1e-6) << i;
}

TEST(NewWarmStartTest, TopicsWithoutAWordOfTheCorpusAreLeftOut) {
  ASSERT_OK_AND_ASSIGN(const auto start,
                       NewWarmStart(Fruit(), Words({"pear", "plum", "apple", "fig"}), 2));
  EXPECT_EQ(start.topics().size(), 4 * sizeof(float));
}

TEST(NewWarmStartTest, MoreTopicsThanTheFitHasOrNoCommonTermIsAnError) {
  EXPECT_THAT(NewWarmStart(Fruit(), Words({"apple"}), 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least 2")));
  EXPECT_THAT(NewWarmStart(Fruit(), Words({"ship", "boat"}), 2),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("knows none")));
}

absl::StatusOr<v1::WarmStart> Decide(const v1::WarmStart& start, const std::vector<double>& unigram,
                                     int num_topics) {
  return DecideWarmStart(start, unigram, {.num_topics = num_topics, .seed = 1, .gamma_shape = 10});
}

bool IsSound(const v1::WarmStart& start, int num_topics, bool is_decided) {
  return IsSoundWarmStart(
      start, {.num_topics = num_topics, .vocabulary_size = 4, .is_decided = is_decided});
}

TEST(DecideWarmStartTest, TopicsThatFitAreUsedAndKept) {
  const auto start = NewWarmStart(Fruit(), Words({"pear", "plum", "kiwi", "apple"}), 3);
  ASSERT_OK_AND_ASSIGN(const auto decided, Decide(*start, {0.05, 0.3, 0.3, 0.35}, 3));
  EXPECT_EQ(decided.outcome(), v1::WarmStart::OUTCOME_USED);
  EXPECT_NEAR(decided.coverage(), 0.7, 1e-9);
  EXPECT_EQ(decided.topics().size(), 3u * 4 * sizeof(float));
  EXPECT_EQ(decided.source_sha256(), SourceDigest(Fruit()));
  EXPECT_TRUE(IsSound(decided, 3, true));
  // Deciding again, as after a kill, changes nothing: not even for another unigram.
  ASSERT_OK_AND_ASSIGN(const auto again, Decide(decided, {0.97, 0.01, 0.01, 0.01}, 3));
  EXPECT_EQ(again.SerializeAsString(), decided.SerializeAsString());
}

TEST(DecideWarmStartTest, AnAlphaForEachTopicIsKeptIfAllTopicsAreUsed) {
  v1::ModelFile tuned = Fruit();
  tuned.add_document_topic_prior(0.125);
  EXPECT_NE(SourceDigest(tuned), SourceDigest(Fruit()));
  const lda::Vocabulary words = Words({"pear", "plum", "kiwi", "apple"});
  const std::vector<double> fitting = {0.05, 0.3, 0.3, 0.35}, other = {0.97, 0.01, 0.01, 0.01};
  ASSERT_OK_AND_ASSIGN(const auto used, Decide(*NewWarmStart(tuned, words, 2), fitting, 2));
  EXPECT_THAT(used.document_topic_prior(), ElementsAre(0.5, 0.125));
  EXPECT_TRUE(IsSound(used, 2, true));
  ASSERT_OK_AND_ASSIGN(const auto dropped, Decide(*NewWarmStart(tuned, words, 2), other, 2));
  EXPECT_TRUE(dropped.document_topic_prior().empty());
  EXPECT_TRUE(IsSound(dropped, 2, true));
  ASSERT_OK_AND_ASSIGN(const auto wider, Decide(*NewWarmStart(tuned, words, 3), fitting, 3));
  EXPECT_TRUE(wider.document_topic_prior().empty()) << "nobody knows the alpha of the third";
}

TEST(DecideWarmStartTest, TopicsThatDoNotFitAreDroppedAndLeaveOnlyTheReason) {
  const auto start = NewWarmStart(Fruit(), Words({"pear", "plum", "kiwi", "apple"}), 2);
  ASSERT_OK_AND_ASSIGN(const auto decided, Decide(*start, {0.97, 0.01, 0.01, 0.01}, 2));
  EXPECT_EQ(decided.outcome(), v1::WarmStart::OUTCOME_DROPPED);
  EXPECT_GT(decided.divergence(), lda::kMostDivergence);
  EXPECT_EQ(decided.topics(), "");
  EXPECT_TRUE(IsSound(decided, 2, true));
}

TEST(IsSoundWarmStartTest, ContradictionsAreFound) {
  const auto start = NewWarmStart(Fruit(), Words({"pear", "plum", "kiwi", "apple"}), 2);
  ASSERT_OK(start);
  ASSERT_TRUE(IsSound(*start, 2, false));
  EXPECT_FALSE(IsSound(*start, 2, true)) << "the plan was made without a decision";
  EXPECT_FALSE(IsSound(*start, 1, false)) << "more topics than the fit has";
  EXPECT_FALSE(
      IsSoundWarmStart(*start, {.num_topics = 2, .vocabulary_size = 5, .is_decided = false}));
  const auto spoilt = [&start](bool is_decided, auto spoil) {
    v1::WarmStart other = *start;
    spoil(other);
    return !IsSound(other, 2, is_decided);
  };
  EXPECT_TRUE(spoilt(false, [](auto& w) { w.mutable_topics()->pop_back(); }));
  EXPECT_TRUE(spoilt(false, [](auto& w) { w.clear_topics(); }));
  EXPECT_TRUE(spoilt(false, [](auto& w) { w.add_document_topic_prior(1); }));
  EXPECT_TRUE(spoilt(true, [](auto& w) { w.set_outcome(v1::WarmStart::OUTCOME_DROPPED); }));
  EXPECT_TRUE(spoilt(true, [](auto& w) {
    w.set_outcome(v1::WarmStart::OUTCOME_USED);
    w.set_topics(std::string(16, '\0'));
  }));
  EXPECT_TRUE(spoilt(false, [](auto& w) { w.set_outcome(v1::WarmStart::OUTCOME_USED); }));
  for (const bool is_decided : {false, true}) {
    EXPECT_TRUE(
        spoilt(is_decided, [](auto& w) { w.set_outcome(static_cast<v1::WarmStart::Outcome>(7)); }));
  }
}

TEST(ReadInitialModelTest, ReadsAFolderOrAFileAndSaysWhatIsMissing) {
  testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/fruit.model";
  {
    ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(path));
    ASSERT_OK(directory->Finish(Fruit()));
  }
  ASSERT_OK_AND_ASSIGN(const auto from_folder, ReadInitialModel(path));
  ASSERT_OK_AND_ASSIGN(const auto from_file, ReadInitialModel(path + "/model.pb"));
  EXPECT_EQ(from_folder.SerializeAsString(), from_file.SerializeAsString());
  EXPECT_THAT(ReadInitialModel(folder.path() + "/none"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace initial_model_test
}  // namespace topicwall::client
