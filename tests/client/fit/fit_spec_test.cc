#include "client/fit/fit_spec.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "client/exit_code.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace fit_spec_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

FitSpec Spec() {
  FitSpec spec;
  spec.corpus = "notes";
  spec.algorithm = kPaper;
  spec.num_topics = 50;
  spec.iterations = 10;
  spec.epsilon = 2.44;
  return *WithDefaults(spec);
}

// As a quote completes it.
v1::FitSpec Begun() {
  FitSpec spec = Spec();
  spec.max_words = 500;
  spec.noise_multiplier = 6.3;
  return RecordOf(spec);
}

TEST(WithDefaultsTest, WhatIsNotGivenIsTheAlgorithmsOwn) {
  struct Defaults {
    std::string algorithm;
    int iterations;
    double sampling_rate;
    double clip_norm;
  };
  for (const Defaults& defaults : std::vector<Defaults>{
           {kDenoised, 40, 1, 0.7}, {kMixture, 40, 1, 0.7}, {kPaper, 20, 0.05, 50}}) {
    FitSpec spec;
    spec.algorithm = defaults.algorithm;
    ASSERT_OK_AND_ASSIGN(const auto complete, WithDefaults(spec));
    EXPECT_EQ(complete.iterations, defaults.iterations);
    EXPECT_EQ(complete.sampling_rate, defaults.sampling_rate);
    EXPECT_EQ(complete.clip_norm, defaults.clip_norm);
    EXPECT_EQ(complete.num_topics, std::nullopt) << "nobody knows";
  }
}

TEST(WithDefaultsTest, WhatIsGivenStaysAndAPlannersIterationsStayOpen) {
  FitSpec spec;
  spec.is_planned = true;
  EXPECT_EQ(WithDefaults(spec)->iterations, std::nullopt);
  spec.iterations = 7;
  spec.sampling_rate = 0.5;
  spec.clip_norm = 3;
  ASSERT_OK_AND_ASSIGN(const auto complete, WithDefaults(spec));
  EXPECT_EQ(complete.iterations, 7);
  EXPECT_EQ(complete.sampling_rate, 0.5);
  EXPECT_EQ(complete.clip_norm, 3);
}

TEST(WithDefaultsTest, AnInitialModelSaysHowManyTopicsUnlessTheAnalystDoes) {
  v1::ModelFile model;
  model.set_num_topics(9);
  FitSpec spec;
  spec.initial_model = std::make_shared<const v1::ModelFile>(model);
  EXPECT_EQ(WithDefaults(spec)->num_topics, 9);
  spec.num_topics = 12;
  EXPECT_EQ(WithDefaults(spec)->num_topics, 12);
}

TEST(CheckSameFitTest, TheSameCommandIsTheSameFit) { EXPECT_OK(CheckSameFit(Spec(), Begun())); }

// Or a newer version, which prices more tightly, could not go on with it.
TEST(CheckSameFitTest, TheNoiseThatWasFoundForAnEpsilonIsNotFoundAgain) {
  v1::FitSpec begun = Begun();
  begun.set_noise_multiplier(30);  // at the wall's limit, say
  EXPECT_OK(CheckSameFit(Spec(), begun));
}

TEST(CheckSameFitTest, WhatIsLeftToAPlannerAndTheWallIsThatOfTheFit) {
  FitSpec open = Spec();
  open.num_topics.reset();
  open.iterations.reset();
  open.max_words.reset();
  EXPECT_OK(CheckSameFit(open, Begun()));
}

struct Change {
  std::string flag;
  std::function<void(FitSpec&)> apply;
};

TEST(CheckSameFitTest, EveryFlagThatDiffersIsNamed) {
  const std::vector<Change> changes = {
      {"corpus", [](FitSpec& s) { s.corpus = "letters"; }},
      {"topics", [](FitSpec& s) { s.num_topics = 49; }},
      {"iterations", [](FitSpec& s) { s.iterations = 11; }},
      {"sampling-rate", [](FitSpec& s) { s.sampling_rate = 0.5; }},
      {"max-words", [](FitSpec& s) { s.max_words = 499; }},
      {"held-out-share", [](FitSpec& s) { s.held_out_share = 0.1; }},
      {"epsilon", [](FitSpec& s) { s.epsilon = 2.4; }},
      {"epsilon", [](FitSpec& s) { s.epsilon = 2.5; }},
      {"noise-multiplier",
       [](FitSpec& s) {
         s.epsilon.reset();
         s.noise_multiplier = 6;
       }},
      {"clip-norm", [](FitSpec& s) { s.clip_norm = 5; }},
      {"algorithm", [](FitSpec& s) { s.algorithm = kMixture; }},
      {"seed", [](FitSpec& s) { s.seed = 2; }},
  };
  for (const Change& change : changes) {
    FitSpec asked = Spec();
    change.apply(asked);
    EXPECT_THAT(CheckSameFit(asked, Begun()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("fit with " + change.flag)));
  }
}

// The Python package says 2.0 where a command line says 2.
TEST(CheckSameFitTest, WhatToSpendIsTheSameNumberHoweverItIsTyped) {
  v1::FitSpec begun = Begun();
  begun.clear_epsilon();
  FitSpec asked = Spec();
  asked.epsilon.reset();
  for (const auto& [first, second, same] :
       std::vector<std::tuple<std::string, std::string, bool>>{{"2", "2.0", true},
                                                               {"90%", "90.0%", true},
                                                               {"all", "all", true},
                                                               {"2", "2.1", false},
                                                               {"1", "100%", false},
                                                               {"all", "100%", false}}) {
    begun.set_spend(first);
    asked.spend = *ParseSpend(second);
    const absl::Status checked = CheckSameFit(asked, begun);
    EXPECT_EQ(checked.ok(), same) << first << " " << second;
    if (!same) {
      EXPECT_THAT(std::string(checked.message()), HasSubstr("fit with spend " + first));
    }
  }
}

TEST(CheckSameFitTest, WhatDiffersIsToldInValuesAsWell) {
  FitSpec asked = Spec();
  asked.num_topics = 49;
  EXPECT_THAT(ErrorJson(CheckSameFit(asked, Begun())),
              HasSubstr(R"("detail":{"kind":"plan_mismatch","flag":"topics","was":50,"now":49})"));
  asked = Spec();
  asked.algorithm = kMixture;
  EXPECT_THAT(ErrorJson(CheckSameFit(asked, Begun())), HasSubstr(R"("now":"mixture")"));
}

TEST(CheckSameModelTest, WhatTheFileKnowsMustAgree) {
  v1::ModelFile model;
  model.set_corpus("notes");
  model.set_num_topics(50);
  model.set_iterations(10);
  model.set_algorithm(kPaper);
  EXPECT_OK(CheckSameModel(Spec(), model));
  model.set_iterations(9);
  EXPECT_THAT(CheckSameModel(Spec(), model),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("iterations 9")));
  model.set_iterations(10);
  model.set_held_out_share(0.1);
  EXPECT_THAT(CheckSameModel(Spec(), model),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("held-out-share 0.1")));
}

}  // namespace fit_spec_test
}  // namespace topicwall::client
