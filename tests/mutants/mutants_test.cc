// Every known defect is caught by the check that is named for it, and nothing else makes that
// check fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/mutants/check_run.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_table.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::mutants {

// GoogleTest finds it by the namespace.
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

namespace {

// Without the probes. None if they cannot be read, which TheMutants.AreRead tells.
std::vector<Mutant> AllMutants() {
  absl::StatusOr<std::vector<Mutant>> read =
      ReadMutants(TOPICWALL_SOURCE_DIR "/tests/mutants/defects");
  if (!read.ok()) return {};
  read->erase(std::remove_if(read->begin(), read->end(),
                             [](const Mutant& mutant) { return mutant.is_probe; }),
              read->end());
  return *std::move(read);
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Mutant& mutant : AllMutants()) names.push_back(mutant.name);
  return names;
}

TEST(TheMutants, AreRead) {
  ASSERT_OK(ReadMutants(TOPICWALL_SOURCE_DIR "/tests/mutants/defects"));
  EXPECT_GE(AllMutants().size(), 20U);
}

TEST(TheMutants, AreThoseOfTheTable) {
  EXPECT_EQ(NamesIn(testing::ReadWholeFile(TOPICWALL_SOURCE_DIR "/server/MUTANTS.md")), Names())
      << "run tests/mutants/write-table";
}

TEST(TheTable, SaysThatAllAreCaught) {
  EXPECT_THAT(testing::ReadWholeFile(TOPICWALL_SOURCE_DIR "/server/MUTANTS.md"),
              ::testing::Not(::testing::HasSubstr("NOT CAUGHT")));
}

class EveryMutant : public ::testing::TestWithParam<Mutant> {};

TEST_P(EveryMutant, IsCaught) {
  for (const Catcher& check : GetParam().caught_by) {
    const CheckResult without = RunCheck(check, "");
    EXPECT_EQ(without.outcome, CheckResult::Outcome::kPassed) << without.output;
    const CheckResult with = RunCheck(check, GetParam().name);
    EXPECT_EQ(with.outcome, CheckResult::Outcome::kFailed)
        << check.program << " " << check.filter << "\n"
        << with.output;
  }
}

std::string ParameterName(const ::testing::TestParamInfo<Mutant>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Defects, EveryMutant, ::testing::ValuesIn(AllMutants()), ParameterName);

}  // namespace
}  // namespace topicwall::mutants
