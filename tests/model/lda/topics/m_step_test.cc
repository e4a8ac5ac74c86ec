#include "model/lda/topics/m_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/model/lda/synthetic_corpus.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace m_step_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::topicwall::lda::testing::SyntheticCorpus;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

MStepShape Shape(int num_topics, int vocabulary_size, double sampling_rate) {
  return {.num_topics = num_topics,
          .vocabulary_size = vocabulary_size,
          .document_topic_prior = 0.1,
          .topic_term_prior = 0.5,
          .sampling_rate = sampling_rate};
}

PaperMStep Paper(double sampling_rate, MStepState state) {
  auto m_step = PaperMStep::Create({.shape = Shape(1, 3, sampling_rate), .tau0 = 3, .kappa = 0.5},
                                   std::move(state));
  EXPECT_OK(m_step);
  return *std::move(m_step);
}

TEST(PaperMStepTest, FollowsAlgorithm1ByHand) {
  // ρ_1 = (3 + 1)^-0.5 = 1/2, η = 0.5, ν = 1: λ = ½ λ + ½ (0.5 + max(sum, 0)).
  auto m_step = Paper(1, InitialMStepState({1, 2, 3}));
  ASSERT_OK(m_step.Update(std::vector<float>{10, -4, 0}));
  EXPECT_THAT(m_step.state().topics, ElementsAre(5.75f, 1.25f, 1.75f));
  // ρ_2 = 5^-0.5.
  ASSERT_OK(m_step.Update(std::vector<float>{0, 8, -1}));
  const double rho = 1 / std::sqrt(5.0);
  EXPECT_NEAR(m_step.state().topics[0], 5.75 * (1 - rho) + 0.5 * rho, 1e-6);
  EXPECT_NEAR(m_step.state().topics[1], 1.25 * (1 - rho) + 8.5 * rho, 1e-6);
  EXPECT_NEAR(m_step.state().topics[2], 1.75 * (1 - rho) + 0.5 * rho, 1e-6);
  EXPECT_EQ(m_step.state().updates, 2);
}

TEST(PaperMStepTest, DividesTheSumByTheSamplingRate) {
  auto m_step = Paper(0.25, InitialMStepState({1, 1, 1}));
  ASSERT_OK(m_step.Update(std::vector<float>{1, 2, -1}));
  EXPECT_THAT(m_step.state().topics, ElementsAre(2.75f, 4.75f, 0.75f));
}

TEST(PaperMStepTest, SendsExpectedLogBetaOfItsModel) {
  auto m_step = Paper(1, InitialMStepState({1, 2, 3}));
  ASSERT_OK(m_step.Update(std::vector<float>{10, -4, 0}));
  EXPECT_THAT(m_step.Model().topic(0), ElementsAre(5.75f, 1.25f, 1.75f));
  EXPECT_THAT(m_step.NextLogTopics().values(),
              ElementsAreArray(ExpectedLogBeta(m_step.Model()).values()));
}

TEST(MStepTest, BeforeAnySumTheModelIsTheInitialTopics) {
  EXPECT_THAT(Paper(1, InitialMStepState({1, 2, 3})).Model().topic(0), ElementsAre(1, 2, 3));
}

TEST(MStepTest, AModelCarriesThePriorsOfTheShape) {
  const TopicModel model = Paper(1, InitialMStepState({1, 2, 3})).Model();
  EXPECT_THAT(model.document_topic_prior().values(), ::testing::ElementsAre(0.1));
  EXPECT_EQ(model.topic_term_prior(), 0.5);
}

TEST(MStepTest, ARestoredStateGoesOnWithTheSameBits) {
  SyntheticCorpus corpus(1);
  auto whole = Paper(0.3, InitialMStepState({1, 2, 3}));
  for (int t = 0; t < 10; ++t) {
    auto resumed = Paper(0.3, whole.state());
    std::vector<float> sum;
    for (int i = 0; i < 3; ++i) sum.push_back(static_cast<float>(corpus.Uniform() - 0.4));
    ASSERT_OK(whole.Update(sum));
    ASSERT_OK(resumed.Update(sum));
    ASSERT_EQ(resumed.state().topics, whole.state().topics);
    ASSERT_EQ(resumed.state().updates, whole.state().updates);
    ASSERT_THAT(resumed.NextLogTopics().values(), ElementsAreArray(whole.NextLogTopics().values()));
  }
}

TEST(MStepTest, ThreadsChangeNoBits) {
  // More entries than a thread takes at a time.
  constexpr int kTopics = 3, kTerms = 40001;
  SyntheticCorpus corpus(4);
  const std::vector<float> initial = corpus.Parameters(kTopics, kTerms, 2);
  std::vector<float> sum = corpus.Parameters(kTopics, kTerms, 6);
  for (float& entry : sum) entry -= 3;
  const auto make = [&initial] {
    return *PaperMStep::Create({.shape = Shape(kTopics, kTerms, 0.3), .tau0 = 1, .kappa = 0.7},
                               InitialMStepState(initial));
  };
  auto one = make(), three = make();
  three.UseThreads(3);
  for (int t = 0; t < 2; ++t) {
    ASSERT_OK(one.Update(sum));
    ASSERT_OK(three.Update(sum));
    ASSERT_EQ(one.state().topics, three.state().topics);
    ASSERT_EQ(one.NextLogTopics().values(), three.NextLogTopics().values());
  }
  // A bad entry is found by whichever thread meets it, and reported by its place.
  sum[kTerms + 39999] = NAN;
  const std::vector<float> before = three.state().topics;
  EXPECT_THAT(three.Update(sum),
              StatusIs(kInvalid, AllOf(HasSubstr("topic 1"), HasSubstr("term 39999"))));
  EXPECT_EQ(three.state().topics, before);
}

TEST(PaperMStepTest, StepsShrinkByTheStatedPower) {
  // From λ = 1 and a sum of 0 with η = 1/2: λ = 1 − ρ_1/2, ρ_1 = (τ0 + 1)^−κ.
  for (const double kappa : {0.0, 0.5, 0.7, 1.0, 30.0}) {
    for (const double tau0 : {0.0, 1.0, 1024.0}) {
      ASSERT_OK_AND_ASSIGN(
          auto m_step, PaperMStep::Create({.shape = Shape(1, 1, 1), .tau0 = tau0, .kappa = kappa},
                                          InitialMStepState({1})));
      ASSERT_OK(m_step.Update(std::vector<float>{0}));
      EXPECT_NEAR(m_step.state().topics[0], 1 - std::pow(tau0 + 1, -kappa) * 0.5, 1e-7);
    }
  }
}

TEST(MStepTest, ABadSumIsRefusedAndChangesNothing) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  auto m_step = Paper(1e-3, InitialMStepState({1, 2, 3}));
  ASSERT_OK(m_step.Update(std::vector<float>{4, 5, 6}));
  const MStepState before = m_step.state();
  EXPECT_THAT(m_step.Update(std::vector<float>{1, 2}), StatusIs(kInvalid, HasSubstr("got 2")));
  for (const float bad : {NAN, INFINITY, -INFINITY, kHuge}) {
    EXPECT_THAT(m_step.Update(std::vector<float>{1, 2, bad}),
                StatusIs(kInvalid, AllOf(HasSubstr("topic 0"), HasSubstr("term 2"))))
        << bad;
  }
  EXPECT_EQ(m_step.state().topics, before.topics);
  EXPECT_EQ(m_step.state().updates, before.updates);
}

TEST(MStepTest, RefusesParametersOutOfRangeByName) {
  const auto paper = [](double rate, double tau0, double kappa) {
    return PaperMStep::Create({.shape = Shape(1, 1, rate), .tau0 = tau0, .kappa = kappa},
                              InitialMStepState({1}));
  };
  EXPECT_OK(paper(1, 0, 0));
  EXPECT_THAT(paper(0, 1, 1), StatusIs(kInvalid, HasSubstr("sampling_rate")));
  EXPECT_THAT(paper(1.1, 1, 1), StatusIs(kInvalid, HasSubstr("sampling_rate")));
  EXPECT_THAT(paper(1, -1, 1), StatusIs(kInvalid, HasSubstr("tau0")));
  EXPECT_THAT(paper(1, 1, std::nan("")), StatusIs(kInvalid, HasSubstr("kappa")));
}

TEST(MStepTest, RefusesAStateThatIsNotOne) {
  const auto create = [](MStepState state) {
    return PaperMStep::Create({.shape = Shape(1, 2, 1), .tau0 = 1, .kappa = 1}, std::move(state));
  };
  EXPECT_THAT(create(InitialMStepState({1})), StatusIs(kInvalid, HasSubstr("got 0 and 1")));
  EXPECT_THAT(create(InitialMStepState({1, 0})), StatusIs(kInvalid, HasSubstr("term 1")));
  EXPECT_THAT(create({.updates = -1, .topics = {1, 1}}), StatusIs(kInvalid));
  EXPECT_THAT(create({.updates = 1, .topics = {1, NAN}}), StatusIs(kInvalid, HasSubstr("finite")));
  EXPECT_THAT(create({.updates = 1, .topics = {1, -3}}), StatusIs(kInvalid, HasSubstr("above 0")));
}

}  // namespace m_step_test
}  // namespace topicwall::lda
