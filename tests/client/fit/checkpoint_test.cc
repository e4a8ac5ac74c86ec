#include "client/fit/checkpoint.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "client/fit/fit_algorithm.h"
#include "client/wall/paid_release.h"
#include "tests/support/status_matchers.h"
#include "tests/support/topic_plans.h"

namespace topicwall::client {
namespace checkpoint_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::CorpusDescription Description() {
  v1::CorpusDescription description;
  description.set_corpus_version("0123456789abcdef");
  description.mutable_limits()->set_max_model_iterations(50);
  return description;
}

// As a quote completes it.
FitSpec Spec(const std::string& algorithm = kPaper) {
  FitSpec spec;
  spec.corpus = "notes";
  spec.algorithm = algorithm;
  spec.num_topics = 4;
  spec.iterations = 3;
  spec.sampling_rate = 0.5;
  spec.epsilon = 2.44;
  spec.noise_multiplier = 6.3;
  spec.clip_norm = 4;
  spec.max_words = 500;
  return spec;
}

lda::Vocabulary FiveTerms() {
  return *lda::Vocabulary::Create({"apple", "fig", "kiwi", "pear", "plum"});
}

v1::CheckpointFile New(const FitSpec& spec,
                       const v1::CorpusDescription& description = Description()) {
  return *NewCheckpoint(spec, *StagesOf(spec, description), FiveTerms());
}

// With the first request, as the first one in a folder has.
v1::CheckpointFile Begun(const std::string& algorithm = kPaper) {
  v1::CheckpointFile checkpoint = New(Spec(algorithm));
  checkpoint.mutable_stages(0)->mutable_plan()->set_request_id(*NewRequestId());
  return checkpoint;
}

TEST(CheckpointTest, ANewOneHoldsEverythingThatWasAskedForAndThePlanThatFollows) {
  const v1::CheckpointFile checkpoint = New(Spec());
  EXPECT_EQ(checkpoint.spec().SerializeAsString(), RecordOf(Spec()).SerializeAsString());
  EXPECT_EQ(checkpoint.spec().clip_norm(), 4);
  EXPECT_EQ(checkpoint.vocabulary_size(), 5);
  ASSERT_EQ(checkpoint.stages_size(), 1);
  const v1::FitStage& stage = checkpoint.stages(0);
  EXPECT_EQ(stage.iterations_done(), 0);
  EXPECT_EQ(stage.plan().request_id(), "");
  const v1::ReleaseSpec& plan = stage.plan().plan();
  EXPECT_EQ(plan.corpus(), "notes");
  EXPECT_EQ(plan.corpus_version(), "0123456789abcdef");
  EXPECT_EQ(plan.sampling_rate(), 0.5);
  EXPECT_EQ(plan.gaussian().noise_multiplier(), 6.3);
  EXPECT_EQ(plan.iterations(), 3);
  EXPECT_EQ(plan.max_tokens(), 500);
  EXPECT_EQ(plan.model(), "lda");
  const v1::LdaOptions options = testing::OptionsOf(plan);
  EXPECT_EQ(options.num_topics(), 4);
  ASSERT_EQ(options.document_topic_prior_size(), 1);
  EXPECT_EQ(options.document_topic_prior(0), 0.25);
  EXPECT_EQ(options.max_iterations(), 20);
  EXPECT_EQ(options.mean_change_threshold(), 1e-3);
}

TEST(CheckpointTest, TheWallsLimitOnEStepIterationsIsKept) {
  v1::CorpusDescription description = Description();
  description.mutable_limits()->set_max_model_iterations(7);
  const v1::CheckpointFile checkpoint = New(Spec(kDenoised), description);
  ASSERT_EQ(checkpoint.stages_size(), 2);
  for (const v1::FitStage& stage : checkpoint.stages()) {
    EXPECT_EQ(testing::OptionsOf(stage.plan().plan()).max_iterations(), 7);
    EXPECT_EQ(testing::OptionsOf(stage.plan().plan()).mean_change_threshold(), 1e-2);
  }
}

TEST(CheckpointTest, RequestIdsDoNotRepeat) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(*NewRequestId());
  EXPECT_EQ(ids.size(), 1000u);
}

TEST(CheckpointTest, TheSeedDecidesTheInitialTopicsAndNothingElseDoes) {
  const auto with_seed = [](uint64_t seed) {
    FitSpec spec = Spec();
    spec.seed = seed;
    return New(spec).state();
  };
  EXPECT_EQ(with_seed(1), with_seed(1));
  EXPECT_NE(with_seed(1), with_seed(2));
}

// Of four components: a count of documents behind each five words.
Release WithDocuments(const Release& topics) {
  Release release = {.header = topics.header, .statistics = {}};
  for (size_t i = 0; i < topics.statistics.size(); ++i) {
    release.statistics.push_back(topics.statistics[i]);
    if (i % 5 == 4) release.statistics.push_back(static_cast<float>(i));
  }
  return release;
}

// Of so many components in five dimensions: counts, sums, squares.
Release OfVectors(int components) {
  Release release;
  release.header.set_noise_standard_deviation(2);
  for (int i = 0; i < 11 * components; ++i) {
    const int column = i % 11, component = i / 11;
    release.statistics.push_back(column == 0  ? 100.0F + static_cast<float>(component)
                                 : column < 6 ? static_cast<float>(7 * i % 40) - 20
                                              : 30);
  }
  return release;
}

// The claim the resumption rests on: through the file and back, nothing moves.
TEST(CheckpointTest, ThroughTheFileEveryAlgorithmGoesOnWithTheSameBits) {
  Release counts;
  counts.statistics = {900, 700, 800, 300, 500};
  counts.header.set_noise_standard_deviation(2);
  Release release;
  release.statistics = {3.25f, -1.5f,  0.1f, 7, 2, 1, -4,   9.5f, 0.25f, 2,
                        11,    -0.75f, 3,    5, 8, 1, 0.5f, 2,    6,     -3};
  release.header.set_noise_standard_deviation(2);
  for (const std::string algorithm : {kDenoised, kMixture, kPaper, kGaussian}) {
    const bool of_gaussians = algorithm == kGaussian;
    const bool two_stages = algorithm == kDenoised || algorithm == kMixture || of_gaussians;
    v1::CheckpointFile saved = Begun(algorithm);
    ASSERT_OK_AND_ASSIGN(auto straight, RestoreAlgorithm(saved));
    v1::FitStage& topics = *saved.mutable_stages(saved.stages_size() - 1);
    if (two_stages) {
      ASSERT_OK(straight->TakeIn(of_gaussians ? OfVectors(1) : counts));
      v1::FitStage& unigram = *saved.mutable_stages(0);
      unigram.mutable_plan()->set_plan_id("u");
      unigram.set_iterations_done(1);
      ASSERT_OK_AND_ASSIGN(const auto plan, straight->BeginStage(1, topics.plan().plan()));
      *topics.mutable_plan()->mutable_plan() = plan;
      topics.mutable_plan()->set_request_id(*NewRequestId());
    }
    topics.mutable_plan()->set_plan_id("p");
    const Release taken = algorithm == kMixture ? WithDocuments(release)
                          : of_gaussians        ? OfVectors(4)
                                                : release;
    ASSERT_OK(straight->TakeIn(taken));
    topics.set_iterations_done(1);
    saved.set_state(straight->State());
    ASSERT_OK_AND_ASSIGN(const auto read, ParseCheckpoint(saved.SerializeAsString(), "file"));
    EXPECT_EQ(read.SerializeAsString(), saved.SerializeAsString());
    ASSERT_OK_AND_ASSIGN(auto resumed, RestoreAlgorithm(read));
    EXPECT_EQ(resumed->State(), straight->State());
    EXPECT_EQ(resumed->clip_norm(), straight->clip_norm());
    EXPECT_EQ(*resumed->NextParameters(), *straight->NextParameters());
    ASSERT_OK(straight->TakeIn(taken));
    ASSERT_OK(resumed->TakeIn(taken));
    EXPECT_EQ(resumed->State(), straight->State());
  }
}

void ExpectRefused(const std::string& bytes, const std::string& why) {
  EXPECT_THAT(ParseCheckpoint(bytes, "m/checkpoint.pb"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::AllOf(HasSubstr("m/checkpoint.pb"), HasSubstr(why))));
}
void ExpectRefused(const v1::CheckpointFile& checkpoint, const std::string& why) {
  ExpectRefused(checkpoint.SerializeAsString(), why);
}

TEST(CheckpointTest, DamageAndContradictionsAreErrorsThatNameTheFile) {
  const std::string good = Begun().SerializeAsString();
  ASSERT_OK(ParseCheckpoint(good, "x"));
  ExpectRefused(good.substr(0, good.size() / 2), "parse");
  ExpectRefused(std::string(), "format_version");
  v1::CheckpointFile other = Begun();
  other.set_format_version(8);
  ExpectRefused(other, "format_version must be 7; got 8");
  other = Begun();
  other.mutable_stages(0)->mutable_plan()->set_request_id("short");
  ExpectRefused(other, "incomplete");
  ExpectRefused(New(Spec()), "incomplete");  // a checkpoint begins with a request
  other = Begun();
  other.clear_stages();
  ExpectRefused(other, "incomplete");
  other = Begun();
  other.mutable_stages(0)->set_iterations_done(4);
  ExpectRefused(other, "iterations");
  other = Begun();
  other.mutable_stages(0)->set_iterations_done(-1);
  ExpectRefused(other, "iterations");
  other = Begun();
  other.mutable_stages(0)->set_iterations_done(1);  // done, but never reserved
  ExpectRefused(other, "iterations");
  other = Begun();
  other.mutable_spec()->set_algorithm("magic");
  ExpectRefused(other, "algorithm");
  other = Begun();
  testing::ChangeOptions(other.mutable_stages(0)->mutable_plan()->mutable_plan(),
                         [](auto& options) { options.set_num_topics(-3); });
  ExpectRefused(other, "incomplete");
  other = Begun();
  other.set_vocabulary_size(0);
  ExpectRefused(other, "vocabulary");
  other.set_vocabulary_size(int64_t{1} << 31);
  ExpectRefused(other, "vocabulary");
}

// As a copy of it ends that was cut short: what was paid stands at the end of the file.
TEST(CheckpointTest, AFileThatEndsEarlyIsRefusedWhereverItEnds) {
  v1::CheckpointFile checkpoint = Begun();
  checkpoint.set_epsilon(2.44);
  checkpoint.set_delta(1e-6);
  checkpoint.set_epsilon_taken(1.2);
  const std::string whole = checkpoint.SerializeAsString();
  ASSERT_OK(ParseCheckpoint(whole, "x"));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseCheckpoint(whole.substr(0, size), "x").ok())
        << size << " of " << whole.size();
  }
}

// The format is read before anything else: nothing of it is taken for something else.
TEST(CheckpointTest, AnOlderFormatIsRefusedWithWhatToDo) {
  // format_version 4, and a plan (field 2) with a request_id that is no text.
  const std::string old = "\x08\x04\x12\x06\x0a\x04\xff\xfe\xfd\xfc";
  ExpectRefused(old,
                "format_version must be 7; got 4. Finish the fit with the version of "
                "topicwall that began it.");
}

TEST(CheckpointTest, AStageOutOfItsOrderIsAnError) {
  const auto done = [](v1::CheckpointFile& checkpoint) {
    checkpoint.mutable_stages(0)->mutable_plan()->set_plan_id("u");
    checkpoint.mutable_stages(0)->set_iterations_done(1);
  };
  const auto requested = [](v1::CheckpointFile& checkpoint) {
    checkpoint.mutable_stages(1)->mutable_plan()->set_request_id(std::string(16, 't'));
  };
  ASSERT_OK(ParseCheckpoint(Begun(kDenoised).SerializeAsString(), "file"));
  v1::CheckpointFile other = Begun(kDenoised);
  done(other);
  ASSERT_OK(ParseCheckpoint(other.SerializeAsString(), "file"));
  requested(other);
  ASSERT_OK(ParseCheckpoint(other.SerializeAsString(), "file"));
  other.mutable_stages(0)->set_iterations_done(0);  // the second before the first was done
  ExpectRefused(other, "iterations");
  other = Begun(kDenoised);
  done(other);
  other.mutable_stages(1)->mutable_plan()->set_plan_id("t");  // reserved without a request
  ExpectRefused(other, "iterations");
  other = Begun(kDenoised);
  other.mutable_stages(0)->mutable_plan()->clear_request_id();
  ExpectRefused(other, "incomplete");
}

TEST(CheckpointTest, AnUnknownAlgorithmIsRefusedAtTheStart) {
  EXPECT_THAT(NewCheckpoint(Spec("magic"), *StagesOf(Spec(), Description()), FiveTerms()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("denoised, paper, mixture or gaussian")));
}

TEST(CheckpointTest, WhatTheAlgorithmWouldRefuseLaterIsRefusedAtTheStart) {
  FitSpec spec = Spec(kPaper);
  spec.sampling_rate = 2;
  EXPECT_THAT(NewCheckpoint(spec, *StagesOf(spec, Description()), FiveTerms()),
              StatusIs(absl::StatusCode::kInvalidArgument));
  spec = Spec(kPaper);
  spec.initial_model = std::make_shared<const v1::ModelFile>();
  EXPECT_THAT(NewCheckpoint(spec, *StagesOf(spec, Description()), FiveTerms()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("algorithms denoised, mixture and gaussian")));
}

}  // namespace checkpoint_test
}  // namespace topicwall::client
