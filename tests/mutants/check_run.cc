#include "tests/mutants/check_run.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/ascii.h"
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

// Rows of the audit's table: part, verdict and claim, each in its column.
std::vector<std::string> BrokenClaims(absl::string_view output) {
  constexpr size_t kVerdict = 10;
  constexpr size_t kClaim = 24;
  std::vector<std::string> broken;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    if (line.size() <= kClaim || line[0] == ' ') continue;
    const absl::string_view verdict =
        absl::StripAsciiWhitespace(line.substr(kVerdict, kClaim - kVerdict));
    if (verdict == "VIOLATED" || verdict == "UTILITY LOST") {
      broken.emplace_back(line.substr(kClaim));
    }
  }
  return broken;
}

Outcome OutcomeOf(int exit_code, absl::string_view output, bool any_failed) {
  if (absl::StrContains(output, "[==========] 0 tests ")) return Outcome::kNothingRan;
  if (exit_code == 0) return Outcome::kPassed;
  return exit_code == 1 && any_failed ? Outcome::kFailed : Outcome::kCrashed;
}

std::vector<std::string> CommandOf(const Catcher& check) {
  const std::string folder = absl::StrCat(TOPICWALL_MUTANTS_DIR, "/");
  if (check.is_audit()) {
    std::vector<std::string> command = {folder + "topicwall-audit", "--part"};
    for (absl::string_view word : absl::StrSplit(check.filter, ' ')) command.emplace_back(word);
    return command;
  }
  return {folder + check.program, absl::StrCat("--gtest_filter=", check.filter),
          "--gtest_color=no"};
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
  testing::Finished finished = testing::RunToEnd(
      CommandOf(check), {{"TOPICWALL_MUTANT", mutant}, {"TOPICWALL_MUTANT_RELEASES", releases}});
  CheckResult result{
      .outcome = Outcome::kPassed,
      .failed = check.is_audit() ? BrokenClaims(finished.output) : FailedTests(finished.output),
      .releases = 0,
      .output = std::move(finished.output)};
  result.outcome = OutcomeOf(finished.exit_code, result.output, !result.failed.empty());
  std::error_code none_drawn;
  const auto size = std::filesystem::file_size(releases, none_drawn);
  if (!none_drawn) result.releases = static_cast<int64_t>(size);
  return result;
}

}  // namespace topicwall::mutants
