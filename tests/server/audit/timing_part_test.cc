// The clock's part of the audit, short: twenty releases of each corpus, so that only what tells the
// two apart nearly every time is seen.
#include "server/audit/timing_part.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/status_macros.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

// 19 numbers are compared: a false alarm once in 10^8 runs. Seen is a distance of 0.95 and more
// (two samples of twenty that are wholly apart have probability 1.5e-11).
constexpr double kMostP = 5e-10;
constexpr int kOfEach = 20;

absl::StatusOr<std::vector<Finding>> Try(bool timing_protection) {
  const testing::TemporaryDirectory parent;
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ScratchFolder> folder,
                      ScratchFolder::Create(parent.path()));
  TW_ASSIGN_OR_RETURN(const AuditSeed seed, AuditSeed::Fresh());
  return TryTiming({.of_each = kOfEach,
                    .most_p = kMostP,
                    .interval_ms = 1'000,
                    .timing_protection = timing_protection},
                   seed, folder.get());
}

TEST(TimingPartTest, NeitherArrivalsNorAnyCallTellAThinCorpusFromAFatOne) {
  const auto findings = Try(true);
  ASSERT_OK(findings);
  for (const Finding& finding : *findings) {
    EXPECT_EQ(finding.verdict, Verdict::kHolds) << finding.claim << ": " << finding.measured;
  }
}

// The trial sees what it is there to see.
TEST(TimingPartTest, AWallWithoutAScheduleIsFoundOut) {
  const auto findings = Try(false);
  ASSERT_OK(findings);
  EXPECT_NE(findings->at(0).verdict, Verdict::kHolds) << findings->at(0).measured;
}

}  // namespace
}  // namespace topicwall::audit
