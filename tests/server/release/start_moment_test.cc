#include "server/release/start_moment.h"

#include <gtest/gtest.h>

#include <set>

namespace topicwall::release {
namespace start_moment_test {

// Two corpora of which one takes a tenth longer to read cannot be told apart but at the edges: a
// hundred lengths of starts up to an hour are seen at thirty moments.
TEST(StartMomentTest, HowLongAStartTookIsSeenInStepsOfAFactor) {
  std::set<absl::Duration> seen;
  int starts = 0;
  for (absl::Duration took = absl::ZeroDuration(); took < absl::Hours(1);
       took = took * 1.1 + absl::Milliseconds(1)) {
    const absl::Duration moment = StartMoment(took);
    EXPECT_GE(moment, took);
    if (took > absl::Milliseconds(250)) EXPECT_LT(moment, took * 1.4143);
    seen.insert(moment);
    ++starts;
  }
  EXPECT_GT(starts, 100);
  EXPECT_LE(seen.size(), 29U);
  EXPECT_EQ(StartMoment(absl::ZeroDuration()), StartMoment(absl::Milliseconds(250)));
}

}  // namespace start_moment_test
}  // namespace topicwall::release
