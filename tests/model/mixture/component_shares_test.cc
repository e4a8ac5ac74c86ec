#include "model/mixture/component_shares.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "model/lda/kernel/e_step_kernel.h"

namespace topicwall::mixture {
namespace component_shares_test {

using ::testing::DoubleNear;
using ::testing::Pointwise;

// φ_0 = (½, ½), φ_1 = (10^-6, 1 − 10^-6), π = (¾, ¼).
const Responsibilities& EStep() {
  static const auto* const parameters =
      new std::vector<float>{std::log(0.5F),  std::log(0.5F),         std::log(0.75F),  //
                             std::log(1e-6F), std::log(1.0F - 1e-6F), std::log(0.25F)};
  static const auto* const e_step =
      new Responsibilities({.num_topics = 2, .vocabulary_size = 3, .values = *parameters},
                           lda::ChosenKernel(), /*num_threads=*/1);
  return *e_step;
}

std::vector<double> SharesOf(ComponentShares& shares, const std::vector<lda::TermCount>& document) {
  std::vector<double> found;
  shares.Fill(document, &found);
  return found;
}

// r_1 = ¼·10^-6/(¾·½ + ¼·10^-6), far below what a statistic lists.
TEST(ComponentSharesTest, NoComponentIsLeftOutHoweverUnlikely) {
  ComponentShares shares(&EStep());
  const std::vector<double> found = SharesOf(shares, {{.term = 0, .count = 1}});
  const double unlikely = 0.25e-6 / (0.375 + 0.25e-6);
  EXPECT_NEAR(found[1], unlikely, 1e-5 * unlikely);
  EXPECT_NEAR(found[0] + found[1], 1, 1e-12);
}

TEST(ComponentSharesTest, WhatIsNoDocumentOfTheVocabularyHasTheWeights) {
  ComponentShares shares(&EStep());
  // Something before it, which must not be left over. The last column is no word.
  SharesOf(shares, {{.term = 0, .count = 5}});
  for (const std::vector<lda::TermCount>& document :
       {std::vector<lda::TermCount>{}, {{.term = 2, .count = 1}}, {{1, 1}, {0, 1}}}) {
    EXPECT_THAT(SharesOf(shares, document), Pointwise(DoubleNear(1e-6), {0.75, 0.25}));
  }
}

}  // namespace component_shares_test
}  // namespace topicwall::mixture
