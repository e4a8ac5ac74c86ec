#include "lda/dirichlet_prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

TEST(DirichletPriorTest, AcceptsTheClosedRange) {
  for (const double value : {kMinPrior, 0.02, 1.0, kMaxPrior}) EXPECT_OK(CheckPrior("x", value));
}

TEST(DirichletPriorTest, RefusesTheRestByName) {
  for (const double value : {0.0, -1.0, 1e-300, 9.9e-7, 1.1e6, 1e308, HUGE_VAL, std::nan("")}) {
    EXPECT_THAT(CheckPrior("topic_term_prior", value),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("topic_term_prior"), HasSubstr("got "))))
        << value;
  }
}

}  // namespace
}  // namespace topicwall::lda
