#include "client/fit/model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "model/data/tokenizer.h"
#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace model_file_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

lda::TopicModel Model() {
  return *lda::TopicModel::Create({.num_topics = 2,
                                   .vocabulary_size = 3,
                                   .document_topic_prior = 0.5,
                                   .topic_term_prior = 0.25,
                                   .topic_parameters = {1, 2, 3, 0.1f, 0.2f, 0.3f}});
}

v1::ModelFile File() {
  v1::FitPlan plan;
  plan.mutable_plan()->set_corpus("notes");
  plan.mutable_plan()->set_corpus_version("0123456789abcdef");
  plan.mutable_plan()->set_held_out_share(0.125);
  plan.set_plan_id("plan");
  v1::CorpusDescription description;
  description.set_tokenizer(lda::kTokenizerName);
  description.set_custodian_id("hospital");
  description.set_privacy_unit(v1::PRIVACY_UNIT_OWNER);
  return MakeModelFile(Model(), *lda::Vocabulary::Create({"apple", "fig", "pear"}),
                       {.description = description,
                        .algorithm = "paper",
                        .iterations = 9,
                        .epsilon = 2,
                        .delta = 1e-6,
                        .plan = plan});
}

TEST(ModelFileTest, EverythingComesBackThroughTheFile) {
  ASSERT_OK_AND_ASSIGN(const auto file, ParseModelFile(File().SerializeAsString(), "m"));
  ASSERT_OK_AND_ASSIGN(const auto model, ModelOf(file));
  EXPECT_EQ(model.topic_parameters(), Model().topic_parameters());
  EXPECT_EQ(model.topic_term_prior(), 0.25);
  EXPECT_THAT(model.document_topic_prior().values(), ElementsAre(0.5));
  ASSERT_OK_AND_ASSIGN(const auto vocabulary, VocabularyOf(file));
  EXPECT_THAT(vocabulary.terms(), ElementsAre("apple", "fig", "pear"));
  EXPECT_EQ(file.custodian_id(), "hospital");
  EXPECT_EQ(file.iterations(), 9);
  EXPECT_EQ(file.held_out_share(), 0.125);
  EXPECT_EQ(file.unit_naming().privacy_unit(), v1::PRIVACY_UNIT_OWNER);
}

TEST(ModelFileTest, DamageAndContradictionsAreErrorsThatNameTheFile) {
  const auto refused = [](const std::string& bytes, const std::string& why) {
    EXPECT_THAT(ParseModelFile(bytes, "m/model.pb"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("m/model.pb"), HasSubstr(why))));
  };
  const std::string good = File().SerializeAsString();
  refused(good.substr(0, good.size() - 3), "parse");
  refused("", "format_version");
  v1::ModelFile other = File();
  other.set_format_version(7);
  refused(other.SerializeAsString(), "got 7");
  // format_version 2, and field 7, the words, with what is no text.
  refused("\x08\x02\x3a\x02\xff\xfe", "format_version must be 1; got 2. Read it with the version");
  other = File();
  other.add_terms("kiwi");
  refused(other.SerializeAsString(), "3 terms; got 4");
  other = File();
  other.set_num_topics(3);
  refused(other.SerializeAsString(), "3 x 3 parameters");
  other = File();
  other.set_num_topics(-1);
  refused(other.SerializeAsString(), "at least one");
  other = File();
  other.set_noisy_statistics(proto::FloatsToLittleEndian({1, 2, 3, 4, 5, 6}));
  refused(other.SerializeAsString(), "noise is incomplete");
  other.mutable_noise_deviations()->Resize(3, 1);
  refused(other.SerializeAsString(), "noise is incomplete");
  other.mutable_term_probabilities()->Resize(3, 1.0 / 3);
  other.mutable_noisy_statistics()->pop_back();
  refused(other.SerializeAsString(), "noise is incomplete");
  other = File();
  other.mutable_mass_deviations()->Resize(2, 1);
  refused(other.SerializeAsString(), "noise is incomplete");
  for (const double weight : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    other = File();
    other.add_component_weights(0.5);
    other.add_component_weights(weight);
    refused(other.SerializeAsString(), "must be positive and finite");
  }
}

TEST(ModelFileTest, WhatItSaysOfMergedTopicsIsCompleteAndWithoutSumsBesideIt) {
  v1::ModelFile good = File();
  good.mutable_merged()->mutable_masses()->Resize(2, 5);
  good.mutable_merged()->mutable_term_probabilities()->Resize(3, 1.0 / 3);
  EXPECT_OK(ParseModelFile(good.SerializeAsString(), "m"));
  EXPECT_THAT(CorpusOf(good), ElementsAre(1.0 / 3, 1.0 / 3, 1.0 / 3));
  good.mutable_merged()->mutable_mass_variances()->Resize(2, 5);
  good.mutable_merged()->clear_term_probabilities();
  good.mutable_term_probabilities()->Resize(3, 1.0 / 3);
  EXPECT_OK(ParseModelFile(good.SerializeAsString(), "m"));
  const auto refused = [](const v1::ModelFile& file, const char* why) {
    EXPECT_THAT(ParseModelFile(file.SerializeAsString(), "m"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  v1::ModelFile other = good;
  other.mutable_merged()->add_masses(1);
  refused(other, "merged topics or of its noise is incomplete");
  other = good;
  other.mutable_merged()->add_mass_variances(1);
  refused(other, "merged topics or of its noise is incomplete");
  other = good;
  other.clear_merged();
  refused(other, "noise is incomplete");
  other = good;
  other.set_noisy_statistics(other.topic_parameters());
  other.mutable_noise_deviations()->Resize(3, 1);
  refused(other, "merged topics or of its noise is incomplete");
  other = good;
  other.clear_term_probabilities();
  refused(other, "term_probabilities must");
}

// A model may come from anybody, and its report shows both in a command that is there to be copied.
TEST(ModelFileTest, ACorpusOrAnAlgorithmThatAShellWouldObeyIsRefused) {
  for (const char* foul : {"denoised; rm -r ~ #", "it's", "--yes", "two words"}) {
    v1::ModelFile of_corpus = File(), of_algorithm = File();
    of_corpus.set_corpus(foul);
    of_algorithm.set_algorithm(foul);
    for (const v1::ModelFile& file : {of_corpus, of_algorithm}) {
      EXPECT_THAT(ParseModelFile(file.SerializeAsString(), "m"),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("names")));
    }
  }
}

// Each is above 0 and finite, and their sum is no 1: shares of topics would be none.
TEST(ModelFileTest, WeightsAndProbabilitiesThatDoNotSumToOneAreRefused) {
  const auto parse = [](const v1::ModelFile& file) {
    return ParseModelFile(file.SerializeAsString(), "m").status();
  };
  const auto refused = [](const char* what) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what));
  };
  v1::ModelFile gaussians = File();
  gaussians.clear_topic_parameters();
  gaussians.mutable_gaussian()->set_norm_bound(1);
  gaussians.mutable_gaussian()->mutable_means()->Resize(6, 0);
  gaussians.mutable_gaussian()->mutable_variances()->Resize(6, 1);
  for (v1::ModelFile mixture : {File(), gaussians}) {
    mixture.mutable_component_weights()->Resize(2, 0.5);
    EXPECT_OK(parse(mixture));
    mixture.set_component_weights(0, 0.5 + 1e-9);
    EXPECT_OK(parse(mixture)) << "rounding";
    for (const double weight : {0.49, 0.51, 1e308}) {
      mixture.mutable_component_weights()->Resize(0, 0);
      mixture.mutable_component_weights()->Resize(2, weight);
      EXPECT_THAT(parse(mixture), refused("weights of components must sum to 1 within 1e-6"));
    }
  }
  v1::ModelFile denoised = File();
  denoised.set_noisy_statistics(proto::FloatsToLittleEndian({1, 2, 3, 4, 5, 6}));
  denoised.mutable_noise_deviations()->Resize(3, 1);
  denoised.mutable_term_probabilities()->Resize(3, 1.0 / 3);
  EXPECT_OK(parse(denoised));
  for (const double probability : {0.5, -1.0, std::nan("")}) {
    denoised.set_term_probabilities(2, probability);
    EXPECT_THAT(parse(denoised), refused("term_probabilities must"));
  }
}

TEST(ModelFileTest, WhatItSaysOfItsNoiseComesBack) {
  v1::ModelFile file = File();
  ASSERT_OK_AND_ASSIGN(const auto nothing, NoiseOf(file));
  EXPECT_FALSE(nothing.has_value());
  file.set_noisy_statistics(proto::FloatsToLittleEndian({1, -2, 3, 4, 5, 6}));
  file.mutable_noise_deviations()->Resize(3, 7);
  file.mutable_term_probabilities()->Resize(3, 1.0 / 3);
  ASSERT_OK_AND_ASSIGN(const auto read, ParseModelFile(file.SerializeAsString(), "m"));
  ASSERT_OK_AND_ASSIGN(const auto noise, NoiseOf(read));
  ASSERT_TRUE(noise.has_value());
  EXPECT_THAT(noise->statistics, ElementsAre(1, -2, 3, 4, 5, 6));
  EXPECT_THAT(noise->topics(2).noise_deviations, ElementsAre(7, 7, 7));
  EXPECT_THAT(noise->term_probabilities, ElementsAre(1.0 / 3, 1.0 / 3, 1.0 / 3));
  EXPECT_THAT(noise->topics(2).mass_deviations, ElementsAre()) << "none along topics";
  file.mutable_mass_deviations()->Resize(2, 9);
  ASSERT_OK_AND_ASSIGN(const auto along, NoiseOf(*ParseModelFile(file.SerializeAsString(), "m")));
  EXPECT_THAT(along->topics(2).mass_deviations, ElementsAre(9, 9));
  file.mutable_mass_deviations()->Resize(3, 9);
  EXPECT_THAT(ParseModelFile(file.SerializeAsString(), "m"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("noise is incomplete")));
}

TEST(ModelFileTest, AParameterThatIsNotPositiveIsRefused) {
  v1::ModelFile file = File();
  file.set_topic_parameters(proto::FloatsToLittleEndian({1, 2, 3, 1, -1, 1}));
  EXPECT_THAT(ModelOf(file), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(MakeVocabularyTest, EachTokenizerHasItsRuleAndUnknownOnesAreRefused) {
  EXPECT_THAT(MakeVocabulary("words-1", {"two words"}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_OK(MakeVocabulary("counts", {"two words"}));
  EXPECT_THAT(MakeVocabulary("words-2", {"word"}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("words-2")));
}

}  // namespace model_file_test
}  // namespace topicwall::client
