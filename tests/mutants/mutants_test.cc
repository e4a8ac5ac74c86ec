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
#include "absl/strings/str_cat.h"
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

// A check, and a mutant that it must catch.
struct Case {
  std::string mutant;
  Catcher check;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.mutant << " " << c.check.program << " " << c.check.filter;
}

// The audit and whole walls take up to a minute for one mutant: the long form.
bool IsLong(const Catcher& check) { return check.is_audit() || check.program == "e2e_test"; }

std::vector<Case> Cases(bool are_long) {
  std::vector<Case> cases;
  for (const Mutant& mutant : AllMutants()) {
    for (const Catcher& check : mutant.caught_by) {
      if (IsLong(check) == are_long) cases.push_back({.mutant = mutant.name, .check = check});
    }
  }
  return cases;
}

// What mutants are caught by, each check once, in its order.
std::vector<Catcher> Checks(bool are_long) {
  std::map<std::pair<std::string, std::string>, Catcher> checks;
  for (const Case& c : Cases(are_long)) {
    checks.emplace(std::pair(c.check.program, c.check.filter), c.check);
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
INSTANTIATE_TEST_SUITE_P(Checks, EveryCheck, ::testing::ValuesIn(Checks(false)), NameOfCheck);
INSTANTIATE_TEST_SUITE_P(Long, EveryCheck, ::testing::ValuesIn(Checks(true)), NameOfCheck);

class EveryMutant : public ::testing::TestWithParam<Case> {};

TEST_P(EveryMutant, IsCaught) {
  const auto& [mutant, check] = GetParam();
  const CheckResult result = RunCheck(check, mutant);
  EXPECT_EQ(result.outcome, CheckResult::Outcome::kFailed)
      << check.program << " " << check.filter << "\n"
      << result.output;
}

// A name may not be said twice, and one mutant may have several checks.
std::string NameOfCase(const ::testing::TestParamInfo<Case>& c) {
  return LettersOf(absl::StrCat(c.param.mutant, " ", c.param.check.program, " ", c.index));
}
INSTANTIATE_TEST_SUITE_P(Defects, EveryMutant, ::testing::ValuesIn(Cases(false)), NameOfCase);
INSTANTIATE_TEST_SUITE_P(Long, EveryMutant, ::testing::ValuesIn(Cases(true)), NameOfCase);

}  // namespace
}  // namespace topicwall::mutants
