#include "tests/mutants/mutant_table.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace topicwall::mutants {
namespace {

constexpr absl::string_view kHead = R"(# Known defects, and what catches each

Every row is a way of getting a private topic model wrong. A test-only build of the wall has all
of them in it, switched off; `tests/mutants/` switches one on at a time, and each check named here
must then fail, as it must pass with none on. A test is one of `tests/`; the audit is what
`topicwall-audit` runs on a custodian's own machine, named by its part and the first claim
that it found broken. *Releases* is for how many releases the check drew noise, in all its
processes, until it was over; 0 for a check that needs none.

The sources that the defects are in are copies, made in the build folder from
`tests/mutants/defects/*.mutant` and linked into test programs alone: the programs that are
deployed contain neither defects nor switches, which a test looks for too.

This file is written by `tests/mutants/write-table`; a test compares it with the defects there are.

)";

std::string NamesOf(std::vector<std::string> tests) {
  constexpr size_t kShown = 2;
  std::string text;
  for (size_t i = 0; i < std::min(tests.size(), kShown); ++i) {
    absl::StrAppend(&text, i == 0 ? "`" : ", `", tests[i], "`");
  }
  if (tests.size() > kShown) absl::StrAppend(&text, " and ", tests.size() - kShown, " more");
  return text;
}

std::string SourcesOf(const Mutant& mutant) {
  std::vector<std::string> sources;
  std::string text;
  for (const Edit& edit : mutant.edits) {
    if (std::find(sources.begin(), sources.end(), edit.source) != sources.end()) continue;
    absl::StrAppend(&text, sources.empty() ? "`" : ", `", edit.source, "`");
    sources.push_back(edit.source);
  }
  return text;
}

// What the checks of one kind found, and for how many releases: two cells.
std::string CellsOf(const TableRow& row, bool of_audit) {
  std::vector<std::string> found;
  std::vector<std::string> releases;
  for (size_t i = 0; i < row.results.size(); ++i) {
    const Catcher& check = row.mutant.caught_by[i];
    const CheckResult& result = row.results[i];
    if (check.is_audit() != of_audit) continue;
    const bool caught = result.outcome == CheckResult::Outcome::kFailed;
    found.push_back(!caught    ? absl::StrCat("**NOT CAUGHT** by `", check.filter, "`")
                    : of_audit ? absl::StrCat(check.filter, ": ", result.failed[0])
                               : NamesOf(result.failed));
    releases.push_back(absl::StrCat(result.releases));
  }
  if (found.empty()) return "– | –";
  return absl::StrCat(absl::StrJoin(found, "; "), " | ", absl::StrJoin(releases, "; "));
}

std::string LineOf(const TableRow& row) {
  return absl::StrCat("| `", row.mutant.name, "` | ", row.mutant.title, " | ",
                      SourcesOf(row.mutant), " | ", CellsOf(row, false), " | ", CellsOf(row, true),
                      " |\n");
}

}  // namespace

std::string TableOf(absl::Span<const TableRow> rows) {
  std::string text = absl::StrCat(kHead,
                                  "| Mutant | Defect | Source | Caught by the test | Releases "
                                  "| Caught by the audit | Releases |\n",
                                  "|---|---|---|---|---|---|---|\n");
  for (const TableRow& row : rows) absl::StrAppend(&text, LineOf(row));
  absl::StrAppend(&text, "\n", rows.size(), " defects.\n");
  return text;
}

std::vector<std::string> NamesIn(absl::string_view table) {
  std::vector<std::string> names;
  for (absl::string_view line : absl::StrSplit(table, '\n')) {
    constexpr absl::string_view kBegin = "| `";
    if (!absl::StartsWith(line, kBegin)) continue;
    line.remove_prefix(kBegin.size());
    names.emplace_back(line.substr(0, line.find('`')));
  }
  return names;
}

}  // namespace topicwall::mutants
