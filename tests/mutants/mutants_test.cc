// Every known defect is caught by the check that is named for it, and nothing else makes that
// check fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "tests/mutants/check_run.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/mutant_table.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::mutants {

// GoogleTest finds them by the namespace.
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }
void PrintTo(const Catcher& check, std::ostream* out) {
  *out << check.program << " " << check.filter;
}

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

// As GoogleTest wants the names of parameters.
std::string LettersOf(std::string name) {
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
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

// That no other program has it is for tests/layering/program_symbols_test.cc to see.
TEST(TheMutants, AreInTheMutatedProgramsUnderTheNameOfTheirSwitch) {
  for (const char* name :
       {"topicwall-vault", "topicwall-admin", "topicwall-audit", "mechanism_test"}) {
    const std::string program = std::string(TOPICWALL_MUTANTS_DIR) + "/" + name;
    EXPECT_NE(testing::ReadWholeFile(program).find("TOPICWALL_MUTANT"), std::string::npos) << name;
  }
}

// What all mutants are caught by, each check once, in its order.
std::vector<Catcher> AllChecks() {
  std::map<std::pair<std::string, std::string>, Catcher> checks;
  for (const Mutant& mutant : AllMutants()) {
    for (const Catcher& check : mutant.caught_by) {
      checks.emplace(std::pair(check.program, check.filter), check);
    }
  }
  std::vector<Catcher> all;
  for (const auto& [name, check] : checks) all.push_back(check);
  return all;
}

class EveryCheck : public ::testing::TestWithParam<Catcher> {};

TEST_P(EveryCheck, PassesWithNoMutantOn) {
  const CheckResult result = RunCheck(GetParam(), "");
  EXPECT_EQ(result.outcome, CheckResult::Outcome::kPassed)
      << GetParam().program << " " << GetParam().filter << "\n"
      << result.output;
}

std::string NameOfCheck(const ::testing::TestParamInfo<Catcher>& check) {
  return LettersOf(check.param.program + " " + check.param.filter);
}
INSTANTIATE_TEST_SUITE_P(Checks, EveryCheck, ::testing::ValuesIn(AllChecks()), NameOfCheck);

class EveryMutant : public ::testing::TestWithParam<Mutant> {};

TEST_P(EveryMutant, IsCaught) {
  for (const Catcher& check : GetParam().caught_by) {
    const CheckResult result = RunCheck(check, GetParam().name);
    EXPECT_EQ(result.outcome, CheckResult::Outcome::kFailed)
        << check.program << " " << check.filter << "\n"
        << result.output;
  }
}

std::string NameOfMutant(const ::testing::TestParamInfo<Mutant>& mutant) {
  return LettersOf(mutant.param.name);
}
INSTANTIATE_TEST_SUITE_P(Defects, EveryMutant, ::testing::ValuesIn(AllMutants()), NameOfMutant);

}  // namespace
}  // namespace topicwall::mutants
