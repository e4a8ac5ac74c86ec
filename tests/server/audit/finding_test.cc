#include "server/audit/finding.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace topicwall::audit {
namespace {

TEST(FindingTest, EveryPartAndEveryVerdictHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const Part part : AllParts()) names.insert(std::string(NameOf(part)));
  EXPECT_EQ(names, (std::set<std::string>{"replay", "inputs", "memory", "noise", "sampling",
                                          "ledger", "schedule", "timing"}));
  std::set<std::string> verdicts;
  for (const Verdict verdict :
       {Verdict::kHolds, Verdict::kUtilityLost, Verdict::kViolated, Verdict::kNotFinished}) {
    verdicts.insert(std::string(NameOf(verdict)));
  }
  EXPECT_EQ(verdicts.size(), 4u);
}

TEST(FindingTest, IsNoGoodNewsUnlessSomebodySaysSo) {
  EXPECT_EQ(Finding().verdict, Verdict::kNotFinished);
}

}  // namespace
}  // namespace topicwall::audit
