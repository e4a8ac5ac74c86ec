#include "server/audit/pairs/neighbouring_pair.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

#include "model/data/bounded_vector.h"
#include "server/audit/attack.h"
#include "server/mechanism/mechanism_limits.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

TEST(PairsByNameTest, AreWithinWhatAnAnalystMayAsk) {
  for (const NeighbouringPair& pair : PairsByName()) {
    EXPECT_OK(mechanism::ValidatePaidMechanism(pair.mechanism,
                                               model::GridOf(pair.rows(), pair.vocabulary_size)))
        << pair.name;
    EXPECT_OK(mechanism::ValidateClipNorm(pair.clip_norm)) << pair.name;
    EXPECT_EQ(pair.log_topics.size(), static_cast<std::size_t>(pair.vocabulary_size) *
                                          static_cast<std::size_t>(pair.rows()));
    EXPECT_FALSE(pair.others.empty()) << pair.name;
    EXPECT_FALSE(pair.unit.empty()) << pair.name;
  }
}

TEST(PairsByNameTest, AreWithinItWhenTheyAreEvaluatedByTwoNumbersToo) {
  for (const NeighbouringPair& named : PairsByName()) {
    for (const auto& [pair, fitted] : {std::pair(EvaluationOf(named), named),
                                       std::pair(MixtureEvaluationOf(named), MixtureOf(named)),
                                       std::pair(LikelihoodOf(named), GaussianOf(named))}) {
      EXPECT_OK(mechanism::ValidatePaidMechanism(pair.mechanism, model::GridOf(1, 2))) << pair.name;
      EXPECT_EQ(pair.log_topics, fitted.log_topics) << pair.name;
      EXPECT_EQ(pair.num_topics(), named.num_topics()) << pair.name;
      EXPECT_EQ(pair.rows(), 1) << pair.name;
    }
  }
}

TEST(PairsByNameTest, AreWithinItWithNoiseAlongTopicsToo) {
  for (const NeighbouringPair& named : PairsByName()) {
    const NeighbouringPair pair = AlongOf(named);
    EXPECT_GT(pair.direction_noise, 0) << pair.name;
    EXPECT_OK(
        mechanism::ValidateDirectionNoise(pair.direction_noise, pair.mechanism.noise_multiplier))
        << pair.name;
    for (const auto of : {EvaluationOf, MixtureOf, MixtureEvaluationOf, PrevalenceOf, GaussianOf,
                          LikelihoodOf, LengthsOf}) {
      EXPECT_EQ(of(pair).direction_noise, 0) << "only LDA has directions";
    }
  }
}

TEST(PairsByNameTest, LengthsHaveAColumnForEachBin) {
  for (const NeighbouringPair& named : PairsByName()) {
    const NeighbouringPair pair = LengthsOf(named);
    EXPECT_EQ(pair.rows(), 1) << pair.name;
    EXPECT_OK(mechanism::ValidatePaidMechanism(pair.mechanism, model::GridOf(1, 8))) << pair.name;
  }
}

TEST(PairsByNameTest, AMixtureHasOneColumnMore) {
  for (const NeighbouringPair& named : PairsByName()) {
    const NeighbouringPair pair = MixtureOf(named);
    EXPECT_EQ(pair.num_topics(), named.num_topics()) << pair.name;
    const auto shape = model::GridOf(pair.rows(), pair.vocabulary_size + 1);
    EXPECT_OK(mechanism::ValidatePaidMechanism(pair.mechanism, shape)) << pair.name;
    EXPECT_EQ(static_cast<int64_t>(pair.log_topics.size()), shape.dimension) << pair.name;
  }
}

TEST(PairsByNameTest, OfVectorsEveryDocumentIsOneAndSomeAreAtTheirBound) {
  bool at_the_bound = false, within = false;
  for (const NeighbouringPair& named : PairsByName()) {
    const NeighbouringPair pair = GaussianOf(named);
    EXPECT_EQ(pair.num_topics(), named.num_topics()) << pair.name;
    const auto shape = model::GridOf(pair.rows(), 2 * pair.vector_dimension() + 1);
    EXPECT_OK(mechanism::ValidatePaidMechanism(pair.mechanism, shape)) << pair.name;
    EXPECT_EQ(static_cast<int64_t>(pair.log_topics.size()), shape.dimension) << pair.name;
    for (const PlantedDocument& document : pair.unit) {
      EXPECT_TRUE(model::IsWithinBound(document.vector)) << pair.name;
      const double norm = model::SquaredNorm(document.vector);
      (norm > 1 - 1e-6 ? at_the_bound : within) = true;
    }
  }
  EXPECT_TRUE(at_the_bound && within);
}

TEST(PairsByNameTest, TheUnitIsNobodyElse) {
  for (const NeighbouringPair& pair : PairsByName()) {
    std::set<std::string> names;
    for (const PlantedDocument& other : pair.others) {
      names.insert(pair.privacy_unit == v1::PRIVACY_UNIT_OWNER ? other.owner : other.id);
    }
    for (const PlantedDocument& document : pair.unit) {
      EXPECT_EQ(document.owner, pair.unit[0].owner) << pair.name;
      EXPECT_EQ(names.count(document.owner) + names.count(document.id), 0u) << pair.name;
    }
    EXPECT_TRUE(pair.unit.size() == 1 || pair.privacy_unit == v1::PRIVACY_UNIT_OWNER);
  }
}

// a·N = 50 words of one topic's term at clip norm C = a·N, and a unit of N = 500 of the other's.
TEST(PairsByNameTest, TheFirstIsThePapersWorstCaseAtItsOwnSetting) {
  const NeighbouringPair pair = PairsByName()[0];
  EXPECT_EQ(pair.clip_norm, 50);
  EXPECT_EQ(pair.mechanism.max_words, 500);
  ASSERT_EQ(pair.others.size(), 1u);
  EXPECT_EQ(pair.others[0].counts, (std::vector<lda::TermCount>{{0, 50}}));
  EXPECT_EQ(pair.unit[0].counts, (std::vector<lda::TermCount>{{1, 500}}));
}

TEST(PairsByNameTest, ReachBothEndsOfEveryRange) {
  std::set<double> clip_norms, sigmas;
  bool weights = false, nobody = false;
  for (const NeighbouringPair& pair : PairsByName()) {
    clip_norms.insert(pair.clip_norm);
    sigmas.insert(pair.mechanism.noise_multiplier);
    weights |= !pair.mechanism.weights.empty();
    nobody |= pair.mechanism.sampling_rate < 1e-9;
  }
  EXPECT_EQ(*clip_norms.begin(), mechanism::kMinClipNorm);
  EXPECT_EQ(*clip_norms.rbegin(), mechanism::kMaxClipNorm);
  EXPECT_EQ(*sigmas.begin(), mechanism::kMinNoiseMultiplier);
  EXPECT_EQ(*sigmas.rbegin(), mechanism::kMaxNoiseMultiplier);
  EXPECT_TRUE(weights && nobody);
}

TEST(MadeUpPairsTest, FollowFromTheSeedAndGoToTheEndsOfWhatMayBeAsked) {
  ASSERT_OK_AND_ASSIGN(const auto attack,
                       Attack::Create({.seed = "00112233445566778899aabbccddeeff"}));
  ASSERT_OK_AND_ASSIGN(auto one, attack->Choices("pairs"));
  ASSERT_OK_AND_ASSIGN(auto two, attack->Choices("pairs"));
  bool owner = false, sampled = false, huge = false, weighted = false, large_sigma = false;
  std::set<double> direction_noises;
  for (int i = 0; i < 300; ++i) {
    const NeighbouringPair pair = MakeUpPair(kSmallShapes, one);
    const NeighbouringPair again = MakeUpPair(kSmallShapes, two);
    EXPECT_EQ(pair.log_topics, again.log_topics);
    EXPECT_EQ(pair.clip_norm, again.clip_norm);
    EXPECT_EQ(pair.unit[0].counts, again.unit[0].counts);
    EXPECT_OK(mechanism::ValidatePaidMechanism(pair.mechanism,
                                               model::GridOf(pair.rows(), pair.vocabulary_size)));
    ASSERT_FALSE(pair.others.empty());
    owner |= pair.unit.size() > 1;
    sampled |= pair.mechanism.sampling_rate < 1;
    weighted |= !pair.mechanism.weights.empty();
    EXPECT_OK(
        mechanism::ValidateDirectionNoise(pair.direction_noise, pair.mechanism.noise_multiplier));
    direction_noises.insert(pair.direction_noise);
    large_sigma |= pair.mechanism.noise_multiplier > 1e4;
    for (const lda::TermCount& count : pair.unit[0].counts) huge |= count.count == UINT32_MAX;
  }
  EXPECT_TRUE(owner && sampled && huge && weighted && large_sigma);
  EXPECT_GT(direction_noises.size(), 20U) << "and 0";
  const NeighbouringPair large = MakeUpPair(kLargeShapes, one);
  EXPECT_GE(large.vocabulary_size, 50'000);
  EXPECT_GE(large.num_topics(), 100);
}

}  // namespace
}  // namespace topicwall::audit
