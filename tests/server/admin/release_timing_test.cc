#include "server/admin/release_timing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using testing::StatusIs;

constexpr ReleaseShape kSmall = {.num_topics = 3,
                                 .vocabulary_size = 30,
                                 .words = 10,
                                 .max_e_step_iterations = 5,
                                 .units = 1000,
                                 .documents_per_unit = 1,
                                 .threads = 2};

// How long it takes is the machine's affair; that every thread times something is not.
TEST(ReleaseTiming, EveryThreadTimesAtLeastOneDocument) {
  const auto timing = TimeWorstRelease(kSmall);
  ASSERT_OK(timing);
  EXPECT_GE(timing->documents_timed, 2);
  EXPECT_TRUE(std::isfinite(timing->seconds));
  EXPECT_GT(timing->seconds, 0);
}

// e^-K underflows float32 somewhere between 80 and 110 topics: what the analyst can force must
// be in the worst case of the many and need not be in that of the few.
TEST(ReleaseTiming, DoublePrecisionIsTimedWhereAnAnalystCanForceIt) {
  ReleaseShape shape = kSmall;
  for (const int64_t words : {int64_t{1}, int64_t{10}, int64_t{200}}) {
    shape.words = words;
    shape.num_topics = 200;
    const auto many = TimeWorstRelease(shape);
    ASSERT_OK(many);
    EXPECT_TRUE(many->in_double) << words;
    shape.num_topics = 20;
    const auto few = TimeWorstRelease(shape);
    ASSERT_OK(few);
    EXPECT_FALSE(few->in_double) << words;
  }
}

TEST(ReleaseTiming, DocumentsMayHaveMoreWordsThanTheVocabulary) {
  ReleaseShape shape = kSmall;
  shape.words = 1'000'000'000;
  EXPECT_OK(TimeWorstRelease(shape));
  shape.vocabulary_size = 1;
  shape.num_topics = 1;
  EXPECT_OK(TimeWorstRelease(shape));
}

// 10^3 words · 10^2 topics · 10^4 iterations is the limit of one document's work; a hundred
// times that would take minutes if all iterations were run.
TEST(ReleaseTiming, AVeryLongDocumentIsTimedInPart) {
  ReleaseShape shape = kSmall;
  shape.num_topics = 1000;
  shape.vocabulary_size = 1000;
  shape.words = 1000;
  shape.max_e_step_iterations = 100'000;
  shape.threads = 1;
  const auto timing = TimeWorstRelease(shape);
  ASSERT_OK(timing);
  EXPECT_GE(timing->documents_timed, 1);
}

TEST(ReleaseTiming, AShapeThatNoReleaseHasIsRefused) {
  for (int ReleaseShape::*field :
       {&ReleaseShape::num_topics, &ReleaseShape::max_e_step_iterations, &ReleaseShape::threads}) {
    ReleaseShape shape = kSmall;
    shape.*field = 0;
    EXPECT_THAT(TimeWorstRelease(shape), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  for (int64_t ReleaseShape::*field : {&ReleaseShape::vocabulary_size, &ReleaseShape::words,
                                       &ReleaseShape::units, &ReleaseShape::documents_per_unit}) {
    ReleaseShape shape = kSmall;
    shape.*field = 0;
    EXPECT_THAT(TimeWorstRelease(shape), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace topicwall::admin
