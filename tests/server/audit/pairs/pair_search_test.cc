#include "server/audit/pairs/pair_search.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "server/audit/audit_seed.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

std::string Sketch(const NeighbouringPair& pair) {
  std::string text = pair.name + " " + std::to_string(pair.vocabulary_size) + " " +
                     std::to_string(pair.clip_norm) + " " +
                     std::to_string(pair.mechanism.noise_multiplier);
  for (const PlantedDocument& document : pair.unit) {
    for (const lda::TermCount& count : document.counts) {
      text += " " + std::to_string(count.term) + ":" + std::to_string(count.count);
    }
  }
  return text;
}

PairSearch SearchOf(const char* seed, const PairShapes& shapes) {
  return PairSearch(AuditSeed::Of(seed)->Choices("pairs").value(), shapes);
}

constexpr char kSeed[] = "00112233445566778899aabbccddeeff";
constexpr char kOther[] = "10112233445566778899aabbccddeeff";

TEST(PairSearchTest, TheSameSeedFindsTheSameThingsAndAnotherOthers) {
  PairSearch one = SearchOf(kSeed, kSmallShapes);
  PairSearch two = SearchOf(kSeed, kSmallShapes);
  PairSearch other = SearchOf(kOther, kSmallShapes);
  std::string last;
  for (int i = 0; i < 20; ++i) {
    const std::string sketch = Sketch(one.Random());
    EXPECT_EQ(sketch, Sketch(two.Random()));
    EXPECT_NE(sketch, Sketch(other.Random()));
    EXPECT_NE(sketch, last);
    last = sketch;
  }
}

TEST(PairSearchTest, MakesUpModelsOfTheSizeOfThoseInUse) {
  PairSearch search = SearchOf(kSeed, kProductionShapes);
  for (int i = 0; i < 3; ++i) {
    const NeighbouringPair pair = search.Random();
    EXPECT_GE(pair.vocabulary_size, 50'000);
    EXPECT_GE(pair.num_topics(), 100);
    EXPECT_LE(pair.unit[0].counts.size(), 5'000u) << "sparse";
    EXPECT_EQ(pair.log_topics.size(), static_cast<std::size_t>(pair.vocabulary_size) *
                                          static_cast<std::size_t>(pair.num_topics()));
  }
}

TEST(PairSearchTest, GoesToTheEndsOfWhatMayBeAsked) {
  PairSearch search = SearchOf(kSeed, kSmallShapes);
  bool owner = false, sampled = false, huge = false, weighted = false, large_sigma = false;
  for (int i = 0; i < 300; ++i) {
    const NeighbouringPair pair = i % 2 == 0 ? search.Random() : search.Varied(search.Random());
    ASSERT_FALSE(pair.others.empty());
    ASSERT_FALSE(pair.unit.empty());
    ASSERT_EQ(pair.log_topics.size(), static_cast<std::size_t>(pair.vocabulary_size) *
                                          static_cast<std::size_t>(pair.num_topics()));
    owner |= pair.unit.size() > 1;
    sampled |= pair.mechanism.sampling_rate < 1;
    weighted |= !pair.mechanism.weights.empty();
    large_sigma |= pair.mechanism.noise_multiplier > 1e4;
    for (const lda::TermCount& count : pair.unit[0].counts) huge |= count.count == UINT32_MAX;
  }
  EXPECT_TRUE(owner && sampled && huge && weighted && large_sigma);
}

}  // namespace
}  // namespace topicwall::audit
