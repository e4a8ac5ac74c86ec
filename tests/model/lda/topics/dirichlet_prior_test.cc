#include "model/lda/topics/dirichlet_prior.h"

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

TEST(DocumentTopicPriorTest, IsOneNumberForAllTopicsOrOneForEach) {
  const DocumentTopicPrior one = 0.25;
  EXPECT_OK(one.Check(7));
  EXPECT_EQ(one.of(6), 0.25);
  const DocumentTopicPrior each({0.5, 2, 0.25});
  EXPECT_OK(each.Check(3));
  EXPECT_EQ(each.of(1), 2);
  for (const int num_topics : {1, 2, 4}) {
    EXPECT_THAT(each.Check(num_topics),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got 3 numbers")));
  }
  EXPECT_THAT(DocumentTopicPrior(std::vector<double>()).Check(3),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got 0 numbers")));
}

TEST(DocumentTopicPriorTest, EveryNumberOfItIsChecked) {
  for (const double bad : {0.0, -1.0, std::nan(""), 2e6}) {
    EXPECT_THAT(DocumentTopicPrior({0.5, 0.5, bad}).Check(3),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("document_topic_prior")));
  }
}

}  // namespace
}  // namespace topicwall::lda
