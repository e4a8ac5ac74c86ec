#include "client/fit/fit_settings.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "client/audit/enforced_price.h"
#include "client/fit/fit_algorithm.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

NoiseRules Rules() {
  NoiseRules rules = {.policy = *accountant::AdmissionPolicy::Create(
                          *accountant::BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6})),
                      .description = {}};
  rules.description.mutable_limits()->set_min_noise_multiplier(0.5);
  return rules;
}

FitSettings Settings() {
  return {.plan = {.corpus = "notes",
                   .algorithm = kSignedAverage,
                   .num_topics = 50,
                   .iterations = 10,
                   .sampling_rate = 1,
                   .epsilon = 2.44,
                   .noise_multiplier = {},
                   .max_words = {}},
          .choices = {.clip_norm = 4, .seed = 1}};
}

v1::CheckpointFile Checkpoint() {
  v1::CheckpointFile checkpoint;
  v1::PlanSpec& plan = *checkpoint.mutable_topics()->mutable_plan();
  plan.set_corpus("notes");
  plan.set_sampling_rate(1);
  plan.set_iterations(10);
  plan.set_max_words(500);
  plan.mutable_lda()->set_num_topics(50);
  plan.set_noise_multiplier(*ChooseNoiseMultiplier(
      Rules().policy,
      {.epsilon = 2.44, .sampling_rate = 1, .iterations = 10, .min_noise_multiplier = 0.5}));
  checkpoint.set_clip_norm(3);  // after some histograms
  checkpoint.set_first_clip_norm(4);
  checkpoint.set_algorithm(kSignedAverage);
  checkpoint.set_seed(1);
  return checkpoint;
}

TEST(CheckSameFitTest, TheSameCommandIsTheSameFit) {
  EXPECT_OK(CheckSameFit(Settings(), Checkpoint(), Rules()));
}

TEST(CheckSameFitTest, ASlightlyTighterPriceOfANewerVersionIsTheSameFit) {
  v1::CheckpointFile checkpoint = Checkpoint();
  v1::PlanSpec& plan = *checkpoint.mutable_topics()->mutable_plan();
  plan.set_noise_multiplier(plan.noise_multiplier() * 1.0005);
  EXPECT_OK(CheckSameFit(Settings(), checkpoint, Rules()));
}

struct Change {
  std::string flag;
  std::function<void(FitSettings&)> apply;
};

TEST(CheckSameFitTest, EveryFlagThatDiffersIsNamed) {
  const std::vector<Change> changes = {
      {"corpus", [](FitSettings& s) { s.plan.corpus = "letters"; }},
      {"topics", [](FitSettings& s) { s.plan.num_topics = 49; }},
      {"iterations", [](FitSettings& s) { s.plan.iterations = 11; }},
      {"sampling-rate", [](FitSettings& s) { s.plan.sampling_rate = 0.5; }},
      {"max-words", [](FitSettings& s) { s.plan.max_words = 499; }},
      {"held-out-share", [](FitSettings& s) { s.plan.held_out_share = 0.1; }},
      {"epsilon", [](FitSettings& s) { s.plan.epsilon = 2.4; }},
      {"epsilon", [](FitSettings& s) { s.plan.epsilon = 2.5; }},
      {"noise-multiplier",
       [](FitSettings& s) {
         s.plan.epsilon.reset();
         s.plan.noise_multiplier = 6;
       }},
      {"clip-norm", [](FitSettings& s) { s.choices.clip_norm = 5; }},
      {"algorithm", [](FitSettings& s) { s.plan.algorithm = kPaper; }},
      {"seed", [](FitSettings& s) { s.choices.seed = 2; }},
  };
  for (const Change& change : changes) {
    FitSettings settings = Settings();
    change.apply(settings);
    EXPECT_THAT(CheckSameFit(settings, Checkpoint(), Rules()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("fit with " + change.flag)));
  }
}

TEST(CheckSameFitTest, NoiseAtTheWallsLimitIsTheSameFitAgain) {
  v1::CheckpointFile checkpoint = Checkpoint();
  checkpoint.mutable_topics()->mutable_plan()->set_noise_multiplier(30);
  NoiseRules rules = Rules();
  rules.description.mutable_limits()->set_min_noise_multiplier(30);
  EXPECT_OK(CheckSameFit(Settings(), checkpoint, rules));
}

TEST(CheckSameModelTest, WhatTheFileKnowsMustAgree) {
  v1::ModelFile model;
  model.set_corpus("notes");
  model.set_num_topics(50);
  model.set_iterations(10);
  model.set_algorithm(kSignedAverage);
  EXPECT_OK(CheckSameModel(Settings(), model));
  model.set_iterations(9);
  EXPECT_THAT(CheckSameModel(Settings(), model),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("iterations 9")));
  model.set_iterations(10);
  model.set_held_out_share(0.1);
  EXPECT_THAT(CheckSameModel(Settings(), model),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("held-out-share 0.1")));
}

}  // namespace
}  // namespace topicwall::client
