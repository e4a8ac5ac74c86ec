#include "tests/mutants/mutant_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topicwall::mutants {
namespace {

using ::testing::HasSubstr;

TableRow Row(const std::string& name, CheckResult::Outcome outcome) {
  return {.mutant = {.name = name,
                     .title = "The noise is doubled",
                     .caught_by = {{.program = "noise_test", .filter = "NoiseTest.*"}},
                     .edits = {{.source = "server/noise.cc", .original = "a", .replacement = "b"},
                               {.source = "server/noise.cc", .original = "c", .replacement = "d"}},
                     .is_probe = false},
          .results = {{.outcome = outcome,
                       .failed = {"NoiseTest.One", "NoiseTest.Two", "NoiseTest.Three"},
                       .releases = 7,
                       .output = ""}}};
}

TEST(MutantTableTest, ARowSaysWhatWhereAndWhatCaughtItAfterHowManyReleases) {
  EXPECT_THAT(TableOf({Row("doubled", CheckResult::Outcome::kFailed)}),
              HasSubstr("| `doubled` | The noise is doubled | `server/noise.cc` | "
                        "`NoiseTest.One`, `NoiseTest.Two` and 1 more | 7 | – | – |\n"));
}

TEST(MutantTableTest, TheAuditHasColumnsOfItsOwn) {
  TableRow row = Row("doubled", CheckResult::Outcome::kFailed);
  row.mutant.caught_by.push_back({.program = "audit", .filter = "noise"});
  row.results.push_back({.outcome = CheckResult::Outcome::kFailed,
                         .failed = {"entries have the stated noise", "they are independent"},
                         .releases = 500,
                         .output = ""});
  EXPECT_THAT(TableOf({row}),
              HasSubstr("and 1 more | 7 | noise: entries have the stated noise | 500 |\n"));
}

TEST(MutantTableTest, WhatDidNotFailIsNotCaught) {
  for (const auto outcome : {CheckResult::Outcome::kPassed, CheckResult::Outcome::kCrashed,
                             CheckResult::Outcome::kNothingRan}) {
    EXPECT_THAT(TableOf({Row("doubled", outcome)}), HasSubstr("**NOT CAUGHT** by `NoiseTest.*`"));
  }
}

TEST(MutantTableTest, NamesComeBackInTheirOrder) {
  const std::string table = TableOf(
      {Row("two", CheckResult::Outcome::kFailed), Row("one", CheckResult::Outcome::kFailed)});
  EXPECT_THAT(NamesIn(table), ::testing::ElementsAre("two", "one"));
}

}  // namespace
}  // namespace topicwall::mutants
