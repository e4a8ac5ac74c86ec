// server/MUTANTS.md: every mutant, where it is, and what caught it.
//
//   const std::string text = TableOf({{mutant, {RunCheck(…), …}}, …});
//   const std::vector<std::string> names = NamesIn(text);
#ifndef TOPICWALL_TESTS_MUTANTS_MUTANT_TABLE_H_
#define TOPICWALL_TESTS_MUTANTS_MUTANT_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/mutants/check_run.h"
#include "tests/mutants/mutant.h"

namespace topicwall::mutants {

struct TableRow {
  Mutant mutant;
  std::vector<CheckResult> results;  // of mutant.caught_by, with the mutant on
};

// The whole file, in Markdown. A row whose checks did not all fail says so.
std::string TableOf(absl::Span<const TableRow> rows);

// The mutants that such a file has rows of, in its order.
std::vector<std::string> NamesIn(absl::string_view table);

}  // namespace topicwall::mutants

#endif  // TOPICWALL_TESTS_MUTANTS_MUTANT_TABLE_H_
