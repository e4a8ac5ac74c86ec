#include "server/admin/budget_proportion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

v1::CorpusConfig OfSize(int64_t units) {
  v1::CorpusConfig corpus;
  if (units > 0) corpus.set_nominal_size(units);
  return corpus;
}

TEST(BudgetProportionTest, AUsualBudgetIsNotTalkedAbout) {
  EXPECT_EQ(OutOfProportion({.epsilon = 2.44, .delta = 1e-6}, OfSize(100000)), "");
  EXPECT_EQ(OutOfProportion({.epsilon = 10, .delta = 1e-5}, OfSize(100000)), "");
  EXPECT_EQ(OutOfProportion({.epsilon = 10, .delta = 1e-4}, OfSize(0)), "");
}

TEST(BudgetProportionTest, ALargeEpsilonIsSaidInWords) {
  EXPECT_THAT(OutOfProportion({.epsilon = 1e6, .delta = 1e-6}, OfSize(100000)),
              HasSubstr("hardly protects"));
  EXPECT_NE(OutOfProportion({.epsilon = std::nextafter(10, 11), .delta = 1e-6}, OfSize(10)), "");
}

TEST(BudgetProportionTest, ADeltaIsHeldAgainstTheNominalSize) {
  EXPECT_THAT(OutOfProportion({.epsilon = 1, .delta = 5e-5}, OfSize(100000)),
              AllOf(HasSubstr("one in the nominal size of 100000"), HasSubstr("gave away 5 of")));
  EXPECT_NE(OutOfProportion({.epsilon = 1, .delta = 0.5}, OfSize(0)), "");
  EXPECT_NE(OutOfProportion({.epsilon = 1, .delta = 2e-4}, OfSize(0)), "");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(OutOfProportion({.epsilon = nan, .delta = 1e-6}, OfSize(10)), "");
}

}  // namespace
}  // namespace topicwall::admin
