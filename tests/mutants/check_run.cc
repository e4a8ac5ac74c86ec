#include "tests/mutants/check_run.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/e2e/process.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::mutants {
namespace {

using Outcome = CheckResult::Outcome;

// GoogleTest's lines "[  FAILED  ] Suite.Name" (", where GetParam() = …", " (3 ms)").
std::vector<std::string> FailedTests(absl::string_view output) {
  std::vector<std::string> failed;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    if (!absl::ConsumePrefix(&line, "[  FAILED  ] ")) continue;
    const std::string name(line.substr(0, line.find_first_of(", (")));
    const bool is_test = absl::StrContains(name, '.');  // "3 tests, listed below:" is none
    if (is_test && std::find(failed.begin(), failed.end(), name) == failed.end()) {
      failed.push_back(name);
    }
  }
  return failed;
}

Outcome OutcomeOf(int exit_code, absl::string_view output, bool any_failed) {
  if (absl::StrContains(output, "[==========] 0 tests ")) return Outcome::kNothingRan;
  if (exit_code == 0) return Outcome::kPassed;
  return exit_code == 1 && any_failed ? Outcome::kFailed : Outcome::kCrashed;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return out << "passed";
    case Outcome::kFailed:
      return out << "failed";
    case Outcome::kCrashed:
      return out << "crashed";
    case Outcome::kNothingRan:
      break;
  }
  return out << "nothing ran";
}

CheckResult RunCheck(const Catcher& check, const std::string& mutant) {
  const testing::TemporaryDirectory folder;
  const std::string releases = folder.path() + "/releases";
  testing::Finished finished =
      testing::RunToEnd({absl::StrCat(TOPICWALL_MUTANTS_DIR, "/", check.program),
                         absl::StrCat("--gtest_filter=", check.filter), "--gtest_color=no"},
                        {{"TOPICWALL_MUTANT", mutant}, {"TOPICWALL_MUTANT_RELEASES", releases}});
  CheckResult result{.outcome = Outcome::kPassed,
                     .failed = FailedTests(finished.output),
                     .releases = 0,
                     .output = std::move(finished.output)};
  result.outcome = OutcomeOf(finished.exit_code, result.output, !result.failed.empty());
  std::error_code none_drawn;
  const auto size = std::filesystem::file_size(releases, none_drawn);
  if (!none_drawn) result.releases = static_cast<int64_t>(size);
  return result;
}

}  // namespace topicwall::mutants
