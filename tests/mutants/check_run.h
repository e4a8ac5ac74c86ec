// Runs one check of a mutant, in the programs that have all mutants built in.
//
//   const CheckResult result = RunCheck(mutant.caught_by[0], mutant.name);
//   EXPECT_EQ(result.outcome, CheckResult::Outcome::kFailed) << result.output;
//
// A check has failed only if it ran to its end and said so: a program that crashed, tests that do
// not exist, and an audit that could not be finished are outcomes of their own.
#ifndef TOPICWALL_TESTS_MUTANTS_CHECK_RUN_H_
#define TOPICWALL_TESTS_MUTANTS_CHECK_RUN_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tests/mutants/mutant.h"

namespace topicwall::mutants {

struct CheckResult {
  enum class Outcome { kPassed, kFailed, kCrashed, kNothingRan };
  Outcome outcome;
  std::vector<std::string> failed;  // tests, or claims of the audit, each once
  int64_t releases;                 // that noise was drawn for, in all processes of the check
  std::string output;
};
std::ostream& operator<<(std::ostream& out, CheckResult::Outcome outcome);

// With no mutant on if `mutant` is empty.
CheckResult RunCheck(const Catcher& check, const std::string& mutant);

}  // namespace topicwall::mutants

#endif  // TOPICWALL_TESTS_MUTANTS_CHECK_RUN_H_
