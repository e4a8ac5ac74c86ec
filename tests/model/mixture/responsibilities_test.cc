#include "model/mixture/responsibilities.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "model/lda/kernel/e_step_kernel.h"

namespace topicwall::mixture {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Uniform numbers in [0, 1), from nothing but their order.
class Draws {
 public:
  double Next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_ = 1;
};

struct Mixture {
  int num_components;
  int num_terms;  // V + 1
  std::vector<float> weights;

  lda::LogTopicsView View() const { return {num_components, num_terms, weights}; }
};

Mixture Drawn(int num_components, int vocabulary_size) {
  Draws draws;
  Mixture mixture = {num_components, vocabulary_size + 1, {}};
  for (int i = 0; i < num_components * (vocabulary_size + 1); ++i) {
    mixture.weights.push_back(static_cast<float>(std::log(draws.Next() + 1e-9) - 3));
  }
  return mixture;
}

std::vector<lda::TermCount> DrawnDocument(int vocabulary_size, int words, uint64_t seed) {
  Draws draws;
  for (uint64_t i = 0; i < seed; ++i) draws.Next();
  std::vector<uint32_t> counts(static_cast<size_t>(vocabulary_size));
  for (int i = 0; i < words; ++i) {
    ++counts[static_cast<size_t>(draws.Next() * draws.Next() * vocabulary_size)];
  }
  std::vector<lda::TermCount> document;
  for (uint32_t term = 0; term < counts.size(); ++term) {
    if (counts[term] > 0) document.push_back({term, counts[term]});
  }
  return document;
}

// By the definition, in double: no common factor is taken out before the sums are there.
std::vector<double> ByDefinition(const Mixture& mixture,
                                 const std::vector<lda::TermCount>& counts) {
  std::vector<double> shares(static_cast<size_t>(mixture.num_components));
  for (size_t k = 0; k < shares.size(); ++k) {
    for (const lda::TermCount& entry : counts) {
      const size_t at = k * static_cast<size_t>(mixture.num_terms) + entry.term;
      shares[k] += entry.count * static_cast<double>(mixture.weights[at]);
    }
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  for (double& share : shares) share = std::exp(share - largest);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

// Catches a weight that is read at another term's place, a count that is left out, and a padded
// component that counts: each moves a share by more than 1e-5 in some of these.
TEST(ResponsibilitiesTest, AreThoseOfTheDefinitionOnEveryKernel) {
  for (const lda::EStepKernel& kernel : lda::SupportedKernels()) {
    for (const int num_components : {1, 2, 15, 16, 17, 50}) {
      const Mixture mixture = Drawn(num_components, 97);
      const Responsibilities responsibilities(mixture.View(), kernel, 2);
      Responsibilities::Workspace workspace;
      for (const int words : {1, 2, 7, 60, 1000}) {
        std::vector<lda::TermCount> counts;
        ASSERT_TRUE(
            WithItself(DrawnDocument(97, words, static_cast<uint64_t>(words)), 97, &counts));
        responsibilities.Infer(counts, workspace);
        const std::vector<double> expected = ByDefinition(mixture, counts);
        std::vector<double> found(expected.size());
        for (size_t a = 0; a < workspace.components().size(); ++a) {
          found[workspace.components()[a]] = workspace.shares()[a];
        }
        for (size_t k = 0; k < expected.size(); ++k) {
          // None is listed that is less than 2^-12/K, and each that is more.
          const double left_out = found[k] == 0 ? 0x1p-12 / num_components : 0;
          EXPECT_NEAR(found[k], expected[k], left_out + 1e-5)
              << kernel.name << ", K = " << num_components << ", words " << words << ", " << k;
        }
      }
    }
  }
}

TEST(ResponsibilitiesTest, ThreadsThatFillTheTableChangeNoBit) {
  const Mixture mixture = Drawn(20, 3000);
  const Responsibilities one(mixture.View(), lda::ChosenKernel(), 1);
  const Responsibilities four(mixture.View(), lda::ChosenKernel(), 4);
  Responsibilities::Workspace workspace, other;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<lda::TermCount> counts;
    ASSERT_TRUE(WithItself(DrawnDocument(3000, 8, seed), 3000, &counts));
    one.Infer(counts, workspace);
    four.Infer(counts, other);
    EXPECT_EQ(workspace.components(), other.components());
    EXPECT_EQ(workspace.shares(), other.shares());
  }
}

// −10^9 times 4 billion occurrences is what no float may overflow at.
TEST(ResponsibilitiesTest, SharesOfHostileWeightsStillSumToOne) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  for (const lda::EStepKernel& kernel : lda::SupportedKernels()) {
    Mixture mixture = {3,
                       4,
                       {kLowest, 0, kLowest, kLowest,  //
                        0, kLowest, kLowest, -1e30F,   //
                        kLowest, kLowest, 0, -1e-40F}};
    const Responsibilities responsibilities(mixture.View(), kernel, 1);
    Responsibilities::Workspace workspace;
    responsibilities.Infer({{0, kMost}, {1, kMost}, {2, kMost}, {3, 1}}, workspace);
    ASSERT_THAT(workspace.components(), SizeIs(::testing::Ge(1u))) << kernel.name;
    double sum = 0;
    for (const float share : workspace.shares()) sum += share;
    EXPECT_NEAR(sum, 1, 1e-6) << kernel.name;
  }
}

TEST(ResponsibilitiesTest, ComponentsThatAddUpToLessThanAFourThousandthAreLeftOut) {
  for (const lda::EStepKernel& kernel : lda::SupportedKernels()) {
    // 2^-13 is e^-9.01.
    for (const auto& [weight, listed] : {std::pair<float, size_t>{-8.9F, 2}, {-9.1F, 1}}) {
      const Mixture mixture = {2, 2, {0, 0, weight, 0}};
      const Responsibilities responsibilities(mixture.View(), kernel, 1);
      Responsibilities::Workspace workspace;
      responsibilities.Infer({{0, 1}, {1, 1}}, workspace);
      EXPECT_THAT(workspace.components(), SizeIs(listed)) << kernel.name;
    }
  }
}

TEST(WithItselfTest, ADocumentIsCountedOnceBesideItsTerms) {
  std::vector<lda::TermCount> counts;
  ASSERT_TRUE(WithItself(std::vector<lda::TermCount>{{1, 3}}, 5, &counts));
  EXPECT_THAT(counts, ElementsAre(lda::TermCount{1, 3}, lda::TermCount{5, 1}));
  EXPECT_FALSE(WithItself({}, 5, &counts));
  EXPECT_FALSE(WithItself(std::vector<lda::TermCount>{{5, 1}}, 5, &counts)) << "not in V";
  EXPECT_FALSE(WithItself(std::vector<lda::TermCount>{{1, 1}, {1, 1}}, 5, &counts));
  EXPECT_THAT(counts, SizeIs(0));
}

}  // namespace
}  // namespace topicwall::mixture
