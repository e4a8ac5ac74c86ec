// The clock's part of the audit, short: twenty releases of each corpus, so that only what tells the
// two apart nearly every time is seen.
#include <gtest/gtest.h>

#include <memory>

#include "base/status_macros.h"
#include "server/audit/attack.h"
#include "server/audit/parts.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

// 19 numbers are compared: a false alarm once in 10^8 runs. Seen is a distance of 0.95 and more
// (two samples of twenty that are wholly apart have probability 1.5e-11).
constexpr double kMostP = 5e-10;
constexpr int kOfEach = 20;

Findings Try(int64_t interval_ms, int fat_documents, double most_p) {
  const testing::TemporaryDirectory parent;
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<Attack> attack,
                      Attack::Create({.scratch_directory = parent.path()}));
  return TryTiming({.of_each = kOfEach,
                    .most_p = most_p,
                    .interval_ms = interval_ms,
                    .fat_documents = fat_documents},
                   *attack);
}

TEST(TimingPartTest, NeitherArrivalsNorAnyCallTellAThinCorpusFromAFatOne) {
  ASSERT_OK_AND_ASSIGN(const auto findings, Try(1'500, 1'000, kMostP));
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.verdict, Verdict::kHolds) << finding.claim << ": " << finding.measured;
  }
}

// The trial sees what it is there to see: at 1e-4, so that a few releases may be held up by others
// on the machine.
TEST(TimingPartTest, AWallWithoutAScheduleIsFoundOut) {
  ASSERT_OK_AND_ASSIGN(const auto findings, Try(0, 4'000, 1e-4));
  ASSERT_FALSE(findings.empty());
  EXPECT_NE(findings.at(0).verdict, Verdict::kHolds) << findings.at(0).measured;
}

}  // namespace
}  // namespace topicwall::audit
